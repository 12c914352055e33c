import Posix
import RatingPolicy

extension Moment {
    /// The only place where the daemon reads clocks.
    static func now() -> Moment {
        let clocks = Clock.now()
        return Moment(
            wall: WallTime(milliseconds: clocks.wallMilliseconds),
            monotonic: SteadyTime(nanoseconds: clocks.monotonicNanoseconds),
            boottime: SteadyTime(nanoseconds: clocks.boottimeNanoseconds))
    }
}
