import RatingPolicy
import RatingStore

/// What the core needs of a store; on disk in the daemon, in memory in tests.
///
/// `commit` returns only when the changes are as durable as asked for.
protocol Storage: AnyObject {
    /// Why the ledger may not be trusted, so that nothing may be granted: state was set aside.
    var ledgerProblem: String? { get }

    /// Why nothing can be committed now, and what was committed last may not be durable: a sync
    /// failed.
    var failure: StoreError? { get }

    /// Grows whenever what was read before may not be what is stored: after each error of `commit`,
    /// each recovery and each repair of stamps.
    var epoch: Int { get }

    func load(_ key: AppKey) throws(StoreError) -> AppRecord?
    func loadUser(_ user: UserID) throws(StoreError) -> UserRecord
    func appCount(of user: UserID) throws(StoreError) -> Int
    func key(ofToken token: Token) throws(StoreError) -> AppKey?
    func summaries(
        of user: UserID, after: AppID?, limit: Int, at now: WallTime
    ) throws(StoreError) -> [AppSummary]
    func funnel(
        of user: UserID, app: AppID?, after place: FunnelPlace, limit: Int
    ) throws(StoreError) -> [FunnelLine]
    func grants(
        of user: UserID, app: AppID?, since: WallTime
    ) throws(StoreError) -> [Grant]
    func repairStamps(at now: WallTime) throws(StoreError) -> Int
    /// Stores what events have come to, as durable as `.relaxed`; false, and stores nothing, if that
    /// has to be done with records.
    func commit(_ rises: [Rise], at now: WallTime) throws(StoreError) -> Bool
    func commit(
        _ changes: StoreChanges, _ durability: Durability, at now: WallTime
    ) throws(StoreError)
}
