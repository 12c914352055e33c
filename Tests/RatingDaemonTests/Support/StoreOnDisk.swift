import RatingPolicy
import RatingStore
import TestSupport

@testable import RatingDaemon

/// The daemon's own store in a directory of the test, without the helper thread.
final class StoreOnDisk: Storage {
    let directory: TemporaryDirectory
    let store: StateStore
    private(set) var epoch = 0

    init(at now: WallTime) {
        directory = TemporaryDirectory()
        guard case .opened(let store) = StateStore.open(directory: directory.path, now: now) else {
            preconditionFailure("nobody else has a directory that was just made")
        }
        self.store = store
    }

    var ledgerProblem: String? { store.ledgerIsTrusted ? nil : "damaged state was set aside" }

    var failure: StoreError? { store.failure }

    func load(_ key: AppKey) throws(StoreError) -> AppRecord? { try store.load(key) }

    func loadUser(_ user: UserID) throws(StoreError) -> UserRecord { try store.loadUser(user) }

    func appCount(of user: UserID) throws(StoreError) -> Int {
        Int(try store.appCount(of: user))
    }

    func key(ofToken token: Token) throws(StoreError) -> AppKey? { try store.key(ofToken: token) }

    func summaries(
        of user: UserID, after: AppID?, limit: Int, at now: WallTime
    ) throws(StoreError) -> [AppSummary] {
        try store.summaries(of: user, after: after, limit: limit, at: now)
    }

    func funnel(
        of user: UserID, app: AppID?, after place: FunnelPlace, limit: Int
    ) throws(StoreError) -> [FunnelLine] {
        try store.funnel(of: user, app: app, after: place, limit: limit)
    }

    func grants(of user: UserID, app: AppID?, since: WallTime) throws(StoreError) -> [Grant] {
        try store.grants(user: user, app: app, since: since)
    }

    func repairStamps(at now: WallTime) throws(StoreError) -> Int {
        defer { epoch += 1 }
        return try store.repairStamps(user: nil, now: now)
    }

    func commit(_ rises: [Rise], at now: WallTime) throws(StoreError) -> Bool {
        try counting { () throws(StoreError) in try store.commit(rises, now: now) }
        return true
    }

    func commit(
        _ changes: StoreChanges, _ durability: Durability, at now: WallTime
    ) throws(StoreError) {
        try counting { () throws(StoreError) in
            try store.commit(changes, durability: durability, now: now)
        }
    }

    /// Counts a failure as an end of what was read before.
    private func counting(_ commit: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try commit()
        } catch {
            epoch += 1
            throw error
        }
    }
}
