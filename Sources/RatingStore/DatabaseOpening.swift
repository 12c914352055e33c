internal import Posix

/// Opens a database whose header is ours: checks it, brings it up to date, makes it ready.
struct DatabaseOpening {
    let paths: StatePaths
    let schema: Schema

    /// Answers the version the database had.
    ///
    /// `needsCheckpoint`: fail unless all that was committed is in the database and synced.
    func run(
        isMarked: Bool, needsCheckpoint: Bool
    ) throws(StoreFailure) -> (database: Database, version: Int64) {
        let size = try system(try Files.status(paths.database).size)
        let connection = try Connection(path: paths.database)
        // A database that turns out to be damaged or newer keeps its log.
        connection.keepLogOnClose(true)
        let version: Int64
        do {
            version = try identify(connection)
            let isWhole = isMarked || size <= DatabaseCheck.wholeCheckBytesMax
            try DatabaseCheck.run(connection, schema: schema, version: version, isWhole: isWhole)
        } catch {
            throw error.asFoundByCheck
        }
        try connection.expect("wal", of: "PRAGMA journal_mode = WAL", as: "open the database")
        try rewriteLog(connection)
        try schema.migrate(connection, from: version)
        try connection.run(
            "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = \(LogState.keptBytes)",
            as: "open the database for writing")
        let note = try RunNoteFile(paths.note)
        let isEmpty = try emptyLog(connection, mustSucceed: needsCheckpoint)
        // SQLite does so for a new log, but says nothing if it fails.
        try system(try Files.syncDirectory(paths.directory))
        // What an earlier boot left in the log must not be told as this one's.
        if isEmpty { note.began(boot: RunNote.currentBoot()) }
        let database = try Database(connection, paths: paths, note: note)
        if isMarked { try database.checkRows() }
        return (database, version)
    }

    /// Once more what the header said, now with what the log holds.
    private func identify(_ connection: borrowing Connection) throws(StoreFailure) -> Int64 {
        let operation = "read the database"
        let application = try connection.integer("PRAGMA application_id", as: operation) ?? 0
        let version = try connection.integer("PRAGMA user_version", as: operation) ?? 0
        try DatabaseHeader.check(
            applicationID: application, version: version, known: schema.version)
        return version
    }

    /// Makes sure that what is in the log can be synced, with no writer in the way.
    private func rewriteLog(_ connection: borrowing Connection) throws(StoreFailure) {
        let operation = "open the database for writing"
        try connection.run("BEGIN IMMEDIATE", as: operation)
        try LogRewrite.run(paths.log)
        try connection.run("ROLLBACK", as: operation)
    }

    /// Checkpoints what the last run left, so that the log begins anew; false if that must wait.
    private func emptyLog(
        _ connection: borrowing Connection, mustSucceed: Bool
    ) throws(StoreFailure) -> Bool {
        do {
            try connection.checkpoint(.truncate)
            return true
        } catch {
            // Another program reads at this moment: its right, and no reason not to start.
            guard error.isBusy, !mustSucceed else { throw error }
            try SyncableFile(paths.log).sync()
            return false
        }
    }
}
