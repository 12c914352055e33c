import Glibc
import Posix
import TestSupport
import Testing

struct ListenDescriptorsTests {
    private let directory = TemporaryDirectory()

    /// What the probe makes of descriptors 3 and up that were passed under these variables.
    private func taken(_ variables: String, _ descriptors: [Int32] = []) throws -> String {
        var numbered: [Int32: Int32] = [:]
        for (index, descriptor) in descriptors.enumerated() {
            numbered[Int32(3 + index)] = descriptor
        }
        let child = try Child.shell(
            "\(variables) exec $PROBE listen", descriptors: numbered)
        #expect(child.status == 0)
        return child.output
    }

    private func listening(_ name: String) throws -> ListeningSocket {
        try ListeningSocket.bind(path: directory.file(name), mode: 0o600)
    }

    @Test func `a listening socket is taken, closed on exec, and the variables are gone`() throws {
        let socket = try listening("a")
        let output = try taken("LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=any", [socket.raw])
        #expect(output.hasPrefix("socket(3) unset unset\n"))
        let flags = try #require(output.firstMatch(of: /flags:\s*([0-7]+)/))
        let octal = try #require(Int32(flags.1, radix: 8))
        #expect(octal & O_CLOEXEC != 0)
    }

    @Test func `a socket without a name is taken too`() throws {
        let socket = try listening("a")
        #expect(
            try taken("LISTEN_PID=$$ LISTEN_FDS=1", [socket.raw]).hasPrefix("socket(3) unset"))
    }

    @Test(arguments: ["", "LISTEN_FDS=1", "LISTEN_PID=$$", "LISTEN_PID=1 LISTEN_FDS=1"])
    func `what is not meant for this process is none`(variables: String) throws {
        let socket = try listening("a")
        #expect(try taken(variables, [socket.raw]).hasPrefix("none "))
    }

    @Test func `two sockets are refused with what is wanted`() throws {
        let one = try listening("a")
        let other = try listening("b")
        #expect(
            try taken("LISTEN_PID=$$ LISTEN_FDS=2", [one.raw, other.raw])
                == "2 descriptors were passed by socket activation: exactly one is wanted, "
                + "a ListenStream= with a path\n")
    }

    @Test func `what does not listen is refused with what it is`() throws {
        let listener = try listening("a")
        let connected = try SocketIO.connect(path: directory.file("a"))
        let datagram = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
        let internet = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        listen(internet.raw, 1)
        unsafe mkfifo(directory.file("pipe"), 0o600)
        let pipe = Descriptor(owning: unsafe open(directory.file("pipe"), O_RDWR))
        let cases = [
            (connected.raw, "socket"), (datagram.raw, "socket"), (internet.raw, "socket"),
            (pipe.raw, "named pipe"),
        ]
        for (descriptor, kind) in cases {
            #expect(
                try taken("LISTEN_PID=$$ LISTEN_FDS=1", [descriptor])
                    == "descriptor 3 passed by socket activation is a \(kind), but not a listening "
                    + "Unix stream socket: exactly one is wanted, a ListenStream= with a path\n")
        }
        _ = consume listener
    }

    @Test(arguments: ["many", "0", "-1", "99999999999"])
    func `a number that is none is refused`(count: String) throws {
        let output = try taken("LISTEN_PID=$$ LISTEN_FDS=\(count)")
        #expect(output.hasPrefix("LISTEN_FDS='\(count)' cannot be used ("))
    }

    @Test(.enabled(if: hasActivation, "systemd-socket-activate is not installed"))
    func `systemd's own activation passes a socket that is taken`() throws {
        let path = directory.file("a")
        let done = try EventDescriptor()
        let worker = Worker()
        let output = directory.file("output")
        let isTaken = worker.submit {
            _ = try? Child.shell(
                "systemd-socket-activate -l \(path) $PROBE listen >\(output) 2>/dev/null")
            done.signal()
        }
        #expect(isTaken)
        var client: Int32 = -1
        for _ in 0..<5000 where client == -1 {
            client = (try? SocketIO.connect(path: path))?.release() ?? -1
            usleep(1000)
        }
        try #require(client != -1)
        #expect(try SocketIO.wait(done.raw, timeoutMilliseconds: 10_000))
        close(client)
        worker.stop()
        let text = String(decoding: try Files.readFile(output, maxBytes: 4096), as: UTF8.self)
        #expect(text.hasPrefix("socket(3) unset unset\n"))
    }
}

private let hasActivation = (try? Files.status("/usr/bin/systemd-socket-activate")) != nil
