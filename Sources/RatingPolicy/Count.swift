/// A counter that stops at the largest integer JSON carries exactly, 2^53 − 1.
package struct Count: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    package private(set) var value: Int64

    package static let max: Int64 = 1 << 53 - 1

    /// Clamps to 0 ... 2^53 − 1.
    package init(_ value: Int64) {
        self.value = Swift.min(Swift.max(value, 0), Self.max)
    }

    package init(integerLiteral value: Int64) {
        self.init(value)
    }

    package static func < (left: Count, right: Count) -> Bool {
        left.value < right.value
    }

    /// Adds, and returns what it has become.
    package mutating func add(_ number: Int64) -> Count {
        self += number
        return self
    }

    package static func += (left: inout Count, right: Int64) {
        let (sum, overflow) = left.value.addingReportingOverflow(right)
        left = overflow ? Count(Self.max) : Count(sum)
    }
}
