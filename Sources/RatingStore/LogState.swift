/// How much the write-ahead log holds, and what is to be done about it.
struct LogState {
    /// From this much on that is not synced a sync does not wait for its time: a long one takes the
    /// processor from commits for as long as its pages are many.
    static let syncBytes: Int64 = 1 << 20
    /// From this size on a checkpoint is worth its syncs, and the log is to begin anew.
    static let checkpointBytes: Int64 = 16 << 20
    /// So little may be left of a checkpoint that commits wait for it, which begins the log anew.
    static let briefBytes: Int64 = 256 << 10
    /// From this size on the log must begin anew, however long commits wait for it.
    static let wrapBytes: Int64 = 64 << 20
    /// What the file keeps of its size when it begins anew.
    static let keptBytes = checkpointBytes

    private(set) var pages: Int64
    /// How many of them are in the database.
    private var donePages: Int64 = 0
    /// From this size on beginning anew is tried (again).
    private var wrapAt = wrapBytes
    /// From this size on a checkpoint that could not do all is tried again.
    private var checkpointAt: Int64 = 0
    /// True if a commit was not synced, and no sync is under way for it.
    var isDirty = false
    /// How many pages there were when a sync began last.
    private var syncedPages: Int64 = 0
    /// True while a sync is under way, of which nobody knows yet whether it succeeds.
    var isBeingSynced = false

    init(pages: Int64 = 0) {
        self.pages = pages
    }

    private static let bytesPerPage = Int64(Schema.pageBytes + 24)

    /// True if the next commit begins the log anew, for which SQLite syncs it.
    var beginsAnew: Bool { pages == donePages }

    /// True if so much was committed since a sync began that the next is not to wait.
    var isSyncLarge: Bool { (pages - syncedPages) * Self.bytesPerPage >= Self.syncBytes }

    var need: CheckpointNeed {
        let size = pages * Self.bytesPerPage
        if size >= wrapAt { return .whileWaiting }
        guard size >= max(Self.checkpointBytes, checkpointAt) else { return .none }
        let left = size - donePages * Self.bytesPerPage
        return left == 0 ? .none : left <= Self.briefBytes ? .brief : .beside
    }

    mutating func committed(pages: Int64) {
        if pages < self.pages {
            donePages = 0
            checkpointAt = 0
            syncedPages = 0
        }
        self.pages = pages
    }

    mutating func syncBegins() {
        isDirty = false
        isBeingSynced = true
        syncedPages = pages
    }

    /// A checkpoint beside commits moved the first pages of a log that then held `seen` pages.
    mutating func checkpointed(done: Int64, seen: Int64) {
        // Fewer pages now: the log has begun anew since.
        guard seen <= pages else { return }
        donePages = max(donePages, done)
        if done < seen { couldNotCheckpoint() }
    }

    /// Somebody was in the way of a checkpoint, which is tried again when the log has grown.
    mutating func couldNotCheckpoint() {
        checkpointAt = pages * Self.bytesPerPage + Self.checkpointBytes / 4
    }

    mutating func emptied() {
        pages = 0
        donePages = 0
        checkpointAt = 0
        syncedPages = 0
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
    /// Run `checkpointJob` on a helper thread while the loop waits: little is left to do.
    case brief
    /// Call `emptyLog`, on a helper thread while the loop waits: it takes a few syncs.
    case whileWaiting
}
