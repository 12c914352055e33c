internal import RatingPolicy

/// The text of an app's event counts in the store: one `COUNT NAME` a line, in the order of the
/// names' bytes; names hold no line feeds.
enum EventsText {
    static func text(of events: EventCounts) -> String {
        var text = ""
        for entry in events.entries {
            if !text.isEmpty { text += "\n" }
            text += String(entry.count.value)
            text += " "
            text += entry.name.string
        }
        return text
    }

    /// Nil if this is not such a text.
    static func events(from text: String) -> EventCounts? {
        var events = EventCounts()
        guard !text.isEmpty else { return events }
        // By bytes: Swift takes a space with a combining mark behind it for one character.
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")),
                let value = Int64(String(decoding: line[..<space], as: UTF8.self)),
                let name = EventName(
                    String(decoding: line[line.index(after: space)...], as: UTF8.self)),
                value >= 0, events[name] == nil
            else { return nil }
            events[name] = Count(value)
        }
        return events
    }
}
