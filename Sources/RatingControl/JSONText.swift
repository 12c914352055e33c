internal import Posix
internal import RatingWire

extension JSONValue {
    /// The value as one line of JSON.
    ///
    /// What a terminal would obey or a reader could mistake (control characters, format controls,
    /// separators) is written as `\uXXXX`, which says the same in JSON.
    var line: String { escaped(text(.short)) }

    /// The value as lines of JSON with two spaces a level.
    var prettyLines: [String] { text(.pretty).split(separator: "\n").map { escaped($0) } }
}

/// JSON text with nothing in it that a terminal would obey.
///
/// Outside of strings JSON is ASCII, so whatever is escaped stands in a string.
private func escaped(_ json: some StringProtocol) -> String {
    var text = ""
    for scalar in json.unicodeScalars {
        let isPlain = (0x20..<0x7F).contains(scalar.value)
        if isPlain || escapedForLog(String(scalar), maxBytes: 16) == String(scalar) {
            text.unicodeScalars.append(scalar)
        } else {
            for unit in String(scalar).utf16 { text += escape(unit) }
        }
    }
    return text
}

private func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
}
