package import RatingWire

extension ControlFailure {
    /// What the error of an answer means for whoever ran the command.
    package init(error: JSONValue) {
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
            "'ratingctl logs' says since when."
        case "quota_exceeded":
            "The limits are in ratingd.conf(5); 'ratingctl stats' shows those in force, and "
                + "'ratingctl forget' makes room for apps."
        case "method_not_found":
            "A daemon of another version may know it."
        case "not_permitted" where data?["identity"]?["verified"]?.bool == true:
            data?["identity"].map { "The daemon takes you for a sandboxed app (\($0.shown))." }
        default:
            nil
        }
    }
}
