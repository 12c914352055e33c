import Glibc
import TestSupport
import Testing

@testable import Posix

struct DirectoryHandleTests {
    private let directory = TemporaryDirectory()

    private func code(_ call: () throws -> Void) -> Int32? {
        do {
            try call()
            return nil
        } catch {
            return (error as? PosixError)?.code
        }
    }

    @Test func `what is done through it is done there, whatever its name leads to by then`() throws
    {
        let (mine, other) = (directory.file("mine"), directory.file("other"))
        try Files.makeDirectories(mine + "/below")
        try Files.makeDirectories(other)
        let handle = try DirectoryHandle(mine)
        try Files.rename(mine, to: directory.file("moved"))
        unsafe symlink(other, mine)
        let names = try handle.names()
        #expect(names == ["below"])
        let kinds = [try handle.status(of: "below")?.kind, try handle.status(of: "none")?.kind]
        #expect(kinds == [.directory, nil])
        #expect(try Files.directoryEntries(mine) == [])
    }

    @Test func `a link, a file and nothing are no directories in it`() throws {
        try Files.makeDirectories(directory.file("real"))
        unsafe symlink(directory.file("real"), directory.file("link"))
        unsafe close(creat(directory.file("file"), 0o600))
        let handle = try DirectoryHandle(directory.path)
        let path = try handle.directory("real").path
        #expect(path == directory.file("real"))
        #expect(code { () throws in _ = try handle.directory("link") } == ENOTDIR)
        #expect(code { () throws in _ = try handle.directory("file") } == ENOTDIR)
        #expect(code { () throws in _ = try handle.directory("none") } == ENOENT)
        let kind = try handle.status(of: "link")?.kind
        #expect(kind == .symlink)
    }

    @Test func `a link into it replaces nothing, and errors name the path that people know`() throws
    {
        unsafe close(creat(directory.file("a"), 0o600))
        unsafe close(creat(directory.file("b"), 0o600))
        let handle = try DirectoryHandle(directory.path)
        #expect(code { try handle.link("a", of: handle, as: "b") } == EEXIST)
        try handle.link("a", of: handle, as: "c")
        #expect(try Files.directoryEntries(directory.path) == ["a", "b", "c"])
        try handle.unlink("c")
        do {
            try handle.unlink("c")
            Issue.record("nothing is there to be taken away")
        } catch {
            #expect(error.subject == directory.file("c"))
        }
    }
}

/// Sockets in a directory that others write in.
struct SocketPlacingTests {
    private let root = TemporaryDirectory()

    init() throws {
        try Files.makeDirectories(root.file("theirs"))
        try Files.makeDirectories(root.file("ours"))
    }

    private func place(_ mode: UInt32 = 0o600) throws -> ListeningSocket {
        let directory = try DirectoryHandle(root.file("theirs"))
        let workshop = try DirectoryHandle(root.file("ours"))
        return try ListeningSocket.place("s", in: directory, from: workshop, mode: mode)
    }

    private func placingError() -> ListenError? {
        do {
            _ = try place()
            return nil
        } catch {
            return error as? ListenError
        }
    }

    private func names(_ directory: String = "ours") throws -> [String] {
        try Files.directoryEntries(root.file(directory))
    }

    private var path: String { root.file("theirs/s") }

    @Test func `it is there with its mode, answers, and is known for certain`() throws {
        let socket = try place(0o640)
        let found = try Files.status(path, followsLink: false)
        #expect(found.kind == .socket)
        #expect(found.mode == 0o640)
        let isFile = socket.isFile(found)
        #expect(isFile)
        let isThere = socket.stillThere()
        #expect(isThere)
        do { _ = try SocketIO.connect(path: path) }
        #expect(try names() == [])
        try Files.unlink(path)
        unsafe close(creat(path, 0o600))
        let isStillFile = socket.isFile(try Files.status(path, followsLink: false))
        #expect(!isStillFile)
    }

    @Test func `a dead socket is replaced, also one that a crash left in the workshop`() throws {
        do { _ = try place() }
        do {
            _ = try ListeningSocket.bind(path: root.file("ours/new"), mode: 0o600, isLocked: false)
        }
        let socket = try place()
        let isThere = socket.stillThere()
        #expect(isThere)
        #expect(try names() == [])
    }

    @Test func `a live socket, a file and a link stay`() throws {
        let first = try place()
        #expect(placingError() == .occupied(path: path))
        let isThere = first.stillThere()
        #expect(isThere)
        try Files.unlink(path)
        unsafe symlink(root.file("elsewhere"), path)
        #expect(placingError() == .notASocket(path: path, kind: .symlink))
        try Files.unlink(path)
        unsafe close(creat(path, 0o600))
        #expect(placingError() == .notASocket(path: path, kind: .file))
        #expect(try names("") == ["ours", "theirs"])
        #expect(try names() == [])
    }

    @Test func `a directory that is gone is a failure and leaves nothing`() throws {
        let directory = try DirectoryHandle(root.file("theirs"))
        let workshop = try DirectoryHandle(root.file("ours"))
        unsafe rmdir(root.file("theirs"))
        do {
            _ = try ListeningSocket.place("s", in: directory, from: workshop, mode: 0o600)
            Issue.record("there is no such directory")
        } catch {
            #expect(
                error == .failed(PosixError(operation: "link", subject: path, code: ENOENT)))
        }
        #expect(try names() == [])
    }
}
