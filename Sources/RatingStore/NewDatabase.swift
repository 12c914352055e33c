internal import Glibc
internal import Posix

/// Makes a new database, which gets its name when it is whole.
struct NewDatabase {
    let paths: StatePaths
    let schema: Schema

    /// Dying at any moment leaves either no database or a good one.
    func make() throws(StoreFailure) {
        try system(try makeEmptyFile())
        try fill()
        // Until it has its name nobody needs it, so one sync of the whole file is enough.
        try SyncableFile(paths.unfinished).sync()
        try system(try Files.rename(paths.unfinished, to: paths.database))
        try system(try Files.syncDirectory(paths.directory))
    }

    /// SQLite gives its other files the mode of this one.
    private func makeEmptyFile() throws(PosixError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let raw = unsafe Glibc.open(paths.unfinished, flags, 0o600)
        guard raw >= 0 else {
            throw PosixError(operation: "open", subject: paths.unfinished, code: errno)
        }
        _ = Descriptor(owning: raw)
    }

    /// Nobody else uses it, and nothing of it has to survive: so it needs no log, no index of one and
    /// no locks until it is whole.
    private func fill() throws(StoreFailure) {
        let connection = try Connection(path: paths.unfinished)
        try connection.run(
            """
            PRAGMA page_size = \(Schema.pageBytes);
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA journal_mode = MEMORY;
            PRAGMA synchronous = OFF;
            PRAGMA application_id = \(Schema.applicationID);
            """, as: "make the database")
        try schema.migrate(connection, from: 0)
        try connection.expect("wal", of: "PRAGMA journal_mode = WAL", as: "make the database")
    }
}
