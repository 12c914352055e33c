internal import RatingPolicy

/// Counts of events that are committed, but do not stand in the rows of their apps yet.
///
/// Where many apps report events at once, a turn writes a few sheets full of numbers instead of a
/// row for each app. They are as durable as rows. Before anything else is written, and before
/// each sync, they are settled: moved into the rows.
///
/// A mark is what one name of one app has come to. Per app only the rise of counts and of
/// `lastSeen` is tallied, so that marks need no order.
struct Tally: Sendable {
    /// An event name by its place in the app's row, which is the same until the tally is settled.
    struct Place: Equatable, Comparable, Sendable {
        let row: Int64
        let name: Int

        static func < (left: Place, right: Place) -> Bool {
            left.row == right.row ? left.name < right.name : left.row < right.row
        }
    }

    struct Mark: Equatable, Sendable {
        let place: Place
        let count: Int64
        let lastSeen: WallTime
    }

    /// A sheet with all its marks stays within one page of the database.
    static let marksPerSheet = 60
    static let sheetBytes = marksPerSheet * 16
    static let sheetsMax = 8
    static let marksMax = sheetsMax * marksPerSheet
    /// Fewer apps are written into their rows.
    static let appsMin = 2
    /// Apps with more names are written into their rows: to settle one, all its names are read.
    static let namesMax = 8

    /// What the times of marks are counted from.
    private(set) var began = WallTime(milliseconds: 0)
    /// The first words of all marks, with the numbers of these.
    private var index = WordIndex()
    /// Two words a mark, in the order they were made, as they are stored: little-endian, the last
    /// sheet full of zeros behind its last mark.
    private var words: [UInt64] = []
    /// Marks that are to be made if all of a turn can be.
    private var noted: [Noted] = []
    /// How many of them are new, or nearly so many: one that is noted twice counts twice.
    private var newCount = 0
    /// Sheets that are not as they are stored, one bit each.
    private var changed: UInt64 = 0

    private static let wordsPerSheet = 2 * marksPerSheet

    private struct Noted {
        /// Nil of a new mark.
        let number: Int?
        let words: (UInt64, UInt64)
    }

    var isEmpty: Bool { words.isEmpty }
    /// How many marks there are.
    var count: Int { index.count }
    var sheetCount: Int { words.count / Self.wordsPerSheet }

    func isChanged(sheet: Int) -> Bool { changed & 1 << UInt64(sheet) != 0 }

    mutating func isStored() { changed = 0 }

    // MARK: - Marks

    /// Notes the marks of an app, for `makeMarks`; false if something has changed but counts of names
    /// that were there, few of them, and `lastSeen`, or if that is earlier, or a number does not fit.
    mutating func note(_ change: StoreChanges.AppChange, row: Int64) -> Bool {
        guard let before = change.before,
            let lastSeen = change.after.lastSeen, lastSeen.repaired == nil,
            let lastBefore = before.lastSeen, lastBefore.repaired == nil,
            lastSeen.first >= lastBefore.first
        else { return false }
        guard change.after.eventNamesCount <= Self.namesMax else { return false }
        return change.after.tellRisenCounts(since: before) { name, count in
            note(
                Mark(
                    place: Place(row: row, name: name), count: count.value,
                    lastSeen: lastSeen.first))
        }
    }

    /// Notes what a name of an app has come to, which must not be less than it was, nor earlier, nor
    /// of an app with more than `namesMax`; false if a number does not fit.
    mutating func note(_ mark: Mark) -> Bool {
        if isEmpty, noted.isEmpty { began = mark.lastSeen }
        guard let packed = Self.packed(mark, since: began) else { return false }
        let number = index.number(of: packed.0)
        if number == nil { newCount += 1 }
        noted.append(Noted(number: number, words: packed))
        return true
    }

    mutating func forgetNoted() {
        noted.removeAll(keepingCapacity: true)
        newCount = 0
    }

    /// Makes the marks that were noted; false, and makes none, if there is no room for all.
    mutating func makeMarks() -> Bool {
        defer { forgetNoted() }
        guard count + newCount <= Self.marksMax else { return false }
        for mark in noted {
            let number = mark.number ?? makePlace(for: mark.words.0)
            words[2 * number + 1] = mark.words.1.littleEndian
            changed |= 1 << UInt64(number / Self.marksPerSheet)
        }
        return true
    }

    /// Returns the number of the mark with this first word, which is made if it is not there.
    private mutating func makePlace(for first: UInt64) -> Int {
        if let number = index.number(of: first) { return number }
        let number = count
        if number == sheetCount * Self.marksPerSheet {
            words.append(contentsOf: repeatElement(0, count: Self.wordsPerSheet))
        }
        index.add(first)
        words[2 * number] = first.littleEndian
        return number
    }

    /// The marks by app, in the order of rows.
    var marks: [Mark] {
        (0..<count).map(mark).sorted { $0.place < $1.place }
    }

    func marks(ofApp row: Int64) -> [Mark] {
        (0..<count).filter { Int64(word(2 * $0) >> Self.nameBits) == row }.map(mark)
    }

    // MARK: - Sheets

    /// What is stored of a sheet.
    func withBytes<Result>(
        ofSheet sheet: Int, _ body: (RawSpan) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let start = sheet * Self.wordsPerSheet
        return try unsafe body(words.span.extracting(start..<start + Self.wordsPerSheet).bytes)
    }

    /// Adds a stored sheet behind the others; false if no tally is stored so.
    mutating func add(sheet bytes: [UInt8], began: WallTime) -> Bool {
        guard bytes.count == Self.sheetBytes, count == words.count / 2,
            sheetCount < Self.sheetsMax, isEmpty || began == self.began
        else { return false }
        self.began = began
        for start in stride(from: 0, to: bytes.count, by: 8) {
            let word = bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            words.append(word.littleEndian)
        }
        let first = count
        let end = (words.lastIndex { $0 != 0 } ?? 0) / 2 + 1
        for number in first..<max(end, first) {
            guard let packed = Self.packed(mark(number), since: began),
                packed == (word(2 * number), word(2 * number + 1)),
                index.number(of: packed.0) == nil
            else { return false }
            index.add(packed.0)
        }
        return count > first
    }

    // MARK: - Packing

    // A mark is two words: row and name, then time and count.
    private static let nameBits: UInt64 = 16
    private static let nameMax: UInt64 = 1 << nameBits - 1
    private static let countBits: UInt64 = 40
    private static let countMax: UInt64 = 1 << countBits - 1

    @inline(__always)
    private static func packed(_ mark: Mark, since began: WallTime) -> (UInt64, UInt64)? {
        let age = mark.lastSeen.since(began)
        guard mark.place.row > 0, mark.place.row < 1 << 47, mark.place.name <= nameMax,
            mark.count <= countMax, age >= 0, age < 1 << 24
        else { return nil }
        return (
            UInt64(mark.place.row) << nameBits | UInt64(mark.place.name),
            UInt64(age) << countBits | UInt64(mark.count)
        )
    }

    private func mark(_ number: Int) -> Mark {
        let (first, second) = (word(2 * number), word(2 * number + 1))
        return Mark(
            place: Place(row: Int64(first >> Self.nameBits), name: Int(first & Self.nameMax)),
            count: Int64(second & Self.countMax),
            lastSeen: began.adding(Milliseconds(second >> Self.countBits)))
    }

    private func word(_ number: Int) -> UInt64 { UInt64(littleEndian: words[number]) }
}
