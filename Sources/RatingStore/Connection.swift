internal import CSQLite

/// The owner of one connection to a database, used by one thread at a time.
///
/// Closed when it and all its statements are gone. See sqlite3_open_v2().
@safe struct Connection: ~Copyable {
    let handle: OpaquePointer

    /// How long a lock of another process is waited for.
    static let busyMilliseconds: Int32 = 100

    /// Once in a process: that its figures are wanted is no matter of correctness.
    private static let isConfigured: Bool = csqlite_count_no_memory() == SQLITE_OK

    /// Opens a file that is there, or a database in memory.
    init(path: String) throws(StoreFailure) {
        _ = Self.isConfigured
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe handle else {
            let failure = unsafe Self.failure("open", code, handle)
            unsafe sqlite3_close_v2(handle)
            throw failure
        }
        unsafe self.handle = opened
        unsafe sqlite3_busy_timeout(opened, Self.busyMilliseconds)
    }

    static func inMemory() throws(StoreFailure) -> Connection {
        try Connection(path: ":memory:")
    }

    /// Runs statements that answer nothing that matters.
    func run(_ sql: String, as operation: String) throws(StoreFailure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(operation, code) }
    }

    /// The first column of the first row.
    func integer(_ sql: String, as operation: String) throws(StoreFailure) -> Int64? {
        let statement = try Statement(self, sql, as: operation)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of every row.
    func texts(_ sql: String, as operation: String) throws(StoreFailure) -> [String] {
        let statement = try Statement(self, sql, as: operation)
        var texts: [String] = []
        while try statement.step() { texts.append(try statement.text(0)) }
        return texts
    }

    /// The first column of the first row, which must be this.
    func expect(_ text: String, of sql: String, as operation: String) throws(StoreFailure) {
        let answer = try texts(sql, as: operation).first ?? "nothing"
        guard answer == text else {
            throw .unusable("\(operation) failed: SQLite answered '\(answer)'")
        }
    }

    /// Whether closing this connection, if it is the last, leaves the write-ahead log as it is.
    func keepLogOnClose(_ keep: Bool) {
        let code = unsafe csqlite_keep_log_on_close(handle, keep ? 1 : 0)
        precondition(code == SQLITE_OK, "the option is known to SQLite")
    }

    /// How a checkpoint goes about readers and writers that are in its way.
    enum Checkpoint {
        /// Does what is possible beside them.
        case passive
        /// Waits for them (`busyMilliseconds`), does everything and empties the log.
        case truncate
    }

    /// Moves what the write-ahead log holds into the database, and syncs both.
    ///
    /// Answers how many pages the log holds, and how many of them are in the database now. The
    /// connection must have read something, else SQLite does not know that there is a log.
    @discardableResult
    func checkpoint(_ mode: Checkpoint) throws(StoreFailure) -> (pages: Int64, done: Int64) {
        var pages: Int32 = 0
        var done: Int32 = 0
        let mode =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &done)
        guard code == SQLITE_OK else { throw failure("checkpoint", code) }
        guard pages >= 0, done >= 0 else {
            throw .unusable("checkpoint failed: the database has no write-ahead log")
        }
        return (pages: Int64(pages), done: Int64(done))
    }

    /// True if the file that is open has another name by now, or none.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return code != SQLITE_OK || moved != 0
    }

    /// The rows the last statement inserted, changed or deleted.
    var changes: Int64 {
        unsafe sqlite3_changes64(handle)
    }

    var lastRowID: Int64 {
        unsafe sqlite3_last_insert_rowid(handle)
    }

    var isInTransaction: Bool {
        unsafe sqlite3_get_autocommit(handle) == 0
    }

    func failure(_ operation: String, _ code: Int32) -> StoreFailure {
        unsafe Self.failure(operation, code, handle)
    }

    static func failure(
        _ operation: String, _ code: Int32, _ handle: OpaquePointer?
    ) -> StoreFailure {
        var text = unsafe String(cString: sqlite3_errstr(code))
        var errno: Int32 = 0
        if let handle = unsafe handle {
            text = unsafe String(cString: sqlite3_errmsg(handle))
            let isSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(code & 0xFF)
            if isSystem { errno = unsafe sqlite3_system_errno(handle) }
        }
        return .sqlite(operation: operation, code: code, text: text, errno: errno)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }
}
