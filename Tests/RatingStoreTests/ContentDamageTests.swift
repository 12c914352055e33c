import RatingPolicy
import Testing

@testable import RatingStore

/// Damage in the content of rows, which leaves SQLite's structure as it is.
struct ContentDamageTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func expectSetAside() throws {
        let damaged = try FileTree.read(scratch.database)
        let store = try scratch.openUsable()
        let names = try scratch.setAside()
        try #require(names.count == 1)
        #expect(try FileTree.read(scratch.state + "/" + names[0]) == damaged)
        #expect(!store.ledgerIsTrusted)
    }

    /// Turns one bit of the grant's time over, which leaves all of SQLite's structure as it is.
    private func flipTimeOfGrant() throws {
        let store = try scratch.openUsable()
        try store.grant(token: "t")
        try store.close()
        var bytes = try FileTree.read(scratch.database)
        let time = (0..<6).reversed().map {
            UInt8(truncatingIfNeeded: WallTime.start.milliseconds >> (8 * $0))
        }
        let place = (0..<bytes.count - 6).first { Array(bytes[$0..<$0 + 6]) == time }
        bytes[try #require(place) + 1] ^= 4
        try FileTree.write(bytes, to: scratch.database)
    }

    @Test func `a flipped bit in the time of a grant is damage`() throws {
        try flipTimeOfGrant()
        try expectSetAside()
    }

    @Test func `a grant that is not what its copy says is not read`() throws {
        try flipTimeOfGrant()
        let connection = try Connection(path: scratch.database)
        let database = try Database(
            connection, paths: StatePaths(directory: scratch.state),
            note: RunNoteFile(scratch.database + ".note"))
        #expect(throws: StoreFailure.self) { try database.app(.notes) }
        #expect(throws: StoreFailure.self) { try database.user(AppKey.notes.user) }
        #expect(throws: StoreFailure.self) {
            try database.grants(of: AppKey.notes.user, since: WallTime(milliseconds: 0))
        }
    }

    @Test(arguments: ["app", "user"])
    func `an opt-out that its index does not know is damage`(table: String) throws {
        let store = try scratch.openUsable()
        try store.put(fullRecord())
        var changes = StoreChanges()
        changes.optedOutOfAll[2] = true
        try store.commit(changes, durability: .synced, now: .start)
        try store.close()
        do {
            let connection = try Connection(path: scratch.database)
            let sql = """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE INDEX \(table)_opted_out ON \(table) (uid)
                    WHERE uid < 0' WHERE name = '\(table)_opted_out';
                """
            let normal = try connection.texts(
                "SELECT sql FROM sqlite_schema WHERE name = '\(table)_opted_out'", as: "test")
            try connection.run(sql, as: "test")
            try connection.run("PRAGMA writable_schema = RESET", as: "test")
            let column = table == "app" ? "opted_out" : "opted_out_of_all"
            try connection.run("UPDATE \(table) SET \(column) = 0", as: "test")
            try connection.run(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = '\(normal[0])' WHERE name = '\(table)_opted_out';
                """, as: "test")
        }
        try expectSetAside()
    }
}
