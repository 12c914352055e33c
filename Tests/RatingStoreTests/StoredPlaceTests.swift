import RatingPolicy
import Testing

@testable import RatingStore

/// What is remembered of an app's row beside its record, and when it is not believed any more.
struct StoredPlaceTests {
    let scratch: ScratchDirectory
    let store: StateStore
    let notes = StoredPlace(.notes)

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
        try store.put(fullRecord(), for: .maps)
        try store.put(fullRecord(), for: .notes)
    }

    private func row(of place: StoredPlace, in other: StateStore? = nil) throws -> Int64? {
        let store = other ?? store
        return try store.row(of: place, in: store.openDatabase())
    }

    @Test func `a place says what was looked up once`() throws {
        #expect(store.rows[notes] == nil)
        #expect(try row(of: notes) == 2)
        #expect(store.rows[notes] == 2)
        let other = StoredPlace(AppKey(user: 1, app: .notes))
        #expect(try row(of: other) == nil)
        #expect(store.rows[other] == nil)
    }

    @Test func `a place says nothing of an app whose row is another's by now`() throws {
        #expect(try row(of: notes) == 2)
        try store.forget(notes)
        #expect(store.rows[notes] == nil)
        #expect(try row(of: notes) == nil)
        let other = AppKey(user: 1001, app: .notes)
        try store.put(fullRecord(), for: other)
        #expect(try row(of: StoredPlace(other)) == 2)
        try store.put(fullRecord(), for: .notes)
        #expect(try row(of: notes) == 3)
    }

    @Test func `a place says nothing after a transaction that failed`() throws {
        try store.grant(token: "t", for: .maps)
        #expect(try row(of: notes) == 2)
        #expect(throws: StoreError.self) { try store.grant(token: "u", for: .maps, cap: 1) }
        #expect(store.rows[notes] == nil)
        #expect(try row(of: notes) == 2)
    }

    @Test func `a place says nothing after the database was opened anew`() throws {
        #expect(try row(of: notes) == 2)
        try store.recover(now: .start)
        #expect(store.rows[notes] == nil)
        #expect(try row(of: notes) == 2)
        try store.close()
        #expect(store.rows[notes] == nil)
    }

    @Test func `a place says nothing to another store`() throws {
        let other = try ScratchDirectory().openUsable()
        try other.put(fullRecord())
        #expect(try row(of: notes) == 2)
        #expect(other.rows[notes] == nil)
        #expect(try row(of: notes, in: other) == 1)
        #expect(store.rows[notes] == nil)
        #expect(try row(of: notes) == 2)
    }

    @Test func `many other apps do not make a place forget`() {
        let rows = KnownRows()
        rows.remember(1, of: .notes)
        rows.remember(1, in: notes)
        for user in 2_001...2_000 + UserID(KnownRows.countMax) {
            rows.remember(Int64(user) + 1, of: AppKey(user: user, app: .notes))
        }
        #expect(rows[AppKey.notes] == nil)
        #expect(rows[notes] == 1)
    }
}
