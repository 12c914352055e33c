internal import RatingWire

extension ControlFailure {
    /// What the error of an answer means for whoever ran the command.
    init(error: JSONValue) {
        let data = error["data"]
        let reason = data?["reason"]?.string ?? ""
        let message = error["message"]?.string ?? "the daemon answered with an error: \(error.line)"
        self.init(Self.code(reason), message, hint: Self.hint(reason, data))
    }

    private static func code(_ reason: String) -> ExitCode {
        switch reason {
        case "storage_unavailable", "rate_limited", "quota_exceeded", "shutting_down": .tryLater
        case "not_permitted": .notPermitted
        case "not_found", "conflict": .no
        case "internal_error": .internalError
        default: .badData
        }
    }

    private static func hint(_ reason: String, _ data: JSONValue?) -> String? {
        switch reason {
        case "storage_unavailable":
            (data?["detail"]?.string).map { "Detail: \($0). See 'ratingctl logs'." }
                ?? "See 'ratingctl logs'."
        case "rate_limited":
            (data?["retry_after_ms"]?.integer).map { "Try again in \(spanText($0))." }
        case "quota_exceeded":
            (data?["limit"]?.string).map {
                "The limit is \($0), at most \(data?.shown("max") ?? "-")."
            }
        case "conflict":
            (data?["outcome"]?.string).map { "The outcome that stands is '\($0)'." }
        case "method_not_found":
            "The daemon may be older than this ratingctl; see 'ratingctl stats'."
        case "not_permitted":
            (data?["identity"]).map { "The daemon takes you for: \($0.shown)." }
        default:
            nil
        }
    }
}
