import RatingPolicy
import RatingStore
import RatingWire
import TestSupport
import Testing

@testable import RatingDaemon

/// The store in memory, against the daemon's own: the same commits, the same answers.
struct StorageTests {
    @Test(arguments: 0..<8)
    func `memory and disk store the same and refuse the same`(seed: UInt64) throws {
        var play = StoragePlay(seed: seed)
        let disk = StoreOnDisk(at: play.now)
        let memory = MemoryStorage()
        for step in 0..<60 {
            let step = "seed \(seed) step \(step)"
            let isRepair = play.random.isTrue(oneIn: 10)
            if isRepair {
                #expect(
                    try memory.repairStamps(at: play.now) == disk.repairStamps(at: play.now),
                    "\(step)")
            } else {
                let changes = play.changes(on: memory.disk.image)
                let isSynced: Durability = play.random.isTrue(oneIn: 2) ? .synced : .relaxed
                #expect(
                    kind { () throws(StoreError) in
                        try memory.commit(changes, isSynced, at: play.now)
                    }
                        == kind { () throws(StoreError) in
                            try disk.commit(changes, isSynced, at: play.now)
                        }, "\(step)")
            }
            let stored = try view(disk, play)
            #expect(try view(memory, play).filter { !stored.contains($0) } == [], "\(step)")
            play.advance()
        }
        #expect(memory.epoch == disk.epoch)
    }

    @Test func `a refused commit stores nothing, and the next one works`() throws {
        let memory = MemoryStorage()
        memory.faults = [1: .refused]
        #expect(throws: StoreError.self) { try memory.put(sessions: 1) }
        #expect(memory.disk.image == Disk.Image())
        #expect(memory.epoch == 1)
        try memory.put(sessions: 1)
        #expect(memory.disk.image.apps.count == 1)
    }

    @Test func `a broken store stores nothing before it is opened anew`() throws {
        let memory = MemoryStorage()
        memory.faults = [1: .broken]
        #expect(throws: StoreError.self) { try memory.put(sessions: 1) }
        #expect(throws: StoreError.self) { try memory.put(sessions: 1) }
        #expect(try memory.load(.notes) == nil)
        memory.recover()
        try memory.put(sessions: 1)
        #expect(memory.disk.image.apps.count == 1)
    }

    @Test func `what a failed sync was to store may be there or not after a power cut`() throws {
        let memory = MemoryStorage()
        memory.faults = [1: .syncFailed]
        #expect(throws: StoreError.self) { try memory.put(sessions: 1, .synced) }
        #expect(try memory.load(.notes)?.sessions == 1)
        memory.disk.cutPower(keeping: 0)
        #expect(memory.disk.image == Disk.Image())
    }

    @Test func `a power cut loses what was not synced and nothing else`() throws {
        let memory = MemoryStorage()
        try memory.put(sessions: 1, .synced)
        try memory.put(sessions: 2)
        try memory.put(sessions: 3)
        #expect(memory.disk.unsyncedCount == 2)
        memory.disk.cutPower(keeping: 1)
        #expect(try memory.load(.notes)?.sessions == 2)
    }
}

extension AppKey {
    static let notes = AppKey(user: .daemon, app: .notes)
}

extension MemoryStorage {
    fileprivate func put(sessions: Int64, _ durability: Durability = .relaxed) throws {
        let before = disk.image.apps[.notes]
        var after = before ?? AppRecord()
        after.sessions = Count(sessions)
        var changes = StoreChanges()
        changes.apps.append(.init(.notes, before: before, after: after))
        try commit(changes, durability, at: Moment.start.wall)
    }
}

/// Which error it was; nil if none.
private func kind(_ body: () throws(StoreError) -> Void) -> String? {
    do throws(StoreError) {
        try body()
        return nil
    } catch {
        switch error {
        case .unavailable: return "unavailable"
        case .damaged: return "damaged"
        case .ledgerDisagrees: return "ledgerDisagrees"
        case .capReached: return "capReached"
        }
    }
}

/// All that can be read of a store.
private func view(_ storage: any Storage, _ play: StoragePlay) throws -> [String] {
    var view: [String] = []
    for key in play.keys { view.append("\(key): \(try storage.load(key) as Any)") }
    for user in play.users {
        view.append("\(user): \(try storage.loadUser(user)), \(try storage.appCount(of: user))")
        let after = play.keys[0].app
        view.append("\(try storage.summaries(of: user, after: nil, limit: 2, at: play.now))")
        view.append("\(try storage.summaries(of: user, after: after, limit: 9, at: play.now))")
        for app in [nil, after] {
            let place = FunnelPlace(before: play.now.day - 1)
            view.append("\(try storage.funnel(of: user, app: app, after: place, limit: 9))")
            let since = play.now.adding(-.day)
            view.append("\(try storage.grants(of: user, app: app, since: since))")
        }
    }
    for token in play.tokens { view.append("\(try storage.key(ofToken: token) as Any)") }
    return view
}
