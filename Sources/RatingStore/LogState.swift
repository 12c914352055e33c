/// How much the write-ahead log holds, and what is to be done about it.
struct LogState {
    /// From this much on that is not in the database yet, a checkpoint is worth its syncs.
    static let checkpointBytes: Int64 = 4 << 20
    /// From this size on the log must begin anew, with commits waiting for it.
    static let wrapBytes: Int64 = 64 << 20
    /// What the file keeps of its size when it begins anew.
    static let keptBytes: Int64 = 4 << 20

    private(set) var pages: Int64
    /// How many of them are in the database.
    private var donePages: Int64 = 0
    /// From this size on beginning anew is tried (again).
    private var wrapAt = wrapBytes
    /// From this size on a checkpoint that could not do all is tried again.
    private var checkpointAt: Int64 = 0
    /// True if a commit was not synced, and no sync is under way for it.
    var isDirty = false
    /// True while a sync is under way, of which nobody knows yet whether it succeeds.
    var isBeingSynced = false

    init(pages: Int64 = 0) {
        self.pages = pages
    }

    private static let bytesPerPage = Int64(Schema.pageBytes + 24)

    /// True if the next commit begins the log anew, for which SQLite syncs it.
    var beginsAnew: Bool { pages == donePages }

    var need: CheckpointNeed {
        let size = pages * Self.bytesPerPage
        if size >= wrapAt { return .whileWaiting }
        let left = size - donePages * Self.bytesPerPage
        return left >= Self.checkpointBytes && size >= checkpointAt ? .beside : .none
    }

    mutating func committed(pages: Int64) {
        if pages < self.pages {
            donePages = 0
            checkpointAt = 0
        }
        self.pages = pages
    }

    /// A checkpoint beside commits moved the first pages of a log that then held `seen` pages.
    mutating func checkpointed(done: Int64, seen: Int64) {
        // Fewer pages now: the log has begun anew since.
        guard seen <= pages else { return }
        donePages = max(donePages, done)
        checkpointAt = seen * Self.bytesPerPage + Self.checkpointBytes / 4
    }

    /// Somebody was in the way of a checkpoint, which is tried again when the log has grown.
    mutating func couldNotCheckpoint() {
        checkpointAt = pages * Self.bytesPerPage + Self.checkpointBytes / 4
    }

    mutating func emptied() {
        pages = 0
        donePages = 0
        checkpointAt = 0
        wrapAt = Self.wrapBytes
    }

    /// Somebody reads an old state of the database: tried again when the log has grown further.
    mutating func couldNotBeginAnew() {
        wrapAt = pages * Self.bytesPerPage + Self.wrapBytes / 4
    }
}

/// Whether the write-ahead log has grown so far that something must be done.
package enum CheckpointNeed: Sendable {
    case none
    /// Run `checkpointJob` on a helper thread; commits go on.
    case beside
    /// Call `emptyLog`, on a helper thread while the loop waits: it takes a few syncs.
    case whileWaiting
}
