/// A token bucket: so many messages a second, and a burst on top of a quiet time.
package struct RateBucket: Hashable, Sendable {
    /// Messages that may still come now, in millionths.
    private var level: Int64
    private var filledAt: SteadyTime?

    package init() {
        level = 0
    }

    /// Takes one message out; nil if it may pass, else how long to wait.
    ///
    /// A rate or a burst of 0 lets everything pass.
    package mutating func take(perSec: Int64, burst: Int64, at now: SteadyTime) -> Milliseconds? {
        guard perSec > 0, burst > 0 else { return nil }
        let one: Int64 = 1_000_000
        let (capacity, tooLarge) = burst.multipliedReportingOverflow(by: one)
        let full = tooLarge ? Int64.max : capacity
        if let filledAt {
            let micros = max(0, now.nanoseconds - filledAt.nanoseconds) / 1_000
            let (gain, overflow) = micros.multipliedReportingOverflow(by: perSec)
            let (sum, over) = level.addingReportingOverflow(gain)
            // What is left of the last microsecond is not used up.
            self.filledAt = SteadyTime(nanoseconds: filledAt.nanoseconds + micros * 1_000)
            level = overflow || over ? full : min(full, sum)
        } else {
            filledAt = now
            level = full
        }
        guard level >= one else {
            let micros = (one - level - 1) / perSec + 1
            return (micros + 999) / 1_000
        }
        level -= one
        return nil
    }
}
