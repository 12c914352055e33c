import Glibc
import Posix
import Testing

struct SignalDescriptorTests {
    @Test func `signals are read in place of being handled`() throws {
        // To this thread alone, and a signal that would end the process if it were not blocked.
        let signals = try SignalDescriptor(blocking: [SIGUSR1, SIGUSR2])
        let none = signals.next()
        #expect(none == nil)
        pthread_kill(pthread_self(), SIGUSR2)
        #expect(try SocketIO.wait(signals.raw, timeoutMilliseconds: 0))
        let came = signals.next()
        #expect(came == SIGUSR2)
        let more = signals.next()
        #expect(more == nil)
    }

    @Test func `a number that is no signal is refused`() {
        #expect(throws: PosixError(operation: "signalfd", code: EINVAL)) {
            _ = try SignalDescriptor(blocking: [9999])
        }
    }
}
