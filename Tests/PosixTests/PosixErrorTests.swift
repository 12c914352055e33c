import Glibc
import Posix
import Testing

struct PosixErrorTests {
    @Test func `its text says what failed, on what and why`() {
        let error = PosixError(operation: "open", subject: "/a b", code: EACCES)
        #expect(error.description == "open '/a b' failed: Permission denied")
        let noSubject = PosixError(operation: "epoll_wait", code: EBADF)
        #expect(noSubject.description == "epoll_wait failed: Bad file descriptor")
    }

    @Test func `a path cannot forge a second line`() {
        let error = PosixError(operation: "open", subject: "a\nb\u{1B}", code: ENOENT)
        #expect(error.description == #"open 'a\x0ab\x1b' failed: No such file or directory"#)
    }

    @Test func `a number that no error has is shown as it is`() {
        #expect(PosixError(operation: "x", code: 9999).reason == "error 9999")
    }
}
