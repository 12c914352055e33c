import RatingPolicy
import Testing

@testable import RatingStore

/// The tally by itself: what goes into it, and its sheets.
struct TallyTests {
    private static let name = EventName("note-saved")!

    /// An app that has reported so many events.
    private static func record(
        events: Int64, seen: WallTime = .start, names: Int = 1
    ) -> AppRecord {
        var record = AppRecord()
        record.firstSeen = Stamp(.start)
        record.lastSeen = Stamp(seen)
        for number in 1..<names { record.events[EventName("a\(number)")!] = 1 }
        record.events[name] = Count(events)
        return record
    }

    private static func change(
        events: Int64, seen: WallTime = .start, names: Int = 1,
        _ edit: (inout StoreChanges.AppChange) -> Void = { _ in }
    ) -> StoreChanges.AppChange {
        var change = StoreChanges.AppChange(
            .notes, before: record(events: 0, names: names),
            after: record(events: events, seen: seen, names: names))
        edit(&change)
        return change
    }

    private static func sheets(of tally: Tally) throws -> [[UInt8]] {
        try (0..<tally.sheetCount).map { sheet in
            try tally.withBytes(ofSheet: sheet) { bytes in
                bytes.byteOffsets.map {
                    unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
                }
            }
        }
    }

    /// The tally that was stored so; nil if none is.
    private static func read(_ sheets: [[UInt8]], began: WallTime = .start) -> Tally? {
        var tally = Tally()
        for sheet in sheets {
            guard tally.add(sheet: sheet, began: began) else { return nil }
        }
        return tally
    }

    @Test func `marks come back from their sheets`() throws {
        var tally = Tally()
        for row in 1...Int64(Tally.marksPerSheet + 5) {
            let change = Self.change(events: row * 7, seen: .start.adding(row - 1))
            expect(tally.mark(change, row: row))
        }
        #expect(tally.sheetCount == 2)
        let read = try #require(Self.read(try Self.sheets(of: tally)))
        #expect(read.marks == tally.marks)
        #expect(read.marks.count == Tally.marksPerSheet + 5)
        #expect(read.marks[64].count == 65 * 7)
        #expect(read.marks[64].lastSeen == .start.adding(64))
        #expect(read.marks(ofApp: 3) == [tally.marks[2]])
    }

    @Test func `the last mark of a name is the one that is kept`() throws {
        var tally = Tally()
        expect(tally.mark(Self.change(events: 1), row: 9))
        expect(tally.mark(Self.change(events: 5, seen: .start.adding(3)), row: 9))
        #expect(tally.marks.map(\.count) == [5])
        #expect(tally.marks.map(\.lastSeen) == [.start.adding(3)])
        let many = Self.change(events: 6, names: 3) { change in
            change.after.events[EventName("a1")!] = 4
        }
        expect(tally.mark(many, row: 10))
        #expect(tally.marks.map(\.place.name) == [0, 0, 2])
        #expect(tally.marks.map(\.count) == [5, 4, 6])
    }

    @Test func `numbers that do not fit are not tallied`() {
        func fits(events: Int64 = 1, seen: WallTime = .start, row: Int64 = 1) -> Bool {
            var tally = Tally()
            return tally.mark(Self.change(events: 1), row: 2)
                && tally.mark(Self.change(events: events, seen: seen), row: row)
        }
        #expect(fits(events: 1 << 40 - 1))
        #expect(!fits(events: 1 << 40))
        #expect(fits(seen: .start.adding(1 << 24 - 1)))
        #expect(!fits(seen: .start.adding(1 << 24)))
        #expect(fits(row: 1 << 47 - 1))
        #expect(!fits(row: 1 << 47))
    }

    @Test func `a full tally takes no further app`() throws {
        var tally = Tally()
        for row in 1...Int64(Tally.marksMax) {
            expect(tally.mark(Self.change(events: 1), row: row))
        }
        expect(!tally.mark(Self.change(events: 1), row: Int64(Tally.marksMax) + 1))
        expect(tally.mark(Self.change(events: 2), row: Int64(Tally.marksMax)))
        #expect(tally.sheetCount == Tally.sheetsMax)
        let sheets = try Self.sheets(of: tally)
        #expect(Self.read(sheets)?.count == Tally.marksMax)
        #expect(Self.read(sheets + [sheets[0]]) == nil)
    }

    @Test func `marks are made when there is room for all of them, else none`() {
        var tally = Tally()
        for row in 1..<Int64(Tally.marksMax) {
            expect(tally.mark(Self.change(events: 1), row: row))
        }
        let sheets = tally.marks
        for row in Int64(Tally.marksMax) - 1...Int64(Tally.marksMax) + 1 {
            expect(tally.note(Self.change(events: 2), row: row))
        }
        expect(!tally.makeMarks())
        #expect(tally.marks == sheets)
        // Nothing that was noted is left.
        expect(tally.makeMarks())
        #expect(tally.marks == sheets)
        expect(tally.mark(Self.change(events: 2), row: Int64(Tally.marksMax)))
    }

    @Test func `marks that are not made leave no time behind that others are counted from`() {
        var tally = Tally()
        expect(tally.note(Self.change(events: 1, seen: .start.adding(.day)), row: 1))
        tally.forgetNoted()
        expect(tally.mark(Self.change(events: 1), row: 1))
        #expect(tally.marks.map(\.lastSeen) == [.start])
    }

    @Test func `a new mark that is noted twice is made once`() {
        var tally = Tally()
        expect(tally.note(Self.change(events: 1), row: 1))
        expect(tally.note(Self.change(events: 2), row: 1))
        expect(tally.makeMarks())
        #expect(tally.marks.map(\.count) == [2])
    }

    static let others: [@Sendable (inout StoreChanges.AppChange) -> Void] = [
        { $0.before = nil },
        { $0.after.sessions = 1 },
        { $0.after.lastSession = Stamp(.start) },
        { $0.after.firstSeen = nil },
        { $0.after.version = Version("2") },
        { $0.after.helloPolicy = HelloPolicy() },
        { $0.after.isOptedOut = true },
        { $0.after.grants = [Grant(grantedAt: Stamp(.start), token: nil, version: nil)] },
        { $0.after.events[EventName("new")!] = 1 },
        { $0.before?.events[EventName("old")!] = 1 },
        { $0.before?.events[Self.name] = 9 },
        { $0.before?.events = $0.after.events },
        { $0.after.lastSeen = nil },
        { $0.before?.lastSeen = nil },
        { $0.after.lastSeen = Stamp(.start.adding(-1)) },
        {
            $0.before?.lastSeen = Stamp(.start.adding(5))
            $0.after.lastSeen = Stamp(.start.adding(3))
        },
        { $0.after.lastSeen = Stamp(.start, repaired: .start) },
        { $0.before?.lastSeen = Stamp(.start, repaired: .start) },
    ]

    @Test(arguments: others.indices)
    func `more than rising counts is not tallied`(number: Int) {
        var tally = Tally()
        expect(tally.mark(Self.change(events: 2), row: 1))
        let change = Self.change(events: 2, Self.others[number])
        expect(!tally.mark(change, row: 1))
    }

    @Test func `apps with many names are not tallied`() {
        var tally = Tally()
        expect(tally.mark(Self.change(events: 1, names: Tally.namesMax), row: 1))
        expect(!tally.mark(Self.change(events: 1, names: Tally.namesMax + 1), row: 2))
    }

    @Test func `only what has changed is to be stored`() {
        var tally = Tally()
        for row in 1...Int64(Tally.marksPerSheet + 1) {
            expect(tally.mark(Self.change(events: 1), row: row))
        }
        #expect(tally.isChanged(sheet: 0) && tally.isChanged(sheet: 1))
        tally.isStored()
        expect(tally.mark(Self.change(events: 2), row: Int64(Tally.marksPerSheet + 1)))
        #expect(!tally.isChanged(sheet: 0) && tally.isChanged(sheet: 1))
    }

    @Test func `what this program never writes is no sheet`() throws {
        var tally = Tally()
        for row in 1...3 as ClosedRange<Int64> {
            expect(tally.mark(Self.change(events: 1, seen: .start.adding(row)), row: row))
        }
        let good = try Self.sheets(of: tally)[0]
        #expect(Self.read([good]) != nil)
        #expect(Self.read([good.dropLast()]) == nil)
        #expect(Self.read([good + [0]]) == nil)
        #expect(Self.read([[UInt8](repeating: 0, count: good.count)]) == nil)
        // Behind a sheet that is not full there is none.
        #expect(Self.read([good, good]) == nil)
        func broken(_ places: Range<Int>, _ bytes: [UInt8]) -> [UInt8] {
            var sheet = good
            sheet.replaceSubrange(places, with: bytes)
            return sheet
        }
        // A gap, the same mark twice, a number that was never packed, the end of a mark only.
        #expect(Self.read([broken(16..<32, [UInt8](repeating: 0, count: 16))]) == nil)
        #expect(Self.read([broken(16..<32, Array(good[0..<16]))]) == nil)
        #expect(Self.read([broken(0..<8, [1, 0, 0, 0, 0, 0, 0, 0xFF])]) == nil)
        #expect(Self.read([broken(959..<960, [1])]) == nil)
        #expect(Self.read([good], began: WallTime(milliseconds: .max)) == nil)
    }
}

extension Tally {
    /// Notes the marks of an app and makes them.
    fileprivate mutating func mark(_ change: StoreChanges.AppChange, row: Int64) -> Bool {
        defer { forgetNoted() }
        return note(change, row: row) && makeMarks()
    }
}

/// `#expect` of something that changes what it asks.
private func expect(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: sourceLocation)
}
