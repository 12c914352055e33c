/// Text whose identity is its UTF-8 bytes.
///
/// Swift takes "é" and "e" with a combining accent for the same string; clients and the database
/// do not, and two names must never share a counter.
package struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package init(stringLiteral string: String) {
        self.init(string)
    }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in string.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
