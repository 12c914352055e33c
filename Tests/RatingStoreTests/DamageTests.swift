import Posix
import RatingPolicy
import TestSupport
import Testing

@testable import RatingStore

/// Damage that is there when the store starts.
struct DamageTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// A database with something in it, closed.
    private func fill() throws {
        let store = try scratch.openUsable()
        try store.put(fullRecord())
        try store.grant(token: "t")
        var changes = StoreChanges()
        changes.optedOutOfAll[2] = true
        try store.commit(changes, durability: .synced, now: .start)
        for number in 0..<30 {
            try store.put(
                fullRecord(), for: AppKey(user: 1, app: AppID("org.example.App\(number)")!))
        }
        try store.close()
    }

    /// Expects that these bytes were set aside, once, and that a new database is beside them.
    private func expectSetAside(
        _ damaged: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try scratch.open()
        #expect(store.failure == nil, sourceLocation: sourceLocation)
        let names = try scratch.setAside()
        try #require(names.count == 1, "\(names)", sourceLocation: sourceLocation)
        let aside = scratch.state + "/" + names[0]
        #expect(try FileTree.read(aside) == damaged, sourceLocation: sourceLocation)
        let notices = store.takeNotices()
        #expect(notices.count == 1, sourceLocation: sourceLocation)
        guard case .setAside(scratch.database, aside, let cause) = notices.first else {
            Issue.record("\(notices)", sourceLocation: sourceLocation)
            return
        }
        #expect(!cause.isEmpty, sourceLocation: sourceLocation)
        #expect(!store.ledgerIsTrusted, sourceLocation: sourceLocation)
        #expect(try store.load(.notes) == nil, sourceLocation: sourceLocation)
        try store.put(fullRecord())
        try store.close()
        // The next start says that it is still there, and sets nothing aside.
        let next = try scratch.openUsable()
        #expect(
            next.takeNotices() == [.besideSetAside(paths: [aside])],
            sourceLocation: sourceLocation)
        #expect(try next.load(.notes) == fullRecord(), sourceLocation: sourceLocation)
        try next.close()
    }

    @Test(
        arguments: [
            [], [0], Array("no database at all".utf8), [UInt8](repeating: 0, count: 4096),
            Array("SQLite format 3\0".utf8), [UInt8](repeating: 0xFF, count: 100_000),
        ] as [[UInt8]])
    func `what is no database is set aside`(bytes: [UInt8]) throws {
        try Files.makeDirectories(scratch.state)
        try FileTree.write(bytes, to: scratch.database)
        try expectSetAside(bytes)
    }

    @Test(arguments: [
        "CREATE TABLE songs (x)",
        "PRAGMA application_id = 5; PRAGMA user_version = 99; CREATE TABLE t (x)",
        "PRAGMA application_id = \(Schema.applicationID); CREATE TABLE t (x)",
        "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1; CREATE TABLE t (x)",
        "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = -1; CREATE TABLE t (x)",
    ])
    func `another program's database is set aside`(sql: String) throws {
        try Files.makeDirectories(scratch.state)
        try FileTree.write([], to: scratch.database)
        do {
            let connection = try Connection(path: scratch.database)
            try connection.run(sql, as: "test")
        }
        try expectSetAside(FileTree.read(scratch.database))
    }

    @Test func `a database without one of its indexes is set aside`() throws {
        try fill()
        do {
            let connection = try Connection(path: scratch.database)
            try connection.run("DROP INDEX ledger_user", as: "test")
        }
        try expectSetAside(FileTree.read(scratch.database))
    }

    @Test func `what is more than ours in the schema is no damage`() throws {
        try fill()
        do {
            let connection = try Connection(path: scratch.database)
            try connection.run("CREATE INDEX extra ON app (name); ANALYZE", as: "test")
        }
        let store = try scratch.openUsable()
        #expect(store.takeNotices().isEmpty)
        #expect(try store.load(.notes)?.sessions == 12)
    }

    @Test func `an index of the ledger that lacks a grant is damage`() throws {
        try fill()
        do {
            let connection = try Connection(path: scratch.database)
            let sql = """
                PRAGMA writable_schema = ON;
                CREATE INDEX spare ON ledger (uid) WHERE uid < 0;
                UPDATE sqlite_schema SET rootpage =
                    (SELECT rootpage FROM sqlite_schema WHERE name = 'spare')
                    WHERE name = 'ledger_user';
                DELETE FROM sqlite_schema WHERE name = 'spare';
                """
            try connection.run(sql, as: "test")
        }
        try expectSetAside(FileTree.read(scratch.database))
    }

    @Test func `cut short anywhere it is set aside or whole, never forgotten`() throws {
        try fill()
        let whole = try FileTree.read(scratch.database)
        var count = 0
        for length in stride(from: 0, to: whole.count, by: 100) {
            count += 1
            let cut = Array(whole[..<length])
            let other = try ScratchDirectory()
            try Files.makeDirectories(other.state)
            try FileTree.write(cut, to: other.database)
            let store = try other.open()
            #expect(store.failure == nil, "\(length)")
            #expect(try other.setAside().count == 1, "\(length)")
            #expect(!store.ledgerIsTrusted, "\(length)")
            let aside = try other.state + "/" + #require(try other.setAside().first)
            #expect(try FileTree.read(aside) == cut, "\(length)")
        }
        #expect(count > 100)
    }

    @Test func `flipped anywhere it is set aside, newer, or still holds its data`() throws {
        try fill()
        let whole = try FileTree.read(scratch.database)
        let grants = [
            Grant(grantedAt: Stamp(.start), token: Token("t"), version: Version("1"))
        ]
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(seed)
        var setAside = 0
        for round in 0..<300 {
            var bytes = whole
            // The first page, where everything begins, gets its share.
            let bound = round % 3 == 0 ? Schema.pageBytes : bytes.count
            for _ in 0..<[1, 1, 4, 64].randomElement(using: &random)! {
                let index = Int.random(in: 0..<bound, using: &random)
                bytes[index] ^= UInt8.random(in: 1...255, using: &random)
            }
            let other = try ScratchDirectory()
            try Files.makeDirectories(other.state)
            try FileTree.write(bytes, to: other.database)
            let store = try other.open()
            let names = try other.setAside()
            let label: Comment = "seed \(seed) round \(round)"
            #expect(store.ledgerIsTrusted == names.isEmpty, label)
            if let name = names.first {
                setAside += 1
                #expect(try FileTree.read(other.state + "/" + name) == bytes, label)
                #expect(store.failure == nil, label)
            } else if let failure = store.failure {
                #expect(failure.detail.contains("newer"), label)
                #expect(try FileTree.read(other.database) == bytes, label)
            } else {
                // Counters that no check finds may be read wrong, but they are read.
                for number in 0..<30 {
                    let app = AppID("org.example.App\(number)")!
                    _ = try? store.load(AppKey(user: 1, app: app))
                }
                if let record = try? store.load(.notes) {
                    #expect(record.grants == grants, label)
                    #expect(record.isOptedOut, label)
                }
                if let user = try? store.loadUser(2) { #expect(user.isOptedOutOfAll, label) }
            }
        }
        #expect(setAside > 60, "seed \(seed)")
    }

    @Test func `two in one second keep their own names`() throws {
        for count in 1...3 {
            try Files.makeDirectories(scratch.state)
            try FileTree.write([UInt8(count)], to: scratch.database)
            let store = try scratch.openUsable()
            #expect(try scratch.setAside().count == count)
            try store.close()
        }
        let names = try scratch.setAside()
        #expect(
            names == ["", ".2", ".3"].map { "ratingd.db.corrupt-20261130T050902Z" + $0 })
        #expect(try names.map { try FileTree.read(scratch.state + "/" + $0) } == [[1], [2], [3]])
    }

    @Test func `the log goes along under the name that opens it`() throws {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord(), .synced)
        }
        let log = try FileTree.read(scratch.database + "-wal")
        try #require(!log.isEmpty)
        var bytes = try FileTree.read(scratch.database)
        bytes[70] ^= 1
        try FileTree.write(bytes, to: scratch.database)
        _ = try scratch.openUsable()
        let names = try scratch.setAside()
        try #require(names.count == 2)
        #expect(names[1] == names[0] + "-wal")
        #expect(try FileTree.read(scratch.state + "/" + names[1]) == log)
        #expect(try FileTree.read(scratch.state + "/" + names[0]) == bytes)
    }

    @Test func `cut short between the two renames, the log is found by the next start`() throws {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord(), .synced)
        }
        let log = try FileTree.read(scratch.database + "-wal")
        let aside = scratch.database + ".corrupt-20200101T000000Z"
        try Files.rename(scratch.database, to: aside)
        let store = try scratch.openUsable()
        #expect(try FileTree.read(aside + "-wal") == log)
        #expect(!store.ledgerIsTrusted)
        #expect(try store.load(.notes) == nil)
    }

    @Test func `a log whose database is gone is set aside alone`() throws {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord(), .synced)
        }
        try Files.unlink(scratch.database)
        let store = try scratch.openUsable()
        #expect(try scratch.setAside() == ["ratingd.db.corrupt-20261130T050902Z-wal"])
        #expect(!store.ledgerIsTrusted)
        #expect(store.takeNotices().count == 1)
    }

    @Test func `trust comes back when the file is taken away`() throws {
        try Files.makeDirectories(scratch.state)
        try FileTree.write([1], to: scratch.database)
        let store = try scratch.openUsable()
        #expect(!store.ledgerIsTrusted)
        #expect(!store.ledgerIsTrusted)
        try Files.unlink(scratch.state + "/" + (try scratch.setAside()[0]))
        #expect(store.ledgerIsTrusted)
    }

    @Test func `a file that is put back is used again`() throws {
        try fill()
        var bytes = try FileTree.read(scratch.database)
        bytes[70] ^= 1
        try FileTree.write(bytes, to: scratch.database)
        try scratch.openUsable().close()
        let aside = scratch.state + "/" + (try scratch.setAside()[0])
        bytes[70] ^= 1
        try FileTree.write(bytes, to: aside)
        try Files.rename(aside, to: scratch.database)
        let store = try scratch.openUsable()
        #expect(store.ledgerIsTrusted)
        #expect(try store.load(.notes)?.grants.count == 1)
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `a new database beside a set-aside one that dies at once is no first start`() throws
    {
        try Files.makeDirectories(scratch.state)
        try FileTree.write([1], to: scratch.database + ".corrupt-20200101T000000Z")
        let store = try scratch.openUsable()
        #expect(!store.ledgerIsTrusted)
        #expect(
            store.takeNotices() == [
                .besideSetAside(paths: [scratch.database + ".corrupt-20200101T000000Z"])
            ])
    }
}
