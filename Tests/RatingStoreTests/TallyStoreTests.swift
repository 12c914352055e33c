import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// Counts of many apps at once, which are tallied first and settled later.
struct TallyStoreTests {
    let scratch: ScratchDirectory
    let store: StateStore
    /// What the store is to hold.
    var records: [AppKey: AppRecord] = [:]
    /// Events of apps that have reported some before are committed as rises, not as changes.
    var asRises = false
    /// Kept as the daemon keeps them, whatever becomes of the store.
    let places = (0...Tally.marksMax + 1).map { StoredPlace(key($0)) }

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    static func key(_ number: Int) -> AppKey {
        AppKey(user: UserID(1000 + number % 2), app: AppID("org.example.App\(number)")!)
    }

    private static let name = EventName("note-saved")!

    /// Apps that have reported one event, in their rows.
    mutating func meet(_ count: Int) throws {
        for number in 0..<count {
            var record = AppRecord()
            record.firstSeen = Stamp(.start)
            record.lastSeen = Stamp(.start)
            record.events[Self.name] = 1
            try store.put(record, for: Self.key(number))
            records[Self.key(number)] = record
        }
    }

    /// One more event of each of these apps, in one turn.
    mutating func report(
        _ apps: some Sequence<Int>, at now: WallTime = .start.adding(1),
        to other: StateStore? = nil,
        _ durability: Durability = .relaxed
    ) throws {
        var changes = StoreChanges()
        for number in apps {
            let before = records[Self.key(number)]
            var after = before ?? AppRecord()
            _ = after.events.add(1, to: Self.name, namesMax: 9)
            after.lastSeen = Stamp(now)
            changes.apps.append(.init(places[number], before: before, after: after))
        }
        if asRises, durability == .relaxed, let rises = rises(of: changes) {
            try (other ?? store).commit(rises, now: now)
        } else {
            try (other ?? store).commit(changes, durability: durability, now: now)
        }
        for change in changes.apps { records[change.key] = change.after }
    }

    private func rises(of changes: StoreChanges) -> [Rise]? {
        let rises = changes.apps.compactMap { change -> Rise? in
            guard let before = change.before,
                let standing = change.after.standing(
                    of: Self.name, at: WallTime(milliseconds: .max))
            else { return nil }
            return Rise(
                of: change.place, record: before, name: standing.place, to: standing.ofName)
        }
        return rises.count == changes.apps.count ? rises : nil
    }

    func expectAll(in store: StateStore) throws {
        for (key, record) in records {
            #expect(try store.load(key) == record)
        }
        for user in [1000, 1001] as [UserID] {
            let apps = try store.summaries(of: user, after: nil, limit: 9_999, at: .start)
            #expect(apps.count == records.keys.count { $0.user == user })
            for app in apps {
                let record = records[AppKey(user: user, app: app.app)]
                #expect(app.events == record?.events.total)
                #expect(app.lastSeen == record?.lastSeen?.first)
            }
        }
    }

    private func rows(of table: String) throws -> Int64? {
        try Connection(path: scratch.database)
            .integer("SELECT count(*) FROM \(table)", as: "test")
    }

    private func events(ofApp number: Int) throws -> [String] {
        let name = Self.key(number).app.string
        return try Connection(path: scratch.database)
            .texts("SELECT events FROM app WHERE name = '\(name)'", as: "test")
    }

    @Test(arguments: [false, true])
    mutating func `what is tallied is read as if it stood in its row`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<8)
        #expect(try rows(of: "tally") == 1)
        #expect(try events(ofApp: 3) == ["1 note-saved"])
        try expectAll(in: store)
        try report(0..<1, at: .start.adding(2))
        #expect(try events(ofApp: 0) == ["1 note-saved"])
        try expectAll(in: store)
    }

    @Test(arguments: [false, true])
    mutating func `one app alone goes into its row`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(2)
        try report(0..<1)
        #expect(try rows(of: "tally") == 0)
        #expect(try events(ofApp: 0) == ["2 note-saved"])
        try report(0..<Tally.appsMin)
        #expect(try rows(of: "tally") == 1)
    }

    @Test(arguments: [false, true])
    mutating func `a process that was killed has lost nothing of the tally`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(100)
        try report(0..<100)
        try report(20..<90, at: .start.adding(5))
        let other = try ScratchDirectory()
        try FileTree.copyState(scratch.state, to: other.state)
        let again = try other.openUsable()
        #expect(again.takeNotices().isEmpty)
        try expectAll(in: again)
        try report(0..<30, at: .start.adding(9), to: again)
        try expectAll(in: again)
        try again.close()
        try expectAll(in: try other.openUsable())
    }

    @Test(arguments: [false, true])
    mutating func `a sync settles it`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<9)
        try store.sync()
        #expect(try rows(of: "tally") == 0)
        #expect(try events(ofApp: 3) == ["2 note-saved"])
        try expectAll(in: store)
    }

    @Test(arguments: [false, true])
    mutating func `closing settles it`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<9)
        try store.close()
        #expect(try rows(of: "tally") == 0)
        try expectAll(in: try scratch.openUsable())
    }

    @Test(arguments: [false, true])
    mutating func `any other change settles it first`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<9)
        let before = records[Self.key(4)]!
        var after = before
        after.sessions += 1
        records[Self.key(4)] = after
        try store.put(after, over: before, for: Self.key(4))
        #expect(try rows(of: "tally") == 0)
        try expectAll(in: store)
        try report(0..<9)
        var changes = StoreChanges()
        changes.optedOutOfAll[1000] = true
        try store.commit(changes, durability: .relaxed, now: .start)
        #expect(try rows(of: "tally") == 0)
        try report(0..<9)
        try report(0..<9, at: .start.adding(2), .synced)
        #expect(try rows(of: "tally") == 0)
        try expectAll(in: store)
    }

    @Test mutating func `a turn with one change of another kind is written whole`() throws {
        try meet(9)
        try report(0..<9)
        // The last one of the turn is new to the store.
        try report(3...9)
        #expect(try rows(of: "tally") == 0)
        try expectAll(in: store)
    }

    @Test mutating func `events of an app whose row is gone are not taken for stored`() throws {
        asRises = true
        try meet(1)
        try Connection(path: scratch.database).run("DELETE FROM app", as: "test")
        #expect(throws: StoreError.self) { try report(0..<1) }
    }

    @Test mutating func `what a tally does not take is written once`() throws {
        try meet(Tally.marksMax + 1)
        try Connection(path: scratch.database).run(
            """
            CREATE TABLE written (id INTEGER);
            CREATE TRIGGER written AFTER UPDATE ON app BEGIN
                INSERT INTO written VALUES (NEW.id);
            END
            """, as: "test")
        // More apps than there is room for, and one that is new to the store behind others.
        try report(0..<Tally.marksMax + 1)
        #expect(try rows(of: "written") == Int64(Tally.marksMax) + 1)
        try store.sync()
        try report(Tally.marksMax - 9..<Tally.marksMax + 2, at: .start.adding(2))
        #expect(try rows(of: "written") == Int64(Tally.marksMax) + 1 + 11)
        try expectAll(in: store)
    }

    @Test(arguments: [false, true])
    mutating func `more apps than a tally holds go into their rows`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(Tally.marksMax + 1)
        try report(0..<Tally.marksMax)
        #expect(try rows(of: "tally") == Int64(Tally.sheetsMax))
        try report(0..<Tally.marksMax + 1, at: .start.adding(2))
        #expect(try rows(of: "tally") == 0)
        try expectAll(in: store)
        // Until the next sync it is not tried again.
        try report(0..<9, at: .start.adding(3))
        #expect(try rows(of: "tally") == 0)
        try store.sync()
        try report(0..<9, at: .start.adding(4))
        #expect(try rows(of: "tally") == 1)
        try expectAll(in: store)
    }

    @Test(arguments: [false, true])
    mutating func `a refused commit leaves the tally as it was`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<9)
        try store.grant(token: "t", for: .maps, cap: 1)
        try report(0..<9, at: .start.adding(2))
        let kept = records
        // The grant over the cap settles the tally, counts more, and then fails.
        var changes = StoreChanges()
        let before = try #require(try store.load(.maps))
        var after = before
        after.grants.append(Grant(grantedAt: Stamp(.start), token: Token("u"), version: nil))
        var counted = try #require(records[Self.key(0)])
        _ = counted.events.add(1, to: Self.name, namesMax: 9)
        changes.apps = [
            .init(Self.key(0), before: records[Self.key(0)], after: counted),
            .init(.maps, before: before, after: after),
        ]
        changes.grantChecks = [.init(key: .maps, cap: 1, userCap: 9)]
        #expect(throws: StoreError.self) {
            try store.commit(changes, durability: .synced, now: .start)
        }
        records = kept
        records[.maps] = before
        try expectAll(in: store)
        records[.maps] = nil
        try report(0..<9, at: .start.adding(3))
        records[.maps] = before
        try expectAll(in: store)
        try store.close()
        try expectAll(in: try scratch.openUsable())
    }

    @Test(arguments: [false, true])
    mutating func `repaired times are those of the tally, too`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<9, at: .start.adding(.day))
        #expect(try store.repairStamps(user: nil, now: .start) == 9)
        for number in 0..<9 {
            records[Self.key(number)]?.lastSeen = Stamp(.start.adding(.day), repaired: .start)
        }
        try expectAll(in: store)
    }

    @Test mutating func `forgotten apps are not in the tally any more`() throws {
        try meet(9)
        try report(0..<9)
        try store.forget(places[2])
        records[Self.key(2)] = nil
        try expectAll(in: store)
        try store.close()
        try expectAll(in: try scratch.openUsable())
    }

    /// Keeps all others from writing while it is there.
    private func writer() throws -> Connection {
        let other = try Connection(path: scratch.database)
        try other.run("BEGIN IMMEDIATE", as: "test")
        return other
    }

    @Test(arguments: [false, true])
    mutating func `another program that writes does not hold up a sync`(asRises: Bool) throws {
        self.asRises = asRises
        try meet(9)
        try report(0..<9)
        do {
            let other = try writer()
            try store.sync()
            #expect(!store.syncNeeded)
            try store.commit(StoreChanges(), durability: .synced, now: .start)
            let isHeld = other.isInTransaction
            #expect(isHeld)
        }
        #expect(store.failure == nil)
        try expectAll(in: store)
        try report(0..<9, at: .start.adding(2))
        try store.sync()
        #expect(try rows(of: "tally") == 0)
        try expectAll(in: store)
    }

    @Test(arguments: [false, true])
    mutating func `another program that writes does not keep a store from closing`(asRises: Bool)
        throws
    {
        self.asRises = asRises
        try meet(9)
        try report(0..<9)
        do {
            let other = try writer()
            try store.close()
            let isHeld = other.isInTransaction
            #expect(isHeld)
        }
        try expectAll(in: try scratch.openUsable())
    }
}
