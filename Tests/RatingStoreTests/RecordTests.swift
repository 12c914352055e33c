import RatingPolicy
import Testing

@testable import RatingStore

/// What is written comes back.
struct RecordTests {
    let scratch: ScratchDirectory
    let store: StateStore

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    @Test func `an app never met has no record`() throws {
        #expect(try store.load(.notes) == nil)
        #expect(try store.appCount(of: 1000) == 0)
        #expect(try store.loadUser(1000) == UserRecord())
    }

    @Test func `every member of a record comes back`() throws {
        try store.put(fullRecord())
        #expect(try store.load(.notes) == fullRecord())
        try store.close()
        let again = try scratch.openUsable()
        #expect(try again.load(.notes) == fullRecord())
    }

    @Test func `a record can go back to nothing, member by member`() throws {
        try store.put(fullRecord())
        try store.put(AppRecord(), over: fullRecord())
        #expect(try store.load(.notes) == AppRecord())
        #expect(try store.appCount(of: 1000) == 1)
    }

    @Test func `users and apps do not share anything`() throws {
        try store.put(fullRecord())
        let other = AppKey(user: 1001, app: .notes)
        #expect(try store.load(other) == nil)
        try store.put(AppRecord(), for: other)
        #expect(try store.load(.notes) == fullRecord())
        #expect(try store.load(other) == AppRecord())
    }

    @Test func `grants keep their order and every member`() throws {
        try store.grant(token: "a")
        var before = try store.grant(token: "b", version: "2")
        var after = before
        after.grants[0].shownAt = Stamp(.start)
        after.grants[0].outcome = .later
        after.grants[0].outcomeAt = Stamp(.start, repaired: .start.adding(-1))
        try store.put(after, over: before)
        #expect(try store.load(.notes) == after)

        before = after
        after.grants[1].isForgotten = true
        after.grants[1].version = nil
        after.grants[0].token = nil
        try store.put(after, over: before)
        #expect(try store.load(.notes) == after)
    }

    @Test func `a token leads to its app`() throws {
        try store.grant(token: "tokenA")
        try store.grant(token: "tokenB", for: .maps)
        #expect(try store.key(ofToken: Token("tokenB")!) == .maps)
        #expect(try store.key(ofToken: Token("tokenC")!) == nil)
    }

    @Test func `a user's grants are those of all apps, in the order they were made`() throws {
        try store.grant(token: "a", at: .start)
        try store.grant(token: "b", for: .maps, at: .start.adding(1))
        try store.grant(token: "c", for: AppKey(user: 7, app: .notes), at: .start.adding(2))
        let user = try store.loadUser(1000)
        #expect(user.grants == [Stamp(.start), Stamp(.start.adding(1))])
        let late = try store.grants(user: 1000, app: nil, since: .start.adding(1))
        #expect(late.map(\.token?.string) == ["b"])
        #expect(try store.grants(user: 1000, app: .notes, since: .start).count == 1)
        #expect(try store.grants(user: 1000, app: .notes, since: .start.adding(1)).isEmpty)
    }

    @Test func `opting out of all apps is kept per user`() throws {
        var changes = StoreChanges()
        changes.optedOutOfAll = [1000: true, 1001: false]
        try store.commit(changes, durability: .synced, now: .start)
        #expect(try store.loadUser(1000).isOptedOutOfAll)
        #expect(try !store.loadUser(1001).isOptedOutOfAll)
        changes.optedOutOfAll = [1000: false]
        try store.commit(changes, durability: .synced, now: .start)
        #expect(try !store.loadUser(1000).isOptedOutOfAll)
    }

    @Test func `apps are listed in the order of their bytes, page by page`() throws {
        var seen = AppRecord()
        seen.firstSeen = Stamp(.start)
        for name in ["b", "B", "a.b", "a", "_x"] {
            try store.put(seen, for: AppKey(user: 1, app: AppID(name)!))
        }
        let first = try store.summaries(of: 1, after: nil, limit: 3, at: .start)
        #expect(first.map(\.app.string) == ["B", "_x", "a"])
        let rest = try store.summaries(of: 1, after: AppID("a"), limit: 3, at: .start)
        #expect(rest.map(\.app.string) == ["a.b", "b"])
    }

    @Test func `a list tells of each app what its record says`() throws {
        let record = fullRecord()
        try store.put(record)
        let now = WallTime.start.adding(.day)
        let app = try #require(try store.summaries(of: 1000, after: nil, limit: 9, at: now).first)
        #expect(
            app
                == AppSummary(
                    app: .notes, sessions: record.sessions, events: record.eventsTotal,
                    lastSeen: record.lastSeen?.first,
                    promptsInWindow: record.promptsInWindow(at: now), isListed: true))
        #expect(record.eventsTotal > 0)
        var before = try store.grant(token: "t")
        var after = before
        // It lies in the future, and so has age 0.
        after.grants[0].grantedAt = Stamp(now.adding(.day))
        try store.put(after, over: before)
        before = after
        func prompts(_ now: WallTime) throws -> Int? {
            try store.summaries(of: 1000, after: nil, limit: 9, at: now).first?.promptsInWindow
        }
        #expect(try prompts(now) == before.promptsInWindow(at: now))
        let end = now.adding(.day + .window)
        #expect(try prompts(end) == before.promptsInWindow(at: end))
        #expect(try prompts(end.adding(-1)) == before.promptsInWindow(at: end.adding(-1)))
    }

    @Test func `listed is what was seen or has a grant that is not forgotten`() throws {
        var hello = AppRecord()
        hello.helloPolicy = HelloPolicy()
        try store.put(hello, for: AppKey(user: 1000, app: AppID("hello")!))
        let before = try store.grant(token: "t")
        #expect(try store.listed(1000) == [.notes])
        var after = before
        after.grants[0].isForgotten = true
        try store.put(after, over: before)
        #expect(try store.listed(1000).isEmpty)
        #expect(try store.appCount(of: 1000) == 2)
    }

    @Test func `an app of which nothing is kept gives its place free`() throws {
        var record = fullRecord()
        try store.put(record)
        var changes = StoreChanges()
        changes.apps.append(.init(.notes, before: record, after: AppRecord()))
        changes.forgottenFunnels = [.notes]
        try store.commit(changes, durability: .synced, now: .start)
        #expect(try store.load(.notes) == nil)
        #expect(try store.appCount(of: 1000) == 0)
        record.sessions = 1
        try store.put(record, over: AppRecord())
        #expect(try store.load(.notes) == record)
    }
}
