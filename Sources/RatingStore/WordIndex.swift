/// The numbers of some hundred different words, in the order they were added.
///
/// In place of a dictionary, where hashing costs most of a look-up. Whoever chooses the words can have
/// many meet at one slot, and so have a look-up take as many steps as there are words at most.
struct WordIndex {
    private static let slotBits = 10
    /// Half of the slots stay free, so that a word that is not there is soon known not to be.
    static let countMax = 1 << (slotBits - 1)

    private var words: [UInt64] = []
    /// The number of a word + 1 in the slot that it points to or the next free one; else 0.
    private var slots: [UInt16] = []

    var count: Int { words.count }

    /// Nil if the word is not there.
    func number(of word: UInt64) -> Int? {
        guard !slots.isEmpty else { return nil }
        let slot = slots[self.slot(of: word)]
        return slot == 0 ? nil : Int(slot) - 1
    }

    /// Adds a word that is not there.
    mutating func add(_ word: UInt64) {
        precondition(count < Self.countMax, "an index has room for a word that is added")
        if slots.isEmpty { slots = Array(repeating: 0, count: 1 << Self.slotBits) }
        words.append(word)
        slots[slot(of: word)] = UInt16(count)
    }

    /// The slot with the word, else the one to put it into.
    private func slot(of word: UInt64) -> Int {
        // The upper bits of a product with the golden ratio: words that follow each other lie apart.
        var slot = Int((word &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - Self.slotBits))
        while slots[slot] != 0, words[Int(slots[slot]) - 1] != word {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}
