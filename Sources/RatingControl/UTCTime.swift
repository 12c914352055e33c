internal import RatingPolicy
internal import RatingWire

/// Times as people read them, in UTC.
enum UTCTime {
    /// A day or a time as people type it; nil if it is neither.
    static func typed(_ text: String) -> WallTime? {
        WallTime(rfc3339: text) ?? WallTime(rfc3339: text + "T00:00:00Z")
    }

    /// `2026-11-30 05:09:02Z`; what is no time comes as it is, made safe.
    static func text(_ wire: String) -> String {
        guard let time = WallTime(rfc3339: wire) else { return safe(wire) }
        let text = time.rfc3339
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
    }

    /// The same with how far away that is: `… (in 6 d 23 h)`, `… (2 min ago)`.
    static func text(_ wire: String, now: WallTime) -> String {
        guard let time = WallTime(rfc3339: wire) else { return safe(wire) }
        let span = time.since(now)
        let distance =
            abs(span) < .second
            ? "now" : span > 0 ? "in \(spanText(span))" : "\(spanText(span)) ago"
        return "\(text(wire)) (\(distance))"
    }
}
