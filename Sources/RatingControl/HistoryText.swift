internal import RatingPolicy
internal import RatingWire

/// The answer to `history` for people.
enum HistoryText {
    static func answer(_ history: JSONValue, _ now: WallTime) -> Answer {
        let grants = history["grants"]?.array ?? []
        guard !grants.isEmpty else {
            return Answer([], notes: ["no prompt was granted"])
        }
        var table = Table([
            ("GRANTED", .left), ("VERSION", .left), ("OUTCOME", .left), ("REPORTED", .left),
            ("TOKEN", .left),
        ])
        for grant in grants {
            table.append([
                (grant["granted_at"]?.string).map { UTCTime.text($0, now: now) } ?? "-",
                grant.shown("version"), grant.shown("outcome"), grant.shown("outcome_at"),
                grant.shown("token"),
            ])
        }
        return Answer(table.lines, isLong: true)
    }
}

/// The rows of `apps` for people.
enum AppsText {
    static func answer(_ apps: [JSONValue], _ now: WallTime) -> Answer {
        guard !apps.isEmpty else { return Answer([], notes: ["no app was seen yet"]) }
        var table = Table([
            ("APP", .left), ("SESSIONS", .right), ("EVENTS", .right), ("PROMPTS", .right),
            ("LAST SEEN", .left),
        ])
        for app in apps {
            table.append([
                app.shown("app"), app.shown("sessions"), app.shown("events"),
                app.shown("prompts_in_window"),
                (app["last_seen"]?.string).map { UTCTime.text($0, now: now) } ?? "-",
            ])
        }
        return Answer(table.lines, isLong: true)
    }
}

/// The answer to `report` for people.
enum ReportText {
    static func answer(_ report: JSONValue, _ now: WallTime) -> Answer {
        var fields = Fields()
        fields.append("Requests", report.shown("requests"))
        fields.append("Refused", report.shown("refused_total") + counts("refused", report))
        fields.append("Pending", report.shown("pending") + " (became pending)")
        fields.append("Cancelled", total("cancelled", report) + counts("cancelled", report))
        fields.append("Granted", report.shown("granted"))
        fields.append("Outcomes", total("outcomes", report) + counts("outcomes", report))
        fields.append("Manual reviews", report.shown("manual_reviews"))
        return Answer(fields.lines)
    }

    private static func total(_ name: String, _ report: JSONValue) -> String {
        let counts = (report[name]?.members ?? []).compactMap(\.value.integer)
        return String(counts.reduce(0, &+))
    }

    private static func counts(_ name: String, _ report: JSONValue) -> String {
        guard let members = report[name]?.members, !members.isEmpty else { return "" }
        return " (\(report.shown(name)))"
    }
}
