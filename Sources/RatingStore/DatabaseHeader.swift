/// What the first bytes of a database file say, read before SQLite touches it.
struct DatabaseHeader {
    static let bytes = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Throws if this is no database of ours, or one of a newer version.
    ///
    /// A database of ours always says so here: what makes it ours is written before it has its
    /// name, and the write-ahead log can only raise the version.
    static func check(_ content: [UInt8], version known: Int64) throws(StoreFailure) {
        guard !content.isEmpty else { throw .damaged("the file is empty") }
        guard content.count == bytes, content.starts(with: magic) else {
            throw .damaged("the file is not a SQLite database")
        }
        // SQLite would take other values for a database that it may only read.
        guard content[18...19].allSatisfy({ (1...2).contains($0) }) else {
            throw .damaged("the file has no format of SQLite 3")
        }
        try check(
            applicationID: integer(in: content, at: 68), version: integer(in: content, at: 60),
            known: known)
    }

    /// Throws if a database that has no log is shorter than its first bytes say.
    ///
    /// With a log it may be, in the middle of a checkpoint. SQLite misses pages in use only.
    static func check(_ content: [UInt8], fileBytes: Int64) throws(StoreFailure) {
        // The count of pages is good if what it was counted at is the last change.
        guard content[24...27] == content[92...95] else { return }
        let pages = integer(in: content, at: 28)
        let pageBytes = Int64(content[16]) << 8 | Int64(content[17])
        guard fileBytes >= pages * max(pageBytes, 512) else {
            throw .damaged("the file has \(fileBytes) bytes, too few for \(pages) pages")
        }
    }

    static func check(
        applicationID: Int64, version: Int64, known: Int64
    ) throws(StoreFailure) {
        guard applicationID == Schema.applicationID else {
            throw .damaged("the file is a SQLite database of another program")
        }
        guard version > 0 else { throw .damaged("the database has no version") }
        guard version <= known else {
            throw .newer(
                "its schema has version \(version), this program knows versions up to \(known); "
                    + "a newer ratingd wrote it")
        }
    }

    private static func integer(in content: [UInt8], at offset: Int) -> Int64 {
        var value: UInt32 = 0
        for byte in content[offset..<offset + 4] { value = value << 8 | UInt32(byte) }
        return Int64(Int32(bitPattern: value))
    }
}
