internal import Glibc
internal import Posix

/// Writes a write-ahead log over itself, so that all of it can be synced.
///
/// After a failed sync the system takes what was to be written for clean: reading gives it, and
/// the next sync succeeds, but it is not on disk. SQLite would move it into the database and trust
/// the log to be there, should the power fail in the middle. Nobody may write the log meanwhile.
enum LogRewrite {
    private static let chunkBytes = 1 << 16

    /// Waits for the disk.
    static func run(_ path: String) throws(StoreFailure) {
        let raw = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY)
        guard raw >= 0 else {
            throw .posix(PosixError(operation: "open", subject: path, code: errno))
        }
        let file = Descriptor(owning: raw)
        var offset = 0
        while true {
            let chunk = try FileBytes.read(file.raw, path, at: offset, bytes: chunkBytes)
            if chunk.isEmpty { break }
            try write(chunk, to: file.raw, path, at: offset)
            offset += chunk.count
        }
        try system(try Files.fdatasync(file.raw))
    }

    private static func write(
        _ chunk: [UInt8], to descriptor: Int32, _ path: String, at offset: Int
    ) throws(StoreFailure) {
        var written = 0
        while written < chunk.count {
            let count = unsafe chunk.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: written), chunk.count - written,
                    off_t(offset + written))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw .posix(PosixError(operation: "write", subject: path, code: errno))
            }
            written += count
        }
    }
}
