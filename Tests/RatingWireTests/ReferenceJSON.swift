@testable import RatingWire

/// A second reader of the JSON of SPEC 1, written for plainness, to check the first against.
struct ReferenceJSON {
    private var bytes: ArraySlice<UInt8>
    private var depth = 0

    struct Bad: Error {}

    /// Nil if the text is not allowed.
    static func value(_ text: [UInt8]) -> JSONValue? {
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        var reader = ReferenceJSON(bytes: text[...])
        guard let value = try? reader.element(), reader.bytes.isEmpty else { return nil }
        return value
    }

    private mutating func element() throws -> JSONValue {
        skipSpace()
        let value = try value()
        skipSpace()
        return value
    }

    private mutating func skipSpace() {
        while let byte = bytes.first, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            bytes.removeFirst()
        }
    }

    private mutating func value() throws -> JSONValue {
        switch bytes.first {
        case UInt8(ascii: "{"): try nested { try $0.object() }
        case UInt8(ascii: "["): try nested { try $0.array() }
        case UInt8(ascii: "\""): .string(try string())
        case UInt8(ascii: "t"): try word("true", .bool(true))
        case UInt8(ascii: "f"): try word("false", .bool(false))
        case UInt8(ascii: "n"): try word("null", .null)
        default: try number()
        }
    }

    private mutating func nested(
        _ read: (inout ReferenceJSON) throws -> JSONValue
    ) throws -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 32 else { throw Bad() }
        bytes.removeFirst()
        return try read(&self)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func object() throws -> JSONValue {
        var members: [JSONValue.Member] = []
        skipSpace()
        if skip("}") { return .object([]) }
        repeat {
            skipSpace()
            let name = try string()
            guard !members.contains(where: { Array($0.name.utf8) == Array(name.utf8) })
            else { throw Bad() }
            skipSpace()
            guard skip(":") else { throw Bad() }
            members.append(.init(name, try element()))
        } while skip(",")
        guard skip("}") else { throw Bad() }
        return .object(members)
    }

    private mutating func array() throws -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if skip("]") { return .array([]) }
        repeat { elements.append(try element()) } while skip(",")
        guard skip("]") else { throw Bad() }
        return .array(elements)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws -> JSONValue {
        guard bytes.starts(with: word.utf8) else { throw Bad() }
        bytes.removeFirst(word.utf8.count)
        return value
    }

    private mutating func digits() throws -> String {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { throw Bad() }
        bytes.removeFirst(digits.count)
        return String(decoding: digits, as: UTF8.self)
    }

    private mutating func number() throws -> JSONValue {
        var text = skip("-") ? "-" : ""
        let whole = try digits()
        guard whole == "0" || !whole.hasPrefix("0") else { throw Bad() }
        text += whole
        var isInteger = true
        var unit = "1"
        if skip(".") {
            isInteger = false
            let fraction = try digits()
            text += "." + fraction
            unit = "0." + String(repeating: "0", count: fraction.count - 1) + "1"
        }
        if skip("e") || skip("E") {
            isInteger = false
            let power = "e" + (skip("-") ? "-" : skip("+") ? "+" : "") + (try digits())
            text += power
            unit += power
        }
        // So that a power of ten does not make a number of what is none: see protocol.md.
        guard [whole, unit].allSatisfy({ Double($0)?.isFinite == true }) else { throw Bad() }
        if isInteger {
            guard let number = Int64(text), abs(number) <= 9_007_199_254_740_991
            else { throw Bad() }
            return .integer(number)
        }
        guard let number = Double(text), number.isFinite else { throw Bad() }
        return .double(number)
    }

    private mutating func string() throws -> String {
        guard skip("\"") else { throw Bad() }
        var units: [UInt16] = []
        var text = ""
        // Escapes of UTF-16 units are gathered so that pairs become one scalar.
        func flush() throws {
            guard let part = String(validating: units, as: UTF16.self) else { throw Bad() }
            text += part
            units = []
        }
        while let byte = bytes.first, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Bad() }
            bytes.removeFirst()
            if byte == UInt8(ascii: "\\") {
                let escape = try escaped()
                units.append(escape)
            } else {
                try flush()
                let more = bytes.prefix { (0x80...0xBF).contains($0) }
                let scalar = byte < 0x80 ? [byte] : [byte] + more
                bytes.removeFirst(scalar.count - 1)
                text += String(decoding: scalar, as: UTF8.self)
            }
        }
        try flush()
        guard skip("\"") else { throw Bad() }
        return text
    }

    private mutating func escaped() throws -> UInt16 {
        guard let escape = bytes.popFirst() else { throw Bad() }
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(escape)
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "u"):
            let digits = bytes.prefix(4)
            guard digits.count == 4, !digits.contains(where: "+-".utf8.contains),
                let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw Bad() }
            bytes.removeFirst(4)
            return unit
        default: throw Bad()
        }
    }
}
