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

    init(
        _ connection: consuming Connection, paths: StatePaths, note: RunNoteFile
    ) throws(StoreFailure) {
        statements = try Statements(connection)
        log = try SyncableFile(paths.log)
        self.note = note
        logCounter = LogCounter(of: connection)
        self.connection = connection
    }
}
