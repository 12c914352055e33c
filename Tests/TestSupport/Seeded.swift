import Glibc

/// SplitMix64: the same numbers for the same seed, everywhere.
package struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func isTrue(oneIn count: UInt64) -> Bool {
        next() % count == 0
    }

    package mutating func number<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> Number
    {
        range.lowerBound + Number(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    package mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int(next() % UInt64(choices.count))]
    }

    /// The seed of this run: `RATINGD_TEST_SEED`, else a new one; printed, to be used again.
    package static func seed(of test: String) -> UInt64 {
        let written = unsafe getenv("RATINGD_TEST_SEED").map { unsafe String(cString: $0) }
        let seed = written.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(test): RATINGD_TEST_SEED=\(seed)")
        return seed
    }
}
