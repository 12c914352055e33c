import Glibc
import Posix
import TestSupport
import Testing

struct LockFileTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.file("a.lock") }

    private func isFree(_ path: String) throws -> Bool {
        let lock = try LockFile.acquire(path)
        return lock != nil
    }

    @Test func `what is held is not had twice, and is free when its holder goes`() throws {
        do {
            let lock = try LockFile.acquire(path)
            let isHeld = lock != nil
            #expect(isHeld)
            #expect(try !isFree(path))
        }
        #expect(try isFree(path))
        #expect(try Files.status(path).mode == 0o600)
    }

    @Test func `a link or a pipe in its place is an error and stays`() throws {
        unsafe symlink("elsewhere", directory.file("link"))
        unsafe mkfifo(directory.file("pipe"), 0o600)
        let link = directory.file("link")
        #expect(throws: PosixError(operation: "open", subject: link, code: ELOOP)) {
            try isFree(link)
        }
        let pipe = directory.file("pipe")
        #expect(throws: PosixError(operation: "lock", subject: pipe, code: EINVAL)) {
            try isFree(pipe)
        }
        #expect(try Files.directoryEntries(directory.path) == ["link", "pipe"])
    }
}
