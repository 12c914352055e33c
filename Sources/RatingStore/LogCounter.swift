internal import CSQLite

/// Learns from SQLite, after each commit, how many pages the write-ahead log holds.
///
/// Takes the place of SQLite's own checkpoints after commits. Must not outlive the connection's
/// last commit. See sqlite3_wal_hook().
@safe struct LogCounter: ~Copyable {
    private let count: UnsafeMutablePointer<Int32>

    init(of connection: borrowing Connection) {
        unsafe count = .allocate(capacity: 1)
        unsafe count.initialize(to: 0)
        unsafe sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                unsafe context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, count)
    }

    var pages: Int64 { unsafe Int64(count.pointee) }

    /// To be called when a checkpoint has emptied the log.
    func logWasEmptied() {
        unsafe count.pointee = 0
    }

    deinit {
        unsafe count.deallocate()
    }
}
