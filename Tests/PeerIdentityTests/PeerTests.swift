import Glibc
import Posix
import RatingPolicy
import TestSupport
import Testing

@testable import PeerIdentity

struct PeerTests {
    private let stage = Stage()

    @Test(arguments: [PeerIdentity.Route.connection, .number])
    func `a process without a sandbox is what it claims`(_ route: PeerIdentity.Route) throws {
        let script = "sh -c 'echo $$ >$DIR/pid; exec $PROBE connect $SOCKET'"
        let found = try stage.identify(script, by: route)
        let pid = try Files.readFile(stage.directory.file("pid"), maxBytes: 64)
        #expect(found.reason == nil)
        #expect(found.peer.identity == .claimed)
        #expect(found.peer.user == geteuid())
        #expect("\(found.peer.process.number)\n" == String(decoding: pid, as: UTF8.self))
    }

    @Test func `a peer that went before the look is unknown, of the same user`() throws {
        let script = "$PROBE leave $SOCKET; echo done"
        let found = try stage.identify(script) { stage.log().contains("done") }
        #expect(found.peer.identity == .unknown)
        #expect(found.peer.user == geteuid())
        #expect(found.peer.process.number > 0)
        #expect(try #require(found.reason).contains("gone"), "\(found)")
    }

    @Test func `a peer that went and has not been waited for is unknown`() throws {
        let script = "$PROBE leave $SOCKET & echo $! >$DIR/pid; exec sleep 5"
        let found = try stage.identify(script) {
            guard let pid = try? Files.readFile(stage.directory.file("pid"), maxBytes: 64),
                let number = Int32(String(decoding: pid.dropLast(), as: UTF8.self)),
                let stat = try? Files.readFile("/proc/\(number)/stat", maxBytes: 4096)
            else { return false }
            return String(decoding: stat, as: UTF8.self).contains(") Z ")
        }
        #expect(found.peer.identity == .unknown, "\(found)")
        #expect(found.reason != nil)
    }

    @Test(arguments: [PeerIdentity.Route.connection, .number])
    func `a peer that ends during the look is noticed at its end`(
        _ route: PeerIdentity.Route
    ) throws {
        let socket = try stage.accept("$PROBE connect $SOCKET")
        let credentials = try SocketIO.peerCredentials(socket.raw)
        let process = try PeerProcess.find(at: socket.raw, credentials, by: route)
        try process.requireAlive()
        #expect(process.number == credentials.pid)
        kill(credentials.pid, SIGKILL)
        #expect(try SocketIO.wait(socket.raw, timeoutMilliseconds: 5000))
        // Its sockets are closed just before it counts as ended.
        for _ in 0..<1000 where (try? process.requireAlive()) != nil { usleep(1000) }
        let ended = Doubt.unreadable("process \(credentials.pid) has ended")
        #expect(throws: ended) { try process.requireAlive() }
    }

    @Test(arguments: ["x;uid=0;pid=1;", "a\nuid 0\n", "\u{1B}[31m\u{202E}", " (deleted)"])
    func `the path a client bound itself to changes nothing`(_ name: String) throws {
        let listener = try ListeningSocket.bind(path: stage.path, mode: 0o600)
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(client) }
        try #require(unsafe call(bind, client, stage.directory.file(name)) == 0)
        try #require(unsafe call(connect, client, stage.path) == 0)
        guard case .accepted(let accepted) = listener.accept() else {
            Issue.record("nobody was accepted")
            return
        }
        let status = try ProcessFiles.status(of: getpid())
        let process = ProcessID(number: getpid(), startedAt: status.startedAt)
        let own = Peer(user: geteuid(), process: process, identity: .claimed)
        #expect(status.parent == getppid())
        #expect(PeerIdentity.identify(accepted.raw) == .known(own))
    }

    @Test func `what is no local socket is unknown and nobody's`() throws {
        let event = try EventDescriptor()
        let network = Descriptor(
            owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        let nobody = Peer(
            user: PeerIdentity.noUser, process: ProcessID(number: 0), identity: .unknown)
        for descriptor in [event.raw, network.raw, -1] {
            let found = PeerIdentity.identify(descriptor)
            #expect(found.peer == nobody)
            #expect(found.reason != nil)
        }
    }

    @Test func `only a kernel without the question is asked by number`() throws {
        for (code, isUnknown) in [(ENOPROTOOPT, true), (EINVAL, false), (ESRCH, false)] {
            let error = PosixError(operation: "getsockopt", code: code)
            #expect(try PeerProcess.isUnknownToKernel(error) == isUnknown)
        }
    }

    @Test func `out of descriptors is told apart, and leaves none open`() throws {
        let lines = try Child.shell("ulimit -n 24; $PROBE exhaust \(stage.path)").output
            .split(separator: "\n")
        let exhausted = "unknown unverified - exhausted Too many open files true"
        #expect(lines.dropLast(2).allSatisfy { $0 == exhausted }, "\(lines)")
        #expect(lines.suffix(2) == ["claimed unverified - true", "true"])
        #expect(lines.count == 5)
    }

    /// `bind` or `connect` of a socket to a path.
    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ fd: Int32,
        _ path: String
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: Array(path.utf8))
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe function(fd, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
