/// A request as SPEC 3.2 tells its life, in milliseconds of the two steady clocks.
struct Waiting {
    /// What CLOCK_MONOTONIC and CLOCK_BOOTTIME said.
    struct Clocks {
        var monotonic: Int64
        var boottime: Int64
    }

    var token: Int
    var version: Int
    var asked: Clocks
    /// Since when it has been quiet.
    var quiet: Clocks
    var debounce: Int64
    var restarts: Bool
    var wasRestarted = false
    var confirms: Bool
    var pendingMax: Int64
    var confirmTimeout: Int64
    /// When `confirm` was asked.
    var confirm: Clocks?

    private func isStale(_ start: Clocks, _ span: Int64, _ now: Clocks) -> Bool {
        now.boottime - (start.boottime + span) > 5_000
    }

    /// What time does to it, in a word.
    func timePassed(_ now: Clocks, refusals: @autoclosure () -> [String]) -> String {
        if let confirm {
            if now.monotonic - confirm.monotonic < confirmTimeout { return "nothing" }
            return isStale(confirm, confirmTimeout, now) ? "stale" : "confirm_timeout"
        }
        let due = quiet.monotonic + debounce
        let lapse = asked.monotonic + pendingMax
        if wasRestarted, lapse < due { return now.monotonic >= lapse ? "stale" : "nothing" }
        if now.monotonic < due { return "nothing" }
        if isStale(quiet, debounce, now) { return "stale" }
        return rulesAgain(refusals()) ?? (confirms ? "confirm" : "granted")
    }

    /// What an answer to `confirm` does.
    func answered(
        _ isYes: Bool, _ now: Clocks, refusals: @autoclosure () -> [String]
    ) -> String {
        guard let confirm else { return "nothing" }
        if isStale(confirm, confirmTimeout, now) { return "stale" }
        if now.monotonic - confirm.monotonic >= confirmTimeout { return "confirm_timeout" }
        if !isYes { return "declined_by_app" }
        return rulesAgain(refusals()) ?? "granted"
    }

    private func rulesAgain(_ refusals: [String]) -> String? {
        if refusals.isEmpty { return nil }
        if refusals == ["no_agent"] { return "no_agent" }
        return "ineligible " + refusals.joined(separator: ",")
    }
}
