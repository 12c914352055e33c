internal import Posix

/// Looks whether a write-ahead log lost commits to damage.
///
/// SQLite takes a log up to its first bad page and is silent about what is behind it, since after
/// a power loss the end is often not what was written. A grant must not go that way.
enum LogCheck {
    /// Throws `damaged` if commits are missing that cannot have been lost otherwise.
    ///
    /// `last` is what the last run noted, nil if it noted nothing.
    static func run(
        _ path: String, last: RunNote?, boot: String?
    ) throws(StoreFailure) {
        // One that is gone was emptied by another program, which SQLite does as it closes.
        guard let last, try system(try Files.statusIfPresent(path)) != nil else { return }
        let hasOneBoot = boot != nil && last.boot == boot
        var reader = try LogReader(path)
        guard let header = reader.header else {
            // The header is synced before the first page is written behind it.
            guard reader.bytes <= Int64(LogReader.headerBytes) else {
                throw .damaged("the write-ahead log has no valid header")
            }
            // What was noted is taken back before the log is emptied.
            guard !hasOneBoot || last.synced == nil else {
                throw .damaged("the write-ahead log is empty, but pages of it were on disk")
            }
            return
        }
        let synced = last.synced.flatMap { $0.salt == header.salt ? $0.pages : nil } ?? 0
        var good: Int64 = 0
        var count: Int64 = 0
        var isWhole = true
        var hasHole = false
        while let frame = try reader.next() {
            count += 1
            isWhole = isWhole && frame.isValid
            guard frame.isValid, frame.isCommit else { continue }
            if isWhole { good = count } else { hasHole = true }
        }
        guard good >= synced else {
            throw .damaged(
                "the write-ahead log is good up to page \(good), but \(synced) were on disk")
        }
        // After a power loss that is what may be left of commits that nobody synced. A process
        // that dies leaves none.
        guard !hasHole || !hasOneBoot else {
            throw .damaged("the write-ahead log is bad behind page \(good), and goes on later")
        }
    }
}
