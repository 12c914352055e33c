import Glibc
import Posix
import TestSupport
import Testing

struct PathHandleTests {
    private let directory = TemporaryDirectory()

    @Test func `an entry is what has the name, its kind known before it is opened`() throws {
        unsafe mkfifo(directory.file("pipe"), 0o600)
        unsafe mkdir(directory.file("inner"), 0o700)
        unsafe symlink("pipe", directory.file("link"))
        let handle = try PathHandle.directory(directory.path)
        let kinds: [(String, FileKind)] = [
            ("pipe", .fifo), ("inner", .directory), ("link", .symlink),
        ]
        for (name, kind) in kinds {
            let found = try handle.entry(name).status()
            #expect(found.kind == kind)
            #expect(found.device == (try Files.status(directory.path).device))
            #expect(found.mount == (try handle.status().mount))
        }
    }

    @Test func `a file is read up to its limit, and again from its beginning`() throws {
        _ = try Child.shell("printf abc >\(directory.file("a"))")
        let file = try PathHandle.directory(directory.path).entry("a")
        #expect(try file.status().size == 3)
        #expect(try file.read(maxBytes: 3) == Array("abc".utf8))
        #expect(try file.read(maxBytes: 4) == Array("abc".utf8))
        #expect(throws: PosixError(operation: "read", subject: directory.file("a"), code: EFBIG)) {
            try file.read(maxBytes: 2)
        }
    }

    @Test func `what is not there, no directory or not readable is an error with its path`() throws
    {
        _ = try Child.shell("printf abc >\(directory.file("a"))")
        let none = directory.file("none")
        #expect(throws: PosixError(operation: "open", subject: none, code: ENOENT)) {
            _ = try PathHandle.directory(directory.path).entry("none")
        }
        let file = directory.file("a")
        #expect(throws: PosixError(operation: "open", subject: file, code: ENOTDIR)) {
            _ = try PathHandle.directory(file)
        }
        #expect(throws: PosixError(operation: "open", subject: "a\0b", code: EINVAL)) {
            _ = try PathHandle.directory("a\0b")
        }
    }

    @Test func `one read gives the beginning`() throws {
        _ = try Child.shell("printf abcdef >\(directory.file("a"))")
        #expect(try Files.readBeginning(directory.file("a"), bytes: 4) == Array("abcd".utf8))
        #expect(try Files.readBeginning(directory.file("a"), bytes: 9) == Array("abcdef".utf8))
    }
}
