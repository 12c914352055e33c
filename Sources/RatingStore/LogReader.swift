internal import Glibc
internal import Posix

/// Reads a write-ahead log frame by frame, as SQLite does when it recovers.
///
/// The format is that of https://sqlite.org/fileformat2.html#walformat.
struct LogReader: ~Copyable {
    /// What a log says of itself.
    struct Header: Equatable {
        var pageBytes: Int
        /// Both salts; another pair each time the log begins anew.
        var salt: UInt64
        var checksum: LogChecksum
    }

    /// One page in the log.
    struct Frame {
        /// It belongs to this log, and its checksum fits what is before it.
        var isValid: Bool
        /// The last page of a transaction.
        var isCommit: Bool
    }

    static let headerBytes = 32
    private static let frameHeaderBytes = 24

    let header: Header?
    let bytes: Int64
    private let file: Descriptor
    private let path: String
    private var offset = Self.headerBytes
    private var checksum: LogChecksum

    /// Opens the log; `header` is nil if there is none that is valid.
    init(_ path: String) throws(StoreFailure) {
        let file = try system(try Files.openForSync(path))
        let bytes = try system(try Files.status(of: file.raw)).size
        let header = Self.header(
            in: try FileBytes.read(file.raw, path, at: 0, bytes: Self.headerBytes))
        self.path = path
        self.header = header
        self.bytes = bytes
        checksum = header?.checksum ?? LogChecksum(isBigEndian: false)
        self.file = file
    }

    /// The next frame; nil at the end of the file, or if the log has no header.
    mutating func next() throws(StoreFailure) -> Frame? {
        guard let header else { return nil }
        let count = Self.frameHeaderBytes + header.pageBytes
        let frame = try FileBytes.read(file.raw, path, at: offset, bytes: count)
        guard frame.count == count else { return nil }
        offset += count
        checksum.add(frame[..<8])
        checksum.add(frame[Self.frameHeaderBytes...])
        let stored = Self.word64(in: frame, at: 16)
        let isValid = checksum.value == stored && Self.word64(in: frame, at: 8) == header.salt
        // Behind a bad frame the chain goes on from what that one says.
        checksum.value = stored
        return Frame(isValid: isValid, isCommit: Self.word(in: frame, at: 4) != 0)
    }

    static func header(in bytes: [UInt8]) -> Header? {
        guard bytes.count == headerBytes,
            [0x377F_0682, 0x377F_0683].contains(word(in: bytes, at: 0))
        else { return nil }
        var checksum = LogChecksum(isBigEndian: word(in: bytes, at: 0) & 1 == 1)
        checksum.add(bytes[..<24])
        let pageBytes = Int(word(in: bytes, at: 8))
        guard checksum.value == word64(in: bytes, at: 24), (512...65_536).contains(pageBytes)
        else { return nil }
        return Header(pageBytes: pageBytes, salt: word64(in: bytes, at: 16), checksum: checksum)
    }

    private static func word(in bytes: [UInt8], at offset: Int) -> UInt32 {
        var value: UInt32 = 0
        for byte in bytes[offset..<offset + 4] { value = value << 8 | UInt32(byte) }
        return value
    }

    private static func word64(in bytes: [UInt8], at offset: Int) -> UInt64 {
        UInt64(word(in: bytes, at: offset)) << 32 | UInt64(word(in: bytes, at: offset + 4))
    }
}

/// The running checksum of a write-ahead log.
struct LogChecksum: Equatable {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    var value: UInt64 {
        get { UInt64(first) << 32 | UInt64(second) }
        set {
            first = UInt32(newValue >> 32)
            second = UInt32(truncatingIfNeeded: newValue)
        }
    }

    /// Adds bytes, whose number is a multiple of 8.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            first &+= word(in: bytes, at: index) &+ second
            second &+= word(in: bytes, at: index + 4) &+ first
            index += 8
        }
    }

    private func word(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt32 {
        let word =
            UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
            | UInt32(bytes[index + 3]) << 24
        return isBigEndian ? word.byteSwapped : word
    }
}
