import Glibc
import Testing

@testable import Posix

struct SocketPathTests {
    private let uid = OwnProcess.effectiveUserID

    @Test func `the runtime directory says where`() throws {
        let directory = try OwnDirectory()
        let expected = directory.path + "/ratingd/ratingd.sock"
        for written in [directory.path, directory.path + "/"] {
            let path = try SocketPath.user(runtimeDirectory: written, uid: uid)
            #expect(path == SocketPath(string: expected, isFallback: false))
            #expect(path.warning == nil)
        }
    }

    @Test func `a runtime directory that is not there yet is fine`() throws {
        let path = try SocketPath.user(runtimeDirectory: "/nowhere/at/all", uid: uid)
        #expect(path.string == "/nowhere/at/all/ratingd/ratingd.sock")
    }

    @Test(arguments: [nil, "", "run/user/1000"])
    func `without an absolute one there is a fallback and a warning`(written: String?) throws {
        let temporary = try OwnDirectory()
        let path = try SocketPath.user(
            runtimeDirectory: written, uid: uid, temporaryDirectory: temporary.path)
        #expect(path.string == "\(temporary.path)/ratingd-\(uid)/ratingd.sock")
        #expect(path.isFallback)
        #expect(path.warning?.contains(path.string) == true)
    }

    @Test func `a runtime directory of someone else is refused`() throws {
        let directory = try OwnDirectory()
        let error = SocketPathError.foreignDirectory(
            path: directory.path, owner: uid, uid: uid + 1)
        #expect(throws: error) {
            try SocketPath.user(runtimeDirectory: directory.path, uid: uid + 1)
        }
        #expect(error.description.contains("uid \(uid) and not to uid \(uid + 1)"))
    }

    @Test func `a file is no runtime directory`() throws {
        #expect(throws: SocketPathError.notADirectory(path: "/proc/version", kind: .file)) {
            try SocketPath.user(runtimeDirectory: "/proc/version", uid: uid)
        }
    }

    @Test func `a fallback directory must be this user's alone`() throws {
        let temporary = try OwnDirectory()
        let directory = "\(temporary.path)/ratingd-\(uid)"
        func fallback() throws -> SocketPath {
            try SocketPath.user(
                runtimeDirectory: nil, uid: uid, temporaryDirectory: temporary.path)
        }
        try Files.makeDirectories(directory)
        #expect(try fallback().isFallback)
        for mode: UInt32 in [0o701, 0o710, 0o770, 0o755] {
            try Files.changeMode(directory, to: mode)
            #expect(throws: SocketPathError.notPrivate(path: directory, mode: mode)) {
                try fallback()
            }
        }
    }

    @Test func `a link in place of the fallback directory is refused`() throws {
        let temporary = try OwnDirectory()
        let directory = "\(temporary.path)/ratingd-\(uid)"
        let linked = unsafe symlink(temporary.path, directory)
        try #require(linked == 0)
        #expect(throws: SocketPathError.notADirectory(path: directory, kind: .symlink)) {
            try SocketPath.user(
                runtimeDirectory: nil, uid: uid, temporaryDirectory: temporary.path)
        }
    }
}

/// A directory of mode 0700 that goes with its owner.
private final class OwnDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/socket-path-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template) != nil
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in (try? Files.directoryEntries(path)) ?? [] {
            _ = unsafe rmdir(path + "/" + name)
            _ = unsafe unlink(path + "/" + name)
        }
        _ = unsafe rmdir(path)
    }
}
