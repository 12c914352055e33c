internal import RatingPolicy
internal import RatingWire

/// What happens to an app's own messages, for people.
enum PlayText {
    static func session(_ value: JSONValue, app: String, _ now: WallTime) -> Answer {
        let sessions = value.shown("sessions")
        let first = (value["first_seen"]?.string).map { UTCTime.text($0, now: now) } ?? "-"
        return Answer(
            value["counted"]?.bool == true
                ? "\(safe(app)): session \(sessions), first seen \(first)"
                : "\(safe(app)): still session \(sessions) (too soon after the last message), "
                    + "first seen \(first)")
    }

    static func event(_ value: JSONValue, app: String, name: String) -> Answer {
        Answer(
            "\(safe(app)): '\(safe(name))' \(value.shown("name_total")), "
                + "all events \(value.shown("events"))")
    }

    static func activity(_ value: JSONValue) -> Answer {
        if value["cancelled"]?.bool == true { return Answer("The waiting request was cancelled.") }
        if value["restarted"]?.bool == true {
            return Answer("The quiet time of the waiting request starts again.")
        }
        return Answer("No request was waiting.", .no)
    }

    /// The answer to `request`.
    static func decision(_ value: JSONValue, _ now: WallTime) -> Answer {
        if value["decision"]?.string == "pending" {
            let span = value["fires_in_ms"]?.integer.map(spanText) ?? "-"
            return Answer("Pending: due after \(span) of quiet, token \(value.shown("token"))")
        }
        let reasons = value.strings("reasons")
        let next =
            (value["next_eligible"]?.string).map {
                "Next possible: \(UTCTime.text($0, now: now)) if nothing else changes"
            } ?? "Waiting alone will not help."
        return Answer(
            ["Refused: \(safe(reasons.joined(separator: ", ")))"]
                + reasons.map { "  \(safe($0)): \(ReasonText.rule($0))" } + [next], .no)
    }

    /// How a pending request ended; nil if the notification says something else.
    static func end(_ method: String, _ params: JSONValue) -> Answer? {
        let token = params.shown("token")
        switch method {
        case "prompt":
            let debug = params["debug"]?.bool == true ? " (debug: nothing is counted)" : ""
            let count = "\(params.shown("prompts_in_window")) of \(params.shown("cap"))"
            return Answer([
                "Prompt now: \(params.shown("app")) \(params.shown("version"))\(debug)",
                "  \(count) in 365 days; review at \(params.shown("review_url"))",
                "  Report it: ratingctl outcome \(token) "
                    + Outcome.allCases.map(\.rawValue).joined(separator: "|"),
            ])
        case "granted":
            return Answer("Granted: the desktop's agent shows the prompt, token \(token)")
        case "cancelled":
            return cancelled(params)
        default:
            return nil
        }
    }

    private static func cancelled(_ params: JSONValue) -> Answer {
        let reason = params["reason"]?.string ?? "-"
        let code: ExitCode =
            reason == "storage_unavailable" || reason == "shutting_down" ? .tryLater : .no
        return Answer(
            ["Cancelled: \(safe(reason)), \(ReasonText.cancellation(reason))"]
                + params.strings("reasons").map { "  \(safe($0)): \(ReasonText.rule($0))" }, code)
    }
}
