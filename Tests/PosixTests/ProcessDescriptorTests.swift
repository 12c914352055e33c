import Glibc
import Posix
import TestSupport
import Testing

struct ProcessDescriptorTests {
    @Test func `this process is at the other end of its own pair`() throws {
        let pair = try SocketPair()
        let process = try ProcessDescriptor.peer(of: pair.one.raw)
        #expect(try process.number() == getpid())
        #expect(try !process.hasEnded())
        #expect(try ProcessDescriptor.kernelTellsPeers())
    }

    @Test func `a process keeps its number until it is waited for, then has none`() throws {
        var pid: pid_t = 0
        var arguments = unsafe [strdup("sleep"), strdup("60"), nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        try #require(unsafe posix_spawn(&pid, "/bin/sleep", nil, nil, &arguments, nil) == 0)
        let process = try ProcessDescriptor.open(number: pid)
        #expect(try process.number() == pid)
        #expect(try !process.hasEnded())
        kill(pid, SIGKILL)
        while try !process.hasEnded() { usleep(1000) }
        #expect(try process.number() == pid)
        waitpid(pid, nil, 0)
        #expect(try process.number() == -1)
        #expect(try process.hasEnded())
        #expect(throws: PosixError(operation: "pidfd_open", subject: "\(pid)", code: ESRCH)) {
            _ = try ProcessDescriptor.open(number: pid)
        }
    }

    @Test func `what is no socket has no peer`() throws {
        let event = try EventDescriptor()
        #expect(
            throws: PosixError(operation: "getsockopt", subject: "SO_PEERPIDFD", code: ENOTSOCK)
        ) {
            _ = try ProcessDescriptor.peer(of: event.raw)
        }
    }
}
