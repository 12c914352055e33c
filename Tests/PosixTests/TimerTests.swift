import Glibc
import Posix
import Testing

struct TimerTests {
    /// Whether a descriptor becomes readable within this time.
    private func isReadable(_ fd: Int32, within milliseconds: Int32) throws -> Bool {
        try SocketIO.wait(fd, timeoutMilliseconds: milliseconds)
    }

    @Test func `a deadline in the past is due at once`() throws {
        let timer = try TimerDescriptor()
        for due in [Clock.now().monotonicNanoseconds - 1, 1, 0, -5, .min] {
            timer.arm(at: due)
            #expect(try isReadable(timer.raw, within: 5000))
            let wasDue = timer.drain()
            #expect(wasDue)
            #expect(try !isReadable(timer.raw, within: 0))
        }
    }

    @Test func `a deadline to come is not reached before its time`() throws {
        let timer = try TimerDescriptor()
        let due = Clock.now().monotonicNanoseconds + 20_000_000
        timer.arm(at: due)
        let wasDue = timer.drain()
        #expect(!wasDue)
        #expect(try isReadable(timer.raw, within: 5000))
        #expect(Clock.now().monotonicNanoseconds >= due)
    }

    @Test func `a deadline thirty days away and the last of all do not overflow`() throws {
        let timer = try TimerDescriptor()
        for due in [Clock.now().monotonicNanoseconds + 30 * 86_400 * 1_000_000_000, .max] {
            timer.arm(at: due)
            #expect(try !isReadable(timer.raw, within: 2))
        }
    }

    @Test func `a deadline taken back does not come`() throws {
        let timer = try TimerDescriptor()
        timer.arm(at: 1)
        timer.disarm()
        #expect(try !isReadable(timer.raw, within: 0))
    }

    @Test func `without a clock step its descriptor stays quiet`() throws {
        let steps = try ClockStepDescriptor()
        #expect(try !isReadable(steps.raw, within: 2))
        let wasStepped = steps.drain()
        #expect(!wasStepped)
        #expect(try !isReadable(steps.raw, within: 0))
    }

    @Test func `the clocks go forward and agree with the C library`() {
        let before = Clock.now()
        let after = Clock.now()
        #expect(after.monotonicNanoseconds >= before.monotonicNanoseconds)
        #expect(after.boottimeNanoseconds >= before.boottimeNanoseconds)
        #expect(after.boottimeNanoseconds >= before.monotonicNanoseconds)
        #expect(abs(before.wallMilliseconds - Int64(time(nil)) * 1000) < 60_000)
    }
}
