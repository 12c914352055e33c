internal import RatingPolicy

/// The text of an app's event counts in the store: one `COUNT NAME` a line, in the order of the
/// names' bytes; names hold no line feeds.
enum EventsText {
    static func text(of events: [EventName: Count]) -> String {
        if events.count == 1, let (name, count) = events.first {
            return String(count.value) + " " + name.string
        }
        var text = ""
        for (name, count) in events.sorted(by: { $0.key < $1.key }) {
            if !text.isEmpty { text += "\n" }
            text += "\(count.value) "
            text += name.string
        }
        return text
    }

    /// Nil if this is not such a text.
    static func events(from text: String) -> [EventName: Count]? {
        var events: [EventName: Count] = [:]
        guard !text.isEmpty else { return events }
        // By bytes: Swift takes a space with a combining mark behind it for one character.
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")),
                let value = Int64(String(decoding: line[..<space], as: UTF8.self)),
                let name = EventName(
                    String(decoding: line[line.index(after: space)...], as: UTF8.self)),
                value >= 0, events.updateValue(Count(value), forKey: name) == nil
            else { return nil }
        }
        return events
    }
}
