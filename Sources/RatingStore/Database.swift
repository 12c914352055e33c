/// The open database of the store with all its compiled statements.
///
/// Nothing is compiled after `init`. Used by one thread at a time.
final class Database {
    let connection: Connection
    let statements: Statements
    /// Kept open for the life of the connection, so that no failed write-back is missed.
    let log: SyncableFile
    let logCounter: LogCounter
    let note: RunNoteFile
    /// As it is stored, or is to be with the transaction under way; to be asked for by `knowTally`
    /// before.
    var tally = Tally()
    /// False after a transaction that failed.
    var isTallyKnown = false
    /// False from when a tally was full until the next sync: more apps are at work than it can
    /// hold, and to settle a mark costs more than a row.
    var mayTally = true
    /// A read transaction is left open between commits.
    private(set) var isReading = false
    /// A checkpoint runs beside commits.
    var isCheckpointed = false

    init(
        _ connection: consuming Connection, paths: StatePaths, note: RunNoteFile
    ) throws(StoreFailure) {
        statements = try Statements(connection)
        log = try SyncableFile(paths.log)
        self.note = note
        logCounter = LogCounter(of: connection)
        self.connection = connection
        try knowTally()
    }

    /// Leaves a read transaction open after a commit, so that the next one need not lock a state
    /// of the database to begin from: four of six calls of the system for locks.
    ///
    /// As long as it is open nothing newer is checkpointed, and the log does not begin anew.
    func keepReading() {
        guard !isReading, !isCheckpointed else { return }
        // What fails here will fail the next transaction too, which can say so.
        isReading = (try? statements.keepReading.step()) == true
    }

    func endReading() {
        guard isReading else { return }
        isReading = false
        statements.keepReading.reset()
    }
}
