import Glibc

/// The system's clocks. See clock_gettime(2).
package enum Clock {
    /// Wall clock (UTC), CLOCK_MONOTONIC and CLOCK_BOOTTIME, which goes on while suspended.
    ///
    /// Three calls without a system call each; read once a turn.
    package static func now() -> (
        wallMilliseconds: Int64, monotonicNanoseconds: Int64, boottimeNanoseconds: Int64
    ) {
        let wall = read(CLOCK_REALTIME)
        return (
            wallMilliseconds: Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000,
            monotonicNanoseconds: monotonicNanoseconds(),
            boottimeNanoseconds: nanoseconds(read(CLOCK_BOOTTIME))
        )
    }

    /// CLOCK_MONOTONIC alone.
    package static func monotonicNanoseconds() -> Int64 {
        nanoseconds(read(CLOCK_MONOTONIC))
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        let result = unsafe clock_gettime(clock, &time)
        precondition(result == 0, "the clock is one that Linux has")
        return time
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
