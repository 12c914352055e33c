import RatingPolicy

/// When a store is tried again that cannot be used and holds what is not on disk yet, though nobody
/// asks for anything (SPEC, P3).
///
/// First when its sync would have been due, then after twice the time before, up to `pauseMax`.
struct RecoveryPace {
    /// With `SyncSec=0` a disk that fails would have no rest.
    static let pauseMin: Milliseconds = 1_000
    /// The longest `SyncSec`: nobody counts on less, and one wake-up a minute costs next to nothing.
    static let pauseMax: Milliseconds = DaemonSettings.syncSecRange.upperBound * .second

    /// When the next try is due; nil if none is needed.
    private(set) var due: SteadyTime?
    private var pause: Milliseconds?

    /// The store cannot be used since now, or still not.
    mutating func failed(at now: SteadyTime, syncSec: Int64) {
        let wanted = pause.map { 2 * $0 } ?? syncSec * .second
        let pause = min(max(wanted, Self.pauseMin), Self.pauseMax)
        self.pause = pause
        due = now.adding(pause)
    }

    /// Nothing waits any more.
    mutating func settled() {
        due = nil
        pause = nil
    }
}
