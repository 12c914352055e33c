internal import RatingWire

/// One line for each thing that subscribers are told.
enum WatchText {
    /// Nil if the notification is none of these.
    static func line(_ method: String, _ params: JSONValue) -> String? {
        let start = { (what: String) in
            "\(params["time"]?.string.map(safe) ?? "-")  \(column(what))  \(params.shown("app"))"
        }
        switch method {
        case "decision":
            let reason = params["reason"]?.string.map { [$0] } ?? []
            let reasons = safe((reason + params.strings("reasons")).joined(separator: ", "))
            let version = params["version"]?.string.map(safe)
            let token = params["token"]?.string.map(safe)
            let rest = [version, reasons.isEmpty ? nil : reasons, token].compactMap(\.self)
            return ([start(params.shown("decision"))] + rest).joined(separator: "  ")
        case "counter":
            let name = params["name"]?.string.map { " (\(safe($0)))" } ?? ""
            return start(params.shown("counter")) + "  \(params.shown("value"))\(name)"
        default:
            return nil
        }
    }

    private static func column(_ text: String) -> String {
        text + String(repeating: " ", count: max(0, 9 - text.count))
    }
}
