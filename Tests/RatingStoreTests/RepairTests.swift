import RatingPolicy
import Testing

@testable import RatingStore

struct RepairTests {
    let scratch: ScratchDirectory
    let store: StateStore

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    /// A record whose every stamp is this one.
    private func record(_ stamp: Stamp) -> AppRecord {
        var record = AppRecord()
        record.lastSession = stamp
        record.firstSeen = stamp
        record.lastSeen = stamp
        var grant = Grant(grantedAt: stamp, token: nil, version: nil)
        grant.shownAt = stamp
        grant.outcome = .later
        grant.outcomeAt = stamp
        record.grants = [grant]
        return record
    }

    private func write(_ record: AppRecord, for key: AppKey = .notes) throws {
        var changes = StoreChanges()
        changes.apps.append(.init(key, before: nil, after: record))
        changes.grantChecks = [.init(key: key, cap: 99, userCap: 99)]
        try store.commit(changes, durability: .synced, now: .start)
    }

    @Test func `every stamp in the future is repaired, and the first one stays`() throws {
        let future = Stamp(.start.adding(1))
        try write(record(future))
        #expect(try store.repairStamps(user: nil, now: .start) == 6)
        let expected = record(Stamp(.start.adding(1), repaired: .start))
        #expect(try store.load(.notes) == expected)
        #expect(try store.loadUser(1000).grants == [expected.grants[0].grantedAt])
        #expect(try store.repairStamps(user: nil, now: .start) == 0)
        try store.close()
        #expect(try scratch.openUsable().load(.notes) == expected)
    }

    @Test func `what is not in the future stays as it is`() throws {
        try write(record(Stamp(.start)))
        #expect(try store.repairStamps(user: nil, now: .start) == 0)
        #expect(try store.load(.notes) == record(Stamp(.start)))
    }

    @Test func `the database repairs as the rules do`() throws {
        let offsets: [Milliseconds] = [-5, 0, 5, 10]
        for (index, first) in offsets.enumerated() {
            for (other, repaired) in ([nil] + offsets).enumerated() {
                let stamp = Stamp(
                    .start.adding(first), repaired: repaired.map(WallTime.start.adding))
                let user = UserID(10 * index + other + 1)
                let key = AppKey(user: user, app: .notes)
                try write(record(stamp), for: key)
                let isAhead = stamp.isAhead(of: .start)
                #expect(try store.repairStamps(user: user, now: .start) == (isAhead ? 6 : 0))
                #expect(try store.load(key) == record(stamp.repaired(at: .start)))
            }
        }
    }

    @Test func `one user's repair is not another's`() throws {
        let other = AppKey(user: 7, app: .notes)
        try write(record(Stamp(.start.adding(9))))
        try write(record(Stamp(.start.adding(9))), for: other)
        #expect(try store.repairStamps(user: 7, now: .start) == 6)
        #expect(try store.load(.notes) == record(Stamp(.start.adding(9))))
        #expect(try store.repairStamps(user: nil, now: .start) == 6)
    }
}
