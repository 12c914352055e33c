/// A token bucket: so many messages a second, and a burst on top of a quiet time.
package struct RateBucket: Hashable, Sendable {
    /// Messages that may still come now, in millionths.
    private var level: Int64
    private var filledAt: SteadyTime?

    private static let one: Int64 = 1_000_000

    package init() {
        level = 0
    }

    /// Takes one message out, or one that counts for several; nil if it may pass, else how long to
    /// wait.
    ///
    /// A rate or a burst of 0 lets everything pass. None counts for more than the whole burst.
    package mutating func take(
        _ count: Int64 = 1, perSec: Int64, burst: Int64, at now: SteadyTime
    ) -> Milliseconds? {
        guard perSec > 0, burst > 0 else { return nil }
        fill(perSec: perSec, full: Self.level(of: burst), at: now)
        let wanted = Self.level(of: min(count, burst))
        guard level >= wanted else {
            let micros = (wanted - level - 1) / perSec + 1
            return (micros + 999) / 1_000
        }
        level -= wanted
        return nil
    }

    /// How many messages would be let pass now; a rate or a burst of 0 lets everything pass.
    package func room(perSec: Int64, burst: Int64, at now: SteadyTime) -> Int64 {
        guard perSec > 0, burst > 0 else { return .max }
        return filled(perSec: perSec, burst: burst, at: now).level / Self.one
    }

    /// Whether nothing is missing in it, so that a new one would be the same.
    package func isFull(perSec: Int64, burst: Int64, at now: SteadyTime) -> Bool {
        guard perSec > 0, burst > 0 else { return true }
        return filled(perSec: perSec, burst: burst, at: now).level >= Self.level(of: burst)
    }

    private func filled(perSec: Int64, burst: Int64, at now: SteadyTime) -> RateBucket {
        var bucket = self
        bucket.fill(perSec: perSec, full: Self.level(of: burst), at: now)
        return bucket
    }

    private mutating func fill(perSec: Int64, full: Int64, at now: SteadyTime) {
        guard let filledAt else {
            self.filledAt = now
            level = full
            return
        }
        let micros = max(0, now.nanoseconds - filledAt.nanoseconds) / 1_000
        guard micros > 0 else {
            level = min(full, level)
            return
        }
        let (gain, overflow) = micros.multipliedReportingOverflow(by: perSec)
        let (sum, over) = level.addingReportingOverflow(gain)
        // What is left of the last microsecond is not used up.
        self.filledAt = SteadyTime(nanoseconds: filledAt.nanoseconds + micros * 1_000)
        level = overflow || over ? full : min(full, sum)
    }

    private static func level(of burst: Int64) -> Int64 {
        let (level, tooLarge) = burst.multipliedReportingOverflow(by: one)
        return tooLarge ? Int64.max : level
    }
}
