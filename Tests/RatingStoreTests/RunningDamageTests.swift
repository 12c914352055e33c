import Glibc
import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// Damage that comes while the store is open.
struct RunningDamageTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private static func key(_ number: Int) -> AppKey {
        AppKey(user: 1, app: AppID("org.example.App\(number)")!)
    }

    /// A database too large to be read wholly at the start.
    private func fill() throws {
        let store = try scratch.openUsable()
        var record = fullRecord()
        for number in 100..<200 {
            record.events[EventName(String(repeating: "n", count: 50) + "\(number)")!] = 1
        }
        var changes = StoreChanges()
        for number in 0..<1000 {
            changes.apps.append(.init(Self.key(number), before: nil, after: record))
        }
        try store.commit(changes, durability: .synced, now: .start)
        try store.close()
        try #require(
            try Files.status(scratch.database).size > DatabaseCheck.wholeCheckBytesMax)
    }

    /// Overwrites the second half of the file.
    private func damage() throws {
        let raw = unsafe Glibc.open(scratch.database, O_WRONLY)
        try #require(raw >= 0)
        let file = Descriptor(owning: raw)
        let size = try Files.status(of: file.raw).size
        let garbage = [UInt8](repeating: 0xA5, count: Int(size / 2))
        let written = unsafe garbage.withUnsafeBytes {
            unsafe pwrite(file.raw, $0.baseAddress, $0.count, off_t(size / 2))
        }
        try #require(written == garbage.count)
    }

    private func firstError(_ body: (Int) throws -> Void) -> StoreError? {
        for number in 0..<1000 {
            do { try body(number) } catch { return error as? StoreError }
        }
        return nil
    }

    @Test func `it closes the store until the next start, which sets it aside`() throws {
        try fill()
        let store = try scratch.openUsable()
        try store.put(AppRecord(), for: .maps)
        try damage()
        let error = firstError { _ = try store.load(Self.key($0)) }
        guard case .damaged(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains(scratch.database))
        #expect(store.failure == error)
        #expect(throws: StoreError.self) { try store.put(fullRecord()) }
        #expect(throws: StoreError.self) { try store.recover(now: .start) }
        #expect(!store.recoveryNeeded)
        #expect(try scratch.setAside().isEmpty)
        #expect(try scratch.names().contains("ratingd.db.damaged"))
        try? store.close()

        let next = try scratch.openUsable()
        #expect(try scratch.setAside().filter { !$0.hasSuffix("-wal") }.count == 1)
        #expect(!next.ledgerIsTrusted)
        #expect(try !scratch.names().contains("ratingd.db.damaged"))
        #expect(next.takeNotices().count == 1)
        try next.put(fullRecord())
    }

    @Test func `without a mark a large database is not looked through`() throws {
        try fill()
        try damage()
        let store = try scratch.openUsable()
        #expect(store.takeNotices().isEmpty)
        #expect(firstError { _ = try store.load(Self.key($0)) } != nil)
    }

    @Test func `a row that this program never wrote is damage, and found by the next start`() throws
    {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord())
            try store.close()
            let connection = try Connection(path: scratch.database)
            try connection.run("UPDATE app SET events = 'nonsense'", as: "test")
        }
        let store = try scratch.openUsable()
        guard
            case .damaged = #expect(throws: StoreError.self, performing: { try store.load(.notes) })
        else {
            Issue.record("not told as damage")
            return
        }
        try? store.close()
        let next = try scratch.openUsable()
        #expect(try scratch.setAside().count == 1)
        #expect(try next.load(.notes) == nil)
    }

    @Test func `a mark beside a good database is no damage`() throws {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord())
            try store.close()
        }
        try FileTree.write(Array("a flaky cable\n".utf8), to: scratch.database + ".damaged")
        let store = try scratch.openUsable()
        #expect(store.takeNotices().isEmpty)
        #expect(try store.load(.notes) == fullRecord())
        #expect(try !scratch.names().contains("ratingd.db.damaged"))
    }
}
