internal import Posix

/// A file that is open for syncing only, beside whoever writes it.
///
/// Not for a database that SQLite has open in this process: closing it would drop SQLite's locks.
/// The write-ahead log carries none. The store keeps that one open, because the system tells of a
/// failed write-back once for each open file.
final class SyncableFile: Sendable {
    private let descriptor: Descriptor
    private let path: String

    init(_ path: String) throws(StoreFailure) {
        self.path = path
        descriptor = try system(try Files.openForSync(path))
    }

    /// Bytes from the start; fewer if the file is shorter.
    func prefix(bytes: Int) throws(StoreFailure) -> [UInt8] {
        try FileBytes.read(descriptor.raw, path, at: 0, bytes: bytes)
    }

    /// Makes durable what was written before this call. From any thread. See fdatasync(2).
    func sync() throws(StoreFailure) {
        try system(try Files.fdatasync(descriptor.raw))
    }
}
