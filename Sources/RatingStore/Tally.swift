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
    struct Place: Hashable, Comparable, Sendable {
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
    private var numbers: [Place: Int] = [:]
    /// Two words a mark, in the order they were made, as they are stored: little-endian, the last
    /// sheet full of zeros behind its last mark.
    private var words: [UInt64] = []
    /// Marks that are to be made if all of a turn can be.
    private var noted: [Mark] = []
    /// Sheets that are not as they are stored, one bit each.
    private var changed: UInt64 = 0

    private static let wordsPerSheet = 2 * marksPerSheet

    var isEmpty: Bool { words.isEmpty }
    /// How many marks there are.
    var count: Int { numbers.count }
    var isFull: Bool { count == Self.marksMax }
    var sheetCount: Int { words.count / Self.wordsPerSheet }

    func isChanged(sheet: Int) -> Bool { changed & 1 << UInt64(sheet) != 0 }

    mutating func isStored() { changed = 0 }

    // MARK: - Marks

    /// Works out the marks of an app, for `makeMarks`; false if something has changed but counts of
    /// names that were there, few of them, and `lastSeen`, or if that is earlier.
    mutating func note(_ change: StoreChanges.AppChange, row: Int64) -> Bool {
        guard let before = change.before,
            let lastSeen = change.after.lastSeen, lastSeen.repaired == nil,
            let lastBefore = before.lastSeen, lastBefore.repaired == nil,
            lastSeen.first >= lastBefore.first
        else { return false }
        guard change.after.events.count <= Self.namesMax else { return false }
        return change.after.tellRisenCounts(since: before) { name, count in
            noted.append(
                Mark(
                    place: Place(row: row, name: name), count: count.value,
                    lastSeen: lastSeen.first))
            return true
        }
    }

    mutating func forgetNoted() { noted.removeAll(keepingCapacity: true) }

    /// Makes the marks that were noted; false, and perhaps half done, if they do not fit.
    mutating func makeMarks() -> Bool {
        defer { forgetNoted() }
        for mark in noted {
            guard make(mark) else { return false }
        }
        return true
    }

    /// Makes a mark, or one anew; false if there is no room or a number does not fit.
    private mutating func make(_ mark: Mark) -> Bool {
        if isEmpty { began = mark.lastSeen }
        guard let packed = Self.packed(mark, since: began) else { return false }
        let number = numbers[mark.place] ?? count
        if number == count {
            guard !isFull else { return false }
            numbers[mark.place] = number
            if number == sheetCount * Self.marksPerSheet {
                words.append(contentsOf: repeatElement(0, count: Self.wordsPerSheet))
            }
            words[2 * number] = packed.0.littleEndian
        }
        words[2 * number + 1] = packed.1.littleEndian
        changed |= 1 << UInt64(number / Self.marksPerSheet)
        return true
    }

    /// The marks by app, in the order of rows.
    var marks: [Mark] {
        numbers.sorted { $0.key < $1.key }.map { mark($0.value) }
    }

    func marks(ofApp row: Int64) -> [Mark] {
        numbers.lazy.filter { $0.key.row == row }.map { mark($0.value) }
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
                numbers.updateValue(number, forKey: mark(number).place) == nil
            else { return false }
        }
        return count > first
    }

    // MARK: - Packing

    // A mark is two words: row and name, then time and count.
    private static let nameBits: UInt64 = 16
    private static let nameMax: UInt64 = 1 << nameBits - 1
    private static let countBits: UInt64 = 40
    private static let countMax: UInt64 = 1 << countBits - 1

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
