import CLinux
import Glibc

/// One deadline on CLOCK_MONOTONIC as a descriptor. See timerfd_create(2).
package struct TimerDescriptor: ~Copyable {
    private let descriptor: Descriptor

    /// What to watch: readable from the deadline on.
    package var raw: Int32 { descriptor.raw }

    package init() throws(PosixError) {
        descriptor = try makeTimer(CLOCK_MONOTONIC)
    }

    /// Sets the deadline, in nanoseconds of CLOCK_MONOTONIC; one in the past is due at once.
    package borrowing func arm(at nanoseconds: Int64) {
        // Zero would disarm, and a negative time is refused: both were over long ago.
        let due = max(nanoseconds, 1)
        set(seconds: due / 1_000_000_000, nanoseconds: due % 1_000_000_000)
    }

    /// Takes the deadline back.
    package borrowing func disarm() {
        set(seconds: 0, nanoseconds: 0)
    }

    /// Makes it unreadable after the deadline; true if the deadline was reached.
    @discardableResult
    package borrowing func drain() -> Bool {
        drainCounter(descriptor.raw)
    }

    private borrowing func set(seconds: Int64, nanoseconds: Int64) {
        let result = clinux_arm_timer(descriptor.raw, seconds, nanoseconds, 0)
        precondition(result == 0, "a timer takes every time that is not negative")
    }
}

/// A nonblocking timer on this clock.
func makeTimer(_ clock: clockid_t) throws(PosixError) -> Descriptor {
    let flags = Int32(TFD_NONBLOCK | TFD_CLOEXEC)
    return Descriptor(owning: try check("timerfd_create") { timerfd_create(clock, flags) })
}

/// Reads the eight bytes of an eventfd or timerfd; false if nothing waited (or, on a clock step,
/// ECANCELED did).
func drainCounter(_ descriptor: Int32) -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) == 8
}
