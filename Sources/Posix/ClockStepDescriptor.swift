import CLinux
import Glibc

/// Becomes readable when the wall clock is stepped, and never wakes otherwise. See
/// timerfd_create(2), TFD_TIMER_CANCEL_ON_SET.
package struct ClockStepDescriptor: ~Copyable {
    private let descriptor: Descriptor

    /// What to watch: readable after a step.
    package var raw: Int32 { descriptor.raw }

    package init() throws(PosixError) {
        descriptor = try makeTimer(CLOCK_REALTIME)
        arm()
    }

    /// Makes it unreadable again and waits for the next step; true if there was one.
    @discardableResult
    package borrowing func drain() -> Bool {
        var count: UInt64 = 0
        let result = unsafe read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
        let wasStepped = result == -1 && errno == ECANCELED
        arm()
        return wasStepped
    }

    private borrowing func arm() {
        // As far away as a time can be. ECANCELED says that the clock was stepped just now; the
        // timer is armed all the same.
        let flag = Int32(TFD_TIMER_CANCEL_ON_SET)
        let result = clinux_arm_timer(descriptor.raw, .max, 0, flag)
        precondition(result == 0 || errno == ECANCELED, "a timer takes the farthest time")
    }
}
