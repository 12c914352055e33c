/// Text of a client as it may stand in a message: short, and nothing a terminal would obey.
enum ClientText {
    /// The most bytes of client text in a message.
    static let bytesMax = 64
    /// The most bytes of a member name in `data.field`.
    static let fieldBytesMax = 255

    /// In single quotes, cut, with control characters and their like as `\u{1B}`.
    static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in cut(text, to: bytesMax).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }

    /// The text as it is, or its first bytes (whole scalars) with an ellipsis.
    static func cut(_ text: String, to bytes: Int = fieldBytesMax) -> String {
        guard text.utf8.count > bytes else { return text }
        let utf8 = text.utf8
        var end = utf8.index(utf8.startIndex, offsetBy: bytes)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(text.unicodeScalars[..<end]) + "…"
    }
}
