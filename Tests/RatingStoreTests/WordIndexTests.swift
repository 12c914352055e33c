import TestSupport
import Testing

@testable import RatingStore

/// The index of the tally, beside a dictionary.
struct WordIndexTests {
    private static func expectSame(_ words: [UInt64], others: [UInt64]) {
        var index = WordIndex()
        #expect(index.number(of: 0) == nil)
        for (number, word) in words.enumerated() {
            #expect(index.number(of: word) == nil)
            index.add(word)
            #expect(index.count == number + 1)
        }
        #expect(words.map(index.number) == Array(words.indices))
        #expect(others.allSatisfy { index.number(of: $0) == nil })
    }

    @Test func `words are found under their numbers`() {
        Self.expectSame([], others: [0, 1, .max])
        Self.expectSame([0, .max, 7], others: [1, 8])
        let rows = (1...UInt64(WordIndex.countMax)).map { $0 << 16 }
        Self.expectSame(rows, others: rows.map { $0 + 1 })
    }

    @Test func `words that meet at one slot are found, at the end of the slots, too`() {
        // The product with the inverse of the factor is the word whose upper bits are chosen.
        var inverse: UInt64 = 1
        for _ in 0..<6 { inverse = inverse &* (2 &- 0x9E37_79B9_7F4A_7C15 &* inverse) }
        let last = (0..<UInt64(WordIndex.countMax)).map { (.max - $0) &* inverse }
        Self.expectSame(last, others: (1000..<1100).map { (.max - $0) &* inverse })
    }

    @Test func `random words are found`() {
        var random = Seeded(Seeded.seed(of: "words"))
        let words = Set((0..<WordIndex.countMax).map { _ in random.next() })
        Self.expectSame(
            Array(words),
            others: (0..<999).map { _ in random.next() }.filter { !words.contains($0) })
    }

    @Test func `a full tally has room in its index`() {
        #expect(Tally.marksMax <= WordIndex.countMax)
    }
}
