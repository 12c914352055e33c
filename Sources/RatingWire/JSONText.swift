import RatingPolicy

/// JSON text, appended to bytes that will be sent.
extension [UInt8] {
    mutating func append(_ flag: Bool) {
        append(raw: flag ? "true" : "false")
    }

    /// An integer in decimal digits.
    mutating func append(decimal number: Int64) {
        append(addingCapacity: OutputSpan<UInt8>.decimalBytesMax) { $0.append(decimal: number) }
    }

    /// A string with its quotes and whatever escapes it needs.
    mutating func append(string text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(escaping: byte) }
        append(UInt8(ascii: "\""))
    }

    /// A string known to need no escapes, such as an app id.
    mutating func append(plain text: String) {
        append(UInt8(ascii: "\""))
        append(contentsOf: text.utf8)
        append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(raw: "\\\"")
        case UInt8(ascii: "\\"): append(raw: "\\\\")
        case 0x08: append(raw: "\\b")
        case 0x09: append(raw: "\\t")
        case 0x0A: append(raw: "\\n")
        case 0x0C: append(raw: "\\f")
        case 0x0D: append(raw: "\\r")
        case 0x00..<0x20:
            append(raw: byte < 16 ? "\\u000" : "\\u001")
            append(hex: byte & 15)
        default: append(byte)
        }
    }

    private mutating func append(hex digit: UInt8) {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    /// A time as RFC 3339 text, without quotes.
    mutating func append(rfc3339 time: WallTime) {
        let range = WallTime.rfc3339Range
        let time = Swift.min(Swift.max(time, range.lowerBound), range.upperBound)
        let date = CivilDay(number: time.day)
        let rest = time.milliseconds - time.day * .day
        var text = TimeText()
        text.put(date.year, digits: 4, before: "-")
        text.put(date.month, digits: 2, before: "-")
        text.put(date.day, digits: 2, before: "T")
        text.put(rest / 3_600_000, digits: 2, before: ":")
        text.put(rest / 60_000 % 60, digits: 2, before: ":")
        text.put(rest / 1_000 % 60, digits: 2, before: ".")
        text.put(rest % 1_000, digits: 3, before: "Z")
        append(copying: text.bytes.span)
    }

    /// A time as a JSON string, or null.
    mutating func append(_ time: WallTime?) {
        guard let time else { return append(raw: "null") }
        append(UInt8(ascii: "\""))
        append(rfc3339: time)
        append(UInt8(ascii: "\""))
    }
}

/// Room for `2026-11-30T05:09:02.123Z`, filled from the left.
private struct TimeText {
    var bytes = InlineArray<24, UInt8>(repeating: 0)
    private var end = 0

    @inline(__always)
    mutating func put(_ number: Int64, digits: Int, before separator: Unicode.Scalar) {
        var rest = UInt32(truncatingIfNeeded: number)
        for index in stride(from: end + digits - 1, through: end, by: -1) {
            bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        bytes[end + digits] = UInt8(ascii: separator)
        end += digits + 1
    }
}
