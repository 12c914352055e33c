internal import RatingPolicy
internal import RatingWire

/// `status` without an app.
enum OverviewText {
    static func answer(
        path: String, _ stats: JSONValue, _ statuses: [JSONValue], hasMore: Bool, _ now: WallTime
    ) -> Answer {
        var lines = daemon(path, stats).lines
        var notes: [String] = []
        if statuses.isEmpty {
            notes = ["no app was seen yet"]
        } else {
            var table = Table(StatusText.rowColumns)
            for status in statuses { table.append(StatusText(status, now).row) }
            lines += [""] + table.lines
        }
        if hasMore { notes.append("there are more apps: see 'ratingctl apps'") }
        return Answer(lines, notes: notes, isLong: true)
    }

    /// The daemon alone.
    static func daemon(_ path: String, _ stats: JSONValue) -> Fields {
        var fields = Fields()
        fields.append("Daemon", (stats["server"]?.string).map(safe) ?? "ratingd")
        fields.append("Socket", safe(path))
        fields.append(
            "Connections",
            "\(stats.shown("connections")), \(stats.shown("subscriptions")) of them subscribed")
        if let problem = stats["unavailable"]?.string {
            fields.append("State", StatusText.unusable(problem))
        }
        fields.append("Pending", stats.shown("pending"))
        fields.append("Granted", "\(stats.shown("grants")) since the daemon was started")
        if let bytes = stats["memory_bytes"]?.integer {
            let tenths = bytes / 104_858
            fields.append("Memory", "\(tenths / 10).\(tenths % 10) MiB")
        }
        return fields
    }
}
