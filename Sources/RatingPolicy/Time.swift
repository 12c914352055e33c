/// A point of civil time, in whole milliseconds since 1970-01-01T00:00:00Z.
package struct WallTime: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: WallTime, right: WallTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// This time moved by a span; stops at the ends of the range instead of overflowing.
    package func adding(_ span: Milliseconds) -> WallTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(span)
        guard overflow else { return WallTime(milliseconds: sum) }
        return WallTime(milliseconds: span > 0 ? .max : .min)
    }

    /// The span from an earlier time to this one; stops at the ends of the range.
    package func since(_ earlier: WallTime) -> Milliseconds {
        let (span, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard overflow else { return span }
        return self > earlier ? .max : .min
    }

    /// The number of the UTC day this time lies in, day 0 being 1970-01-01.
    package var day: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: .day)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// A span of time in milliseconds.
package typealias Milliseconds = Int64

extension Milliseconds {
    package static var second: Milliseconds { 1_000 }
    package static var day: Milliseconds { 86_400 * second }
    /// The window of the annual caps: 365 days of 86,400 s (SPEC, "Words").
    package static var window: Milliseconds { 365 * day }
}

/// A point on a clock that never steps, in nanoseconds; CLOCK_MONOTONIC or CLOCK_BOOTTIME.
package struct SteadyTime: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: SteadyTime, right: SteadyTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package func adding(_ span: Milliseconds) -> SteadyTime {
        let (product, tooLong) = span.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = nanoseconds.addingReportingOverflow(tooLong ? .max : product)
        return SteadyTime(nanoseconds: overflow ? .max : sum)
    }

    /// The whole milliseconds from now until this time, rounded up; 0 if it has passed.
    package func millisecondsLeft(from now: SteadyTime) -> Milliseconds {
        guard self > now else { return 0 }
        let (span, overflow) = nanoseconds.subtractingReportingOverflow(now.nanoseconds)
        return overflow ? .max : (span - 1) / 1_000_000 + 1
    }
}

/// What all clocks say at the start of a loop turn; from there on time is only passed along.
package struct Moment: Hashable, Sendable {
    package var wall: WallTime
    package var monotonic: SteadyTime
    package var boottime: SteadyTime

    package init(wall: WallTime, monotonic: SteadyTime, boottime: SteadyTime) {
        self.wall = wall
        self.monotonic = monotonic
        self.boottime = boottime
    }
}
