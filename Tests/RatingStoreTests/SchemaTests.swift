import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// Versions of the database.
struct SchemaTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private static let next = Schema(
        steps: Schema.current.steps + [
            """
            ALTER TABLE app ADD COLUMN note TEXT;
            UPDATE app SET note = 'seen' WHERE sessions > 0;
            CREATE TABLE extra (x INTEGER) STRICT
            """
        ])

    private func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try scratch.names() where name.hasPrefix("ratingd.db") {
            contents[name] = try FileTree.read(scratch.state + "/" + name)
        }
        return contents
    }

    @Test func `a new database says whose and which it is`() throws {
        try scratch.openUsable().close()
        let connection = try Connection(path: scratch.database)
        #expect(
            try connection.integer("PRAGMA application_id", as: "test") == Schema.applicationID)
        #expect(
            try connection.integer("PRAGMA user_version", as: "test") == Schema.current.version)
        #expect(
            try connection.integer("PRAGMA page_size", as: "test") == Int64(Schema.pageBytes))
        #expect(try connection.texts("PRAGMA journal_mode", as: "test") == ["wal"])
    }

    @Test func `an older database is brought up to date with what it holds`() throws {
        let old = try scratch.openUsable()
        try old.put(fullRecord())
        try old.grant(token: "t")
        let before = try old.load(.notes)
        try old.close()
        let store = try scratch.open(schema: Self.next)
        #expect(store.failure == nil)
        #expect(
            store.takeNotices() == [
                .migrated(
                    path: scratch.database, from: Schema.current.version, to: Self.next.version)
            ])
        #expect(try store.load(.notes) == before)
        try store.close()
        #expect(try scratch.open(schema: Self.next).takeNotices().isEmpty)
        let connection = try Connection(path: scratch.database)
        #expect(try connection.texts("SELECT note FROM app", as: "test") == ["seen"])
    }

    @Test func `a new database takes all steps`() throws {
        try scratch.open(schema: Self.next).close()
        let connection = try Connection(path: scratch.database)
        #expect(try connection.integer("PRAGMA user_version", as: "test") == Self.next.version)
    }

    @Test func `a step that fails leaves the version before it, untouched`() throws {
        let old = try scratch.openUsable()
        try old.put(fullRecord())
        try old.close()
        var steps = Self.next.steps
        steps.append("CREATE TABLE third (x INTEGER) STRICT; CREATE TABLE app (x INTEGER)")
        let store = try scratch.open(schema: Schema(steps: steps))
        guard case .unavailable(let detail) = store.failure else {
            Issue.record("\(String(describing: store.failure))")
            return
        }
        #expect(detail.contains("version \(steps.count)"))
        #expect(try scratch.setAside().isEmpty)
        try? store.close()
        do {
            let connection = try Connection(path: scratch.database)
            #expect(
                try connection.integer("PRAGMA user_version", as: "test") == Self.next.version)
            let count = "SELECT count(*) FROM sqlite_schema WHERE name = 'third'"
            #expect(try connection.integer(count, as: "test") == 0)
        }
        #expect(try scratch.open(schema: Self.next).load(.notes) == fullRecord())
    }

    @Test func `a newer database is left as it is, byte for byte`() throws {
        let newer = try scratch.open(schema: Self.next)
        try newer.put(fullRecord())
        try newer.close()
        let before = try contents()
        let store = try scratch.open()
        guard case .unavailable(let detail) = store.failure else {
            Issue.record("\(String(describing: store.failure))")
            return
        }
        #expect(detail.contains("version \(Self.next.version)"))
        #expect(detail.contains("up to \(Schema.current.version)"))
        #expect(detail.contains(scratch.database))
        #expect(throws: StoreError.self) { try store.put(fullRecord()) }
        #expect(throws: StoreError.self) { try store.recover(now: .start) }
        #expect(try contents() == before)
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `a database that only its log makes newer is left as it is`() throws {
        let other = try ScratchDirectory()
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord())
            let migrating = try Connection(path: scratch.database)
            migrating.keepLogOnClose(true)
            try Self.next.migrate(migrating, from: Schema.current.version)
            try FileTree.copyState(scratch.state, to: other.state)
        }
        let header = try FileBytes.read(other.database, bytes: 100)
        try #require(header[63] == UInt8(Schema.current.version))
        let files = ["ratingd.db", "ratingd.db-wal"].map { other.state + "/" + $0 }
        let before = try files.map(FileTree.read)
        let store = try other.open()
        #expect(store.failure?.detail.contains("version \(Self.next.version)") == true)
        #expect(throws: StoreError.self) { try store.recover(now: .start) }
        #expect(!store.recoveryNeeded)
        try? store.close()
        #expect(try files.map(FileTree.read) == before)
        #expect(try other.open(schema: Self.next).load(.notes) == fullRecord())
    }

    @Test func `every step of the schema makes what the tables are read with`() throws {
        let objects = try Schema.current.objects(at: Schema.current.version)
        #expect(objects.contains { $0.hasPrefix("table app:") })
        #expect(objects.contains { $0.hasPrefix("table ledger:") })
        #expect(try Schema.current.objects(at: 0).isEmpty)
    }

    /// A database as the first version left it, with a grant of an app that opted out.
    private func makeFirstVersion() throws {
        try Files.makeDirectories(scratch.state)
        try FileTree.write([], to: scratch.database)
        let connection = try Connection(path: scratch.database)
        let sql = """
            PRAGMA application_id = \(Schema.applicationID);
            PRAGMA journal_mode = WAL;
            """
        try connection.run(sql, as: "test")
        try Schema(steps: [Schema.current.steps[0]]).migrate(connection, from: 0)
        let rows = """
            INSERT INTO app (id, uid, name, sessions, opted_out) VALUES
                (7, 1000, 'org.example.Notes', 12, 1), (8, 1000, 'org.gnome.Maps', 1, 0);
            INSERT INTO "grant" (id, app_id, uid, granted_at, granted_at_repaired, outcome,
                outcome_at, token, version) VALUES
                (3, 7, 1000, 5, 4, 'never', 6, 't', '1 4'), (9, 8, 1000, 5, NULL, NULL, NULL,
                NULL, NULL);
            """
        try connection.run(rows, as: "test")
    }

    @Test func `the ledger of the first version is kept, and compared from then on`() throws {
        try makeFirstVersion()
        let store = try scratch.openUsable()
        #expect(
            store.takeNotices() == [
                .migrated(path: scratch.database, from: 1, to: Schema.current.version)
            ])
        let record = try #require(try store.load(.notes))
        #expect(record.isOptedOut)
        var grant = Grant(
            grantedAt: Stamp(WallTime(milliseconds: 5), repaired: WallTime(milliseconds: 4)),
            token: Token("t"), version: Version("1 4"))
        grant.outcome = .never
        grant.outcomeAt = Stamp(WallTime(milliseconds: 6))
        #expect(record.grants == [grant])
        #expect(try store.load(.maps)?.grants.count == 1)
        #expect(try store.loadUser(1000).grants.count == 2)
        try store.close()
        try scratch.openUsable().close()
    }

    @Test func `totals of events and sums of the funnel are worked out for an older database`()
        throws
    {
        try makeFirstVersion()
        do {
            let connection = try Connection(path: scratch.database)
            let rows = """
                UPDATE app SET events = '3 a' || char(10) || '40 7 up' || char(10) || '500 z'
                    WHERE id = 7;
                UPDATE app SET events = '9007199254740990 a' || char(10) || '9007199254740991 b'
                    WHERE id = 8;
                INSERT INTO app (id, uid, name) VALUES (9, 1000, 'none'), (10, 7, 'org.other');
                INSERT INTO funnel VALUES (7, 3, 'request', 1), (8, 3, 'request', 2),
                    (8, 4, 'request', 4), (10, 3, 'request', 8);
                """
            try connection.run(rows, as: "test")
        }
        let store = try scratch.openUsable()
        let apps = try store.summaries(of: 1000, after: nil, limit: 9, at: .start)
        #expect(apps.map(\.events.value) == [0, 543, Count.max])
        #expect(try store.load(.notes)?.events.total.value == 543)
        #expect(try store.funnel(user: 1000, app: nil, sinceDay: 3) == [.request: 7])
        #expect(try store.funnel(user: 7, app: nil, sinceDay: 0) == [.request: 8])
    }
}
