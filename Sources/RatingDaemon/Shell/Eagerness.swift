/// Whether the loop, before it sleeps, looks for a moment whether the next message comes.
///
/// To sleep and to be woken takes each of two who talk without a pause longer than what they say to
/// each other: half of the time until an answer is there. So who was waited for a moment only is
/// looked out for; but nobody else, and no longer than it would have taken, and none who is over
/// its rate, so that nobody can keep the daemon busy.
struct Eagerness {
    /// How long the loop looks at most, in nanoseconds.
    static let lookMax: Int64 = 50_000
    /// A wait of less shows somebody who talks without a pause, in nanoseconds; waking up, which
    /// can take as long as a look, is in it.
    static let pauseMax: Int64 = 80_000

    private var wasShort = false

    /// `accepted`: whether the turn that is over had a message within its rates.
    func isEager(after accepted: Bool) -> Bool { wasShort && accepted }

    /// The loop has waited for so long until there was something to do.
    mutating func waited(nanoseconds: Int64) {
        wasShort = nanoseconds < Self.pauseMax
    }
}
