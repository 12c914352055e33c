internal import Posix
internal import RatingPolicy

/// The records and the ledger of all users, in one SQLite database.
///
/// One thread at a time: the loop's, or a helper's while the loop waits for it; jobs (`syncJob`,
/// `checkpointJob`) are what may run beside it. A store that is not usable stays a store:
/// `failure` says why, `recover` tries again, and reading goes on where it can.
///
/// After `recover`, and after any error of `commit`, only the database is right: records in
/// memory are to be read again.
package final class StateStore: @unchecked Sendable {
    let paths: StatePaths
    let schema: Schema
    private var lock: LockFile?
    /// The file that is locked.
    private var locked: FileStatus?
    var database: Database?
    /// Why nothing can be committed; nil if the store can be used.
    package internal(set) var failure: StoreError?
    /// True once a database was open in this process: damage found from then on is not set aside
    /// before the next start (SPEC, P6).
    var wasOpen = false
    private var isBesideSetAside = false
    private var notices: [StoreNotice] = []

    let rows = KnownRows()
    var logState = LogState()
    /// What a commit replaced that could not be synced; `recover` writes it again.
    var unsynced: StoreChanges?

    init(directory: String, schema: Schema) {
        paths = StatePaths(directory: directory)
        self.schema = schema
        failure = .unavailable(detail: "the state in '\(directory)' is not open")
    }

    /// The path of the database.
    package var path: String { paths.database }

    /// False while a set-aside database stands beside this one: grants may be missing here, so
    /// none may be made.
    ///
    /// Reads the directory, but only while it is false.
    package var ledgerIsTrusted: Bool {
        guard isBesideSetAside else { return true }
        // A directory that cannot be read does not say that the file is gone.
        isBesideSetAside = (try? paths.setAside().isEmpty) != true
        return !isBesideSetAside
    }

    /// What happened since the last call.
    package func takeNotices() -> [StoreNotice] {
        defer { notices = [] }
        return notices
    }

    func note(_ notice: StoreNotice) {
        notices.append(notice)
    }

    /// Looks for set-aside databases, and says so of old ones.
    func lookForSetAside() throws(StoreFailure) {
        let names = try system(try paths.setAside())
        isBesideSetAside = !names.isEmpty
        let isNew = notices.contains { if case .setAside = $0 { true } else { false } }
        if isBesideSetAside && !isNew { note(.besideSetAside(paths: names.map(paths.path))) }
    }

    /// Takes the lock of the state if this store does not have it, or if the file it has locked is
    /// not the one that is there now, as after the directory was taken away.
    func takeLock() throws(StoreFailure) {
        let named = try system(try Files.statusIfPresent(paths.lock, followsLink: false))
        if lock != nil, let named, let locked, named.isSameFile(as: locked) { return }
        lock = nil
        try system(try Files.makeDirectories(paths.directory))
        lock = try system(try LockFile.acquire(paths.lock))
        locked = try system(try Files.statusIfPresent(paths.lock, followsLink: false))
        guard lock != nil else { throw .held("another ratingd uses '\(paths.directory)'") }
    }

    func releaseLock() {
        lock = nil
    }
}
