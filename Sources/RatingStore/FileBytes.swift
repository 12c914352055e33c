internal import Glibc
internal import Posix

/// Reads parts of files.
///
/// Never of a database that SQLite has open in this process: closing it here would drop SQLite's
/// locks on it.
enum FileBytes {
    /// Fewer bytes if the file is shorter.
    static func read(_ path: String, bytes count: Int) throws(StoreFailure) -> [UInt8] {
        let file = try system(try Files.openForSync(path))
        return try read(file.raw, path, at: 0, bytes: count)
    }

    /// Bytes at any place of an open file; fewer if it ends before. See pread(2).
    static func read(
        _ descriptor: Int32, _ path: String, at offset: Int, bytes count: Int
    ) throws(StoreFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
                    off_t(offset + filled))
            }
            if got == 0 { break }
            if got < 0 && errno == EINTR { continue }
            if got < 0 {
                throw .posix(PosixError(operation: "read", subject: path, code: errno))
            }
            filled += got
        }
        return Array(bytes[..<filled])
    }
}
