import RatingPolicy
import Testing

@testable import RatingStore

/// New grants are counted once more in the database.
struct LedgerTests {
    let scratch: ScratchDirectory
    let store: StateStore

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    private func isRefused(
        _ key: AppKey = .notes, cap: Int64 = 1_000, userCap: Int64 = 1_000, at now: WallTime
    ) throws -> Bool {
        let before = try store.load(key)
        do {
            try store.grant(
                token: "new\(now.milliseconds)", for: key, cap: cap, userCap: userCap, at: now)
            return false
        } catch StoreError.capReached(let detail) {
            #expect(detail.contains(store.path))
            #expect(try store.load(key) == before)
            return true
        }
    }

    @Test func `the last grant under the cap is made and the next is not`() throws {
        #expect(try isRefused(cap: 0, at: .start))
        #expect(try !isRefused(cap: 2, at: .start))
        #expect(try !isRefused(cap: 2, at: .start.adding(1)))
        #expect(try isRefused(cap: 2, at: .start.adding(2)))
        #expect(try !isRefused(cap: 3, at: .start.adding(3)))
    }

    @Test func `a grant aged exactly the window is outside it`() throws {
        try store.grant(token: "a")
        #expect(try isRefused(cap: 1, at: .start.adding(.window - 1)))
        #expect(try !isRefused(cap: 1, at: .start.adding(.window)))
    }

    @Test func `the cap of a user counts the grants of all his apps and of nobody else`() throws {
        try store.grant(token: "a", for: .maps)
        try store.grant(token: "b", for: AppKey(user: 7, app: .notes))
        #expect(try isRefused(userCap: 1, at: .start))
        #expect(try !isRefused(userCap: 2, at: .start))
        #expect(try isRefused(.maps, userCap: 2, at: .start.adding(.window - 1)))
        #expect(try !isRefused(.maps, userCap: 2, at: .start.adding(.window)))
    }

    @Test func `a grant in the future counts, at any distance`() throws {
        try store.grant(token: "a", at: .start)
        for back in [1, .window, 100 * .window] as [Milliseconds] {
            #expect(try isRefused(cap: 1, at: .start.adding(-back)))
        }
    }

    @Test func `times at the ends of the range overflow nothing`() throws {
        try store.grant(token: "a", at: WallTime(milliseconds: .max))
        #expect(try isRefused(cap: 1, at: WallTime(milliseconds: .min)))
        try store.grant(token: "b", for: .maps, at: WallTime(milliseconds: .min))
        #expect(try !isRefused(.maps, cap: 1, userCap: 2, at: WallTime(milliseconds: .max)))
    }

    /// What SQL counts is what Stamp.age counts.
    @Test func `repaired stamps count as the rules count them`() throws {
        let base = WallTime.start
        let spans: [Milliseconds] = [
            -2 * .window, -.window - 1, -.window, -.window + 1, -1, 0, 1, .window - 1, .window,
            .window + 1, 2 * .window,
        ]
        var record = AppRecord()
        for first in spans {
            record.grants.append(
                Grant(grantedAt: Stamp(base.adding(first)), token: nil, version: nil))
            for repaired in spans {
                let stamp = Stamp(base.adding(first), repaired: base.adding(repaired))
                record.grants.append(Grant(grantedAt: stamp, token: nil, version: nil))
            }
        }
        var changes = StoreChanges()
        changes.apps.append(.init(.notes, before: nil, after: record))
        changes.grantChecks = [.init(key: .notes, cap: 1_000, userCap: 1_000)]
        try store.commit(changes, durability: .synced, now: base)
        for now in spans.map(base.adding) {
            let expected = record.grants.count { $0.grantedAt.age(at: now) < .window }
            #expect(try isRefused(cap: Int64(expected), at: now))
            #expect(try isRefused(userCap: Int64(expected), at: now))
        }
    }

    @Test func `several grants of one commit count each other`() throws {
        var changes = StoreChanges()
        for key in [AppKey.notes, .maps] {
            var after = AppRecord()
            after.grants = [Grant(grantedAt: Stamp(.start), token: nil, version: nil)]
            changes.apps.append(.init(key, before: nil, after: after))
            changes.grantChecks.append(.init(key: key, cap: 3, userCap: 1))
        }
        #expect(throws: StoreError.self) {
            try store.commit(changes, durability: .synced, now: .start)
        }
        #expect(try store.loadUser(1000).grants.isEmpty)
        changes.grantChecks = changes.grantChecks.map { .init(key: $0.key, cap: 3, userCap: 2) }
        try store.commit(changes, durability: .synced, now: .start)
        #expect(try store.loadUser(1000).grants.count == 2)
    }

    @Test func `a refused commit leaves nothing of what came with it`() throws {
        try store.grant(token: "a", for: .maps)
        var changes = StoreChanges()
        var after = try #require(try store.load(.maps))
        after.grants.append(Grant(grantedAt: Stamp(.start), token: nil, version: nil))
        changes.apps.append(.init(.maps, before: try store.load(.maps), after: after))
        changes.grantChecks = [.init(key: .maps, cap: 1, userCap: 9)]
        changes.apps.append(.init(.notes, before: nil, after: fullRecord()))
        changes.optedOutOfAll = [1000: true]
        changes.funnel = [FunnelCell(key: .notes, day: WallTime.start.day, step: .granted): 1]
        #expect(throws: StoreError.self) {
            try store.commit(changes, durability: .synced, now: .start)
        }
        #expect(store.failure == nil)
        #expect(try store.load(.notes) == nil)
        #expect(try store.loadUser(1000).isOptedOutOfAll == false)
        #expect(try store.load(.maps)?.grants.count == 1)
        try store.put(fullRecord())
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `forgotten grants count for ever`() throws {
        let before = try store.grant(token: "a")
        var after = AppRecord()
        var grant = before.grants[0]
        grant.isForgotten = true
        grant.token = nil
        grant.version = nil
        after.grants = [grant]
        try store.put(after, over: before, .synced)
        #expect(try isRefused(cap: 1, at: .start.adding(1)))
        #expect(try isRefused(userCap: 1, at: .start.adding(1)))
    }

    @Test func `a memory that lacks a grant is told so`() throws {
        try store.grant(token: "a")
        var after = AppRecord()
        after.grants = [Grant(grantedAt: Stamp(.start), token: nil, version: nil)]
        for before in [nil, AppRecord()] {
            var changes = StoreChanges()
            changes.apps.append(.init(.notes, before: before, after: after))
            changes.grantChecks = [.init(key: .notes, cap: 9, userCap: 9)]
            let error = #expect(throws: StoreError.self) {
                try store.commit(changes, durability: .synced, now: .start)
            }
            guard case .ledgerDisagrees(let detail) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(detail.contains("holds 1 grants") && detail.contains("the memory 0"))
        }
        #expect(try store.load(.notes)?.grants.count == 1)
        #expect(store.failure == nil)
    }

    @Test func `a record that is new to the memory does not hide grants either`() throws {
        try store.grant(token: "a")
        let error = #expect(throws: StoreError.self) { try store.put(fullRecord()) }
        guard case .ledgerDisagrees = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try store.load(.notes)?.sessions == 0)
    }

    @Test func `a memory that knows a grant too many is told so`() throws {
        var before = AppRecord()
        before.grants = [Grant(grantedAt: Stamp(.start), token: nil, version: nil)]
        var after = before
        after.grants[0].outcome = .rated
        #expect(throws: StoreError.self) { try store.put(after, over: before) }
        #expect(try store.load(.notes) == nil)
    }
}
