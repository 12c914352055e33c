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
        let left = left.string.utf8.span
        let right = right.string.utf8.span
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        // The same for what Swift takes for the same, which is rare, and fast.
        hasher.combine(string)
    }
}
