/// A moment that is waited for on CLOCK_MONOTONIC, with what CLOCK_BOOTTIME should say then.
package struct Deadline: Hashable, Sendable {
    package var monotonic: SteadyTime
    package var boottime: SteadyTime

    /// How late CLOCK_BOOTTIME may show a deadline before what waited for it is stale (SPEC 3.2).
    package static let latenessMax: Milliseconds = 5_000

    package init(after span: Milliseconds, from now: Moment) {
        monotonic = now.monotonic.adding(span)
        boottime = now.boottime.adding(span)
    }

    package func isDue(at now: Moment) -> Bool {
        monotonic <= now.monotonic
    }

    /// True if the machine slept, or the process was stopped, past this deadline.
    package func isMissed(at now: Moment) -> Bool {
        now.boottime > boottime.adding(Self.latenessMax)
    }
}
