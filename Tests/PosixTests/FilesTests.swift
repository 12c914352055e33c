import Glibc
import Posix
import TestSupport
import Testing

struct FilesTests {
    private let directory = TemporaryDirectory()

    private func write(_ text: String, to path: String) throws {
        let file = Descriptor(owning: unsafe creat(path, 0o640))
        let count = unsafe Glibc.write(file.raw, text, text.utf8.count)
        try #require(count == text.utf8.count)
    }

    @Test func `a file is read whole up to the limit and refused above it`() throws {
        let path = directory.file("a")
        try write("12345", to: path)
        #expect(try Files.readFile(path, maxBytes: 5) == Array("12345".utf8))
        #expect(throws: PosixError(operation: "read", subject: path, code: EFBIG)) {
            try Files.readFile(path, maxBytes: 4)
        }
        try write("", to: path)
        #expect(try Files.readFile(path, maxBytes: 0) == [])
    }

    @Test func `a file longer than one chunk is read whole`() throws {
        let path = directory.file("a")
        let text = String(repeating: "0123456789", count: 20_000)
        try write(text, to: path)
        #expect(try Files.readFile(path, maxBytes: 200_000) == Array(text.utf8))
    }

    @Test func `what cannot be read says why`() throws {
        let none = directory.file("none")
        #expect(throws: PosixError(operation: "open", subject: none, code: ENOENT)) {
            try Files.readFile(none, maxBytes: 10)
        }
        #expect(throws: PosixError(operation: "read", subject: directory.path, code: EISDIR)) {
            try Files.readFile(directory.path, maxBytes: 10)
        }
        #expect(throws: PosixError(operation: "open", subject: "/etc\0x", code: EINVAL)) {
            try Files.readFile("/etc\0x", maxBytes: 10)
        }
    }

    @Test func `a pipe and an endless device do not hold the reader up`() throws {
        let pipe = directory.file("pipe")
        unsafe mkfifo(pipe, 0o600)
        #expect(try Files.readFile(pipe, maxBytes: 10) == [])
        #expect(try Files.readFile("/dev/null", maxBytes: 10) == [])
        #expect(throws: PosixError(operation: "read", subject: "/dev/zero", code: EFBIG)) {
            try Files.readFile("/dev/zero", maxBytes: 100_000)
        }
    }

    @Test func `names come in byte order`() throws {
        for name in ["b", "B", "é", "a.conf", "10", "9", "z"] {
            try write("", to: directory.file(name))
        }
        #expect(
            try Files.directoryEntries(directory.path) == ["10", "9", "B", "a.conf", "b", "z", "é"])
        let none = directory.file("none")
        #expect(throws: PosixError(operation: "opendir", subject: none, code: ENOENT)) {
            try Files.directoryEntries(none)
        }
        #expect(throws: PosixError(operation: "opendir", subject: "/etc\0x", code: EINVAL)) {
            try Files.directoryEntries("/etc\0x")
        }
    }

    @Test func `directories are made with their mode, and again is fine`() throws {
        let path = directory.file("a//b/c/")
        try Files.makeDirectories(path)
        try Files.makeDirectories(path)
        try Files.makeDirectories("/")
        for name in ["a", "a/b", "a/b/c"] {
            let status = try Files.status(directory.file(name))
            #expect(status.kind == .directory)
            #expect(status.mode == 0o700)
        }
    }

    @Test func `a file in the way of directories is an error`() throws {
        try write("", to: directory.file("a"))
        let path = directory.file("a")
        #expect(throws: PosixError(operation: "mkdir", subject: path, code: EEXIST)) {
            try Files.makeDirectories(path)
        }
        #expect(throws: PosixError(operation: "mkdir", subject: path + "/b", code: ENOTDIR)) {
            try Files.makeDirectories(path + "/b")
        }
    }

    @Test func `the status tells a link from where it leads`() throws {
        let path = directory.file("file")
        try write("123", to: path)
        unsafe symlink("file", directory.file("link"))
        unsafe symlink("none", directory.file("broken"))
        let file = try Files.status(path)
        #expect(file.kind == .file)
        #expect(file.size == 3)
        #expect(file.mode == 0o640)
        #expect(file.uid == geteuid())
        #expect(try Files.status(directory.file("link")) == file)
        #expect(try Files.status(directory.file("link"), followsLink: false).kind == .symlink)
        #expect(try Files.statusIfPresent(directory.file("broken")) == nil)
        #expect(try Files.statusIfPresent(path + "/x") == nil)
        #expect(throws: PosixError(operation: "stat", subject: "/a\0b", code: EINVAL)) {
            try Files.statusIfPresent("/a\0b")
        }
        #expect(try Files.status("/dev/null").kind == .characterDevice)
        #expect(try Files.status(of: 0).inode != file.inode)
    }

    @Test func `files are renamed, changed and taken away`() throws {
        let (one, other) = (directory.file("one"), directory.file("other"))
        try write("1", to: one)
        try write("2", to: other)
        try Files.rename(one, to: other)
        #expect(try Files.readFile(other, maxBytes: 1) == Array("1".utf8))
        try Files.changeMode(other, to: 0o600)
        #expect(try Files.status(other).mode == 0o600)
        try Files.unlink(other)
        #expect(throws: PosixError(operation: "unlink", subject: other, code: ENOENT)) {
            try Files.unlink(other)
        }
        #expect(throws: PosixError(operation: "rename", subject: one, code: ENOENT)) {
            try Files.rename(one, to: other)
        }
        #expect(throws: PosixError(operation: "rename", subject: one, code: EINVAL)) {
            try Files.rename(one, to: other + "\0")
        }
    }

    @Test func `files and directories are synced`() throws {
        let path = directory.file("a")
        try write("1", to: path)
        let file = try Files.openForSync(path)
        try Files.fdatasync(file.raw)
        try Files.syncDirectory(directory.path)
        #expect(throws: PosixError(operation: "open", subject: path, code: ENOTDIR)) {
            try Files.syncDirectory(path)
        }
    }

    @Test(arguments: [
        ("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b", "a"), ("a//b//", "a"),
        ("//a", "/"), (".", "."),
    ])
    func `the directory of a path is found`(path: String, parent: String) {
        #expect(Files.parent(of: path) == parent)
    }
}
