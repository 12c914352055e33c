import RatingPolicy
import TestSupport
import Testing

@testable import RatingStore

struct FunnelTests {
    let scratch: ScratchDirectory
    let store: StateStore
    let today = WallTime.start.day

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    private func add(_ cells: [(AppKey, Int64, FunnelStep, Int64)]) throws {
        var changes = StoreChanges()
        for (key, day, step, count) in cells {
            changes.funnel[FunnelCell(key: key, day: day, step: step)] = count
        }
        try store.commit(changes, durability: .relaxed, now: .start)
    }

    @Test func `counts add up over days and flushes`() throws {
        try add([(.notes, today, .request, 2), (.notes, today - 1, .request, 3)])
        try add([(.notes, today, .request, 5), (.notes, today, .refused("version"), 1)])
        let sums = try store.funnel(user: 1000, app: .notes, sinceDay: today - 1)
        #expect(sums == [.request: 10, .refused("version"): 1])
        #expect(try store.funnel(user: 1000, app: .notes, sinceDay: today)[.request] == 7)
        #expect(try store.funnel(user: 1000, app: .notes, sinceDay: today + 1).isEmpty)
    }

    @Test func `all apps of a user add up, and nobody else's`() throws {
        try add([
            (.notes, today, .granted, 1), (.maps, today, .granted, 2),
            (AppKey(user: 7, app: .notes), today, .granted, 4),
        ])
        #expect(try store.funnel(user: 1000, app: nil, sinceDay: 0) == [.granted: 3])
        #expect(try store.funnel(user: 7, app: nil, sinceDay: 0) == [.granted: 4])
        #expect(try store.funnel(user: 8, app: nil, sinceDay: 0).isEmpty)
    }

    @Test func `every step comes back`() throws {
        let steps: [FunnelStep] = [
            .request, .refusedTotal, .refused("event:a:b"), .pending, .cancelled("activity"),
            .granted, .manualReview,
        ]
        try add(steps.map { (.notes, today, $0, 1) })
        let sums = try store.funnel(user: 1000, app: .notes, sinceDay: 0)
        #expect(Set(sums.keys) == Set(steps))
    }

    @Test func `an app of which only the funnel is known has its place and no record to speak of`()
        throws
    {
        try add([(.notes, today, .request, 1)])
        #expect(try store.load(.notes) == AppRecord())
        #expect(try store.appCount(of: 1000) == 1)
        #expect(try store.listed(1000).isEmpty)
        // Memory that never met it writes its first record over that.
        try store.put(fullRecord())
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `days older than those kept go at a flush`() throws {
        let kept = FunnelStep.daysKept
        try add([(.notes, today - kept, .request, 1), (.maps, today - kept - 1, .request, 2)])
        #expect(try store.funnel(user: 1000, app: nil, sinceDay: 0) == [.request: 1])
        var changes = StoreChanges()
        changes.funnel = [FunnelCell(key: .notes, day: today + 1, step: .pending): 1]
        try store.commit(changes, durability: .relaxed, now: .start.adding(.day))
        #expect(try store.funnel(user: 1000, app: nil, sinceDay: 0) == [.pending: 1])
    }

    @Test func `a funnel can be forgotten`() throws {
        try add([(.notes, today, .request, 1), (.maps, today, .request, 2)])
        var changes = StoreChanges()
        changes.forgottenFunnels = [.notes, AppKey(user: 3, app: .notes)]
        changes.funnel = [FunnelCell(key: .notes, day: today, step: .granted): 1]
        try store.commit(changes, durability: .synced, now: .start)
        #expect(try store.funnel(user: 1000, app: .notes, sinceDay: 0) == [.granted: 1])
        #expect(try store.funnel(user: 1000, app: nil, sinceDay: 0)[.request] == 2)
    }

    @Test func `what is kept of all apps is the sum of what is kept of each`() throws {
        var random = Seeded(4)
        let keys: [AppKey] = [.notes, .maps, AppKey(user: 7, app: .notes)]
        let steps: [FunnelStep] = [.request, .refusedTotal, .refused("event:a")]
        for turn in 0..<60 {
            var changes = StoreChanges()
            for _ in 0..<random.number(1...4) {
                let day = today + Int64(turn) - Int64(random.number(0...FunnelStepDays.spread))
                let cell = FunnelCell(
                    key: random.pick(keys), day: day, step: random.pick(steps))
                changes.funnel[cell] = Int64(random.number(1...5))
            }
            if random.isTrue(oneIn: 5) { changes.forgottenFunnels = [random.pick(keys)] }
            let now = WallTime.start.adding(Int64(turn) * .day)
            try store.commit(changes, durability: .relaxed, now: now)
            for user: UserID in [1000, 7] {
                var sums: [FunnelStep: Int64] = [:]
                for key in keys where key.user == user {
                    let own = try store.funnel(user: user, app: key.app, sinceDay: 0)
                    sums.merge(own, uniquingKeysWith: +)
                }
                #expect(try store.funnel(user: user, app: nil, sinceDay: 0) == sums)
            }
        }
    }
}

/// Some of the days are older than those kept.
private enum FunnelStepDays {
    static let spread = Int(FunnelStep.daysKept) + 20
}
