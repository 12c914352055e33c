internal import RatingPolicy
internal import RatingWire

/// `status` without an app.
enum OverviewText {
    static func answer(
        _ stats: JSONValue, _ statuses: [JSONValue], hasMore: Bool, _ now: WallTime
    ) -> Answer {
        var fields = Fields()
        for member in stats.members ?? [] where member.value.isPlain {
            fields.append(safe(member.name), member.value.shown)
        }
        var lines = fields.lines
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
}

extension JSONValue {
    /// Whether this is neither an array nor an object.
    var isPlain: Bool { array == nil && members == nil }
}
