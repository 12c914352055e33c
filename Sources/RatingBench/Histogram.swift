/// How often which time was seen: exact up to 255 ns, above that with 128 steps for each doubling,
/// so that a time that is read back is at most 0.8 % too long.
package struct Histogram: Sendable {
    private static let stepBits = 7
    private static let steps = 1 << stepBits

    private var counts = [Int](repeating: 0, count: (64 - stepBits) * steps)
    /// How many times were recorded.
    package private(set) var total = 0
    /// The longest of them, exactly.
    package private(set) var worst: Int64 = 0

    package init() {}

    /// Notes a time; a negative one counts as 0.
    package mutating func record(_ nanoseconds: Int64) {
        let value = max(0, nanoseconds)
        counts[Self.index(value)] += 1
        total += 1
        worst = max(worst, value)
    }

    /// The shortest time within which this share of all (0 to 1) was over; nil if there are none.
    package func percentile(_ share: Double) -> Int64? {
        guard total > 0 else { return nil }
        let rank = max(1, Int((share * Double(total)).rounded(.up)))
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen >= rank { return min(Self.longest(index), worst) }
        }
        return worst
    }

    private static func index(_ value: Int64) -> Int {
        let shift = max(0, 63 - stepBits - value.leadingZeroBitCount)
        return shift * steps + Int(value >> Int64(shift))
    }

    /// The longest time that has this index.
    private static func longest(_ index: Int) -> Int64 {
        let shift = max(0, index / steps - 1)
        let mantissa = Int64(index - shift * steps)
        return ((mantissa + 1) << Int64(shift)) - 1
    }
}
