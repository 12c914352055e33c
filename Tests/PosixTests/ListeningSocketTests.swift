import Glibc
import Posix
import Synchronization
import TestSupport
import Testing

/// A place to keep a socket until a test is over.
private final class Kept: Sendable {
    let socket: ListeningSocket
    init(_ socket: consuming ListeningSocket) { self.socket = socket }
}

struct ListeningSocketTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.file("a.sock") }

    private func status(_ path: String) throws -> FileStatus {
        try Files.status(path, followsLink: false)
    }

    /// What binding at a path throws.
    private func refusal(_ path: String) -> ListenError? {
        do {
            _ = try ListeningSocket.bind(path: path, mode: 0o600)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0o600, 0o666, 0o660] as [UInt32])
    func `it has the mode that was asked for, whatever the umask takes`(mode: UInt32) throws {
        let socket = try ListeningSocket.bind(path: path, mode: mode)
        #expect(try status(path).mode == mode)
        let isThere = socket.stillThere()
        #expect(isThere)
    }

    @Test func `the missing directories are made for their owner alone`() throws {
        let deep = directory.file("x/y/a.sock")
        let socket = try ListeningSocket.bind(path: deep, mode: 0o600)
        #expect(try status(directory.file("x")).mode == 0o700)
        #expect(try status(directory.file("x/y")).mode == 0o700)
        _ = consume socket
    }

    @Test func `a stale socket is replaced`() throws {
        try leaveStaleSocket(at: path)
        let socket = try ListeningSocket.bind(path: path, mode: 0o600)
        _ = try SocketIO.connect(path: path)
        let result = socket.accept()
        guard case .accepted = result else {
            Issue.record("nobody was accepted")
            return
        }
    }

    @Test func `a live socket is left alone`() throws {
        let socket = try ListeningSocket.bind(path: path, mode: 0o600)
        #expect(refusal(path) == .occupied(path: path))
        let isThere = socket.stillThere()
        #expect(isThere)
    }

    @Test func `a live socket is left alone even if its lock file was taken away`() throws {
        let socket = try ListeningSocket.bind(path: path, mode: 0o600)
        try Files.unlink(path + ".lock")
        #expect(refusal(path) == .occupied(path: path))
        let isThere = socket.stillThere()
        #expect(isThere)
    }

    @Test func `without a lock file nothing but the socket is made, and is safe when live`() throws
    {
        let socket = try ListeningSocket.bind(path: path, mode: 0o600, isLocked: false)
        #expect(try Files.directoryEntries(directory.path) == ["a.sock"])
        #expect(throws: ListenError.occupied(path: path)) {
            _ = try ListeningSocket.bind(path: path, mode: 0o600, isLocked: false)
        }
        try socket.unlinkIfMine()
        #expect(try Files.directoryEntries(directory.path) == [])
    }

    @Test func `a daemon whose socket was taken away still keeps others out`() throws {
        let socket = try ListeningSocket.bind(path: path, mode: 0o600)
        try Files.unlink(path)
        let isThere = socket.stillThere()
        #expect(!isThere)
        #expect(refusal(path) == .occupied(path: path))
    }

    @Test func `of twenty starters over a stale socket exactly one wins`() throws {
        try leaveStaleSocket(at: path)
        let path = path
        let winners = Mutex<[Kept]>([])
        let losers = Mutex<[ListenError]>([])
        let workers = (0..<20).map { _ in Worker() }
        for worker in workers {
            let isTaken = worker.submit {
                do throws(ListenError) {
                    let kept = Kept(try ListeningSocket.bind(path: path, mode: 0o600))
                    winners.withLock { $0.append(kept) }
                } catch {
                    losers.withLock { $0.append(error) }
                }
            }
            #expect(isTaken)
        }
        for worker in workers { worker.stop() }
        #expect(losers.withLock { $0 } == Array(repeating: .occupied(path: path), count: 19))
        let winner = try #require(winners.withLock { $0.first })
        let isThere = winner.socket.stillThere()
        #expect(isThere)
    }

    @Test func `a hundred starts leave one socket and one lock file`() throws {
        for _ in 0..<100 { try leaveStaleSocket(at: path) }
        #expect(try Files.directoryEntries(directory.path) == ["a.sock", "a.sock.lock"])
    }

    @Test func `a file, a directory or a link at the path is never touched`() throws {
        let target = directory.file("target.sock")
        try leaveStaleSocket(at: target)
        unsafe symlink("target.sock", directory.file("link"))
        unsafe mkdir(directory.file("directory"), 0o700)
        unsafe mkfifo(directory.file("pipe"), 0o600)
        unsafe close(creat(directory.file("file"), 0o600))
        let kinds: [(String, FileKind)] = [
            ("link", .symlink), ("directory", .directory), ("pipe", .fifo), ("file", .file),
        ]
        for (name, kind) in kinds {
            let path = directory.file(name)
            let before = try status(path)
            #expect(refusal(path) == .notASocket(path: path, kind: kind))
            #expect(try status(path) == before)
            #expect(try Files.statusIfPresent(path + ".lock") == nil)
        }
    }

    @Test func `the longest path works and one byte more is refused`() throws {
        let room = ListeningSocket.pathBytesMax - directory.path.utf8.count - 1
        let longest = directory.file(String(repeating: "x", count: room))
        _ = try ListeningSocket.bind(path: longest, mode: 0o600)
        _ = try? SocketIO.connect(path: longest)
        #expect(refusal(longest + "x") == .pathTooLong(path: longest + "x", max: 107))
    }

    @Test(arguments: ["", "/", "/tmp/a\0b"])
    func `a path that can be none of a socket is refused`(path: String) {
        #expect(
            refusal(path)
                == .failed(PosixError(operation: "bind", subject: path, code: EINVAL)))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func `somebody else's directory is refused, also for what would be made in it`() throws {
        let foreign = directory.file("foreign")
        unsafe mkdir(foreign, 0o777)
        unsafe chown(foreign, 12_345, 12_345)
        for path in [foreign + "/a.sock", foreign + "/x/y/a.sock"] {
            #expect(refusal(path) == .foreignDirectory(path: foreign, owner: 12_345))
        }
        #expect(try Files.directoryEntries(foreign).isEmpty)
    }

    @Test func `a socket of another type that lives is left alone`() throws {
        let other = DatagramReceiver(path: path)
        let before = try status(path)
        let error = PosixError(operation: "connect", subject: path, code: EPROTOTYPE)
        #expect(refusal(path) == .failed(error))
        #expect(try status(path) == before)
        #expect(other.all() == [])
    }

    @Test(arguments: 4...6)
    func `without descriptors a stale socket is not taken for one`(limit: Int) throws {
        try leaveStaleSocket(at: path)
        let before = try status(path)
        let child = try Child.shell(
            "exec 3>&- 4>&- 5>&-; ulimit -n \(limit); exec $PROBE bind \(path)")
        if child.output.hasPrefix("bound") { return }
        #expect(child.output.contains("Too many open files"))
        #expect(try status(path) == before)
    }

    @Test func `accepting says when nobody waits`() throws {
        let socket = try ListeningSocket.bind(path: path, mode: 0o600)
        guard case .wouldBlock = socket.accept() else {
            Issue.record("somebody was there")
            return
        }
    }

    @Test func `out of descriptors accepting is exhausted and goes on when there are some`() throws
    {
        let child = try Child.shell(
            "exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n 12; exec $PROBE accept \(path)")
        #expect(child.output == "exhausted: Too many open files\naccepted\n")
    }

    @Test func `only its own path is taken away`() throws {
        let socket = try ListeningSocket.bind(path: path, mode: 0o600)
        try Files.rename(path, to: directory.file("moved"))
        let other = unsafe creat(path, 0o600)
        try socket.unlinkIfMine()
        #expect(try status(path).kind == .file)
        close(other)
        try Files.rename(directory.file("moved"), to: path)
        try socket.unlinkIfMine()
        #expect(try Files.statusIfPresent(path) == nil)
        try socket.unlinkIfMine()
    }

    @Test func `an inherited socket is never unlinked but watched`() throws {
        let made = try ListeningSocket.bind(path: path, mode: 0o600)
        let inherited = try ListeningSocket(inherited: fcntl(made.raw, F_DUPFD, 0))
        let (isInherited, boundAt) = (inherited.isInherited, inherited.path)
        #expect(isInherited)
        #expect(boundAt == path)
        #expect(fcntl(inherited.raw, F_GETFD) == FD_CLOEXEC)
        try inherited.unlinkIfMine()
        let isThere = inherited.stillThere()
        #expect(isThere)
        try Files.unlink(path)
        let isStillThere = inherited.stillThere()
        #expect(!isStillThere)
    }

    @Test func `every refusal says in one sentence what to do`() {
        let refusals: [ListenError] = [
            .occupied(path: "/a"), .notASocket(path: "/a", kind: .symlink),
            .pathTooLong(path: "/a", max: 1), .foreignDirectory(path: "/a", owner: 5),
            .failed(PosixError(operation: "bind", subject: "/a", code: EACCES)),
        ]
        for text in refusals.map(\.description) {
            #expect(text.contains("'/a'"))
            #expect(text.contains(": "))
            #expect(!text.contains("\n"))
        }
        #expect(
            ListenError.notASocket(path: "/a\n", kind: .directory).description
                == #"a directory is at '/a\x0a': move it away, or choose another path"#)
    }
}
