internal import Posix

/// How long one waits for a server from now on.
struct Patience {
    let seconds: Double
    private let end: Int64

    init(seconds: Double) {
        self.seconds = seconds
        end = Clock.monotonicNanoseconds() + Int64(seconds * 1e9)
    }

    /// What is left of it, rounded up; 0 if it is over.
    var millisecondsLeft: Int64 {
        max(0, (end - Clock.monotonicNanoseconds() + 999_999) / 1_000_000)
    }
}
