import CLinux
import Glibc

/// Files and directories by path; errors name the call and the path.
package enum Files {
    /// The whole content, EFBIG if there are more than `maxBytes`.
    ///
    /// Never waits: a named pipe reads as what is in it.
    package static func readFile(_ path: String, maxBytes: Int) throws(PosixError) -> [UInt8] {
        let file = try open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        return try readAll(file.raw, path, maxBytes: maxBytes)
    }

    /// What one read gives of a file, at most so many bytes.
    package static func readBeginning(_ path: String, bytes: Int) throws(PosixError) -> [UInt8] {
        let file = try open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        let raw = file.raw
        var content = [UInt8](repeating: 0, count: bytes)
        let count = try check("read", path) {
            unsafe content.withUnsafeMutableBytes { unsafe read(raw, $0.baseAddress, $0.count) }
        }
        content.removeSubrange(count...)
        return content
    }

    /// The rest of an open file, EFBIG if there are more than `maxBytes`.
    static func readAll(
        _ raw: Int32, _ path: String, maxBytes: Int
    ) throws(PosixError) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(maxBytes &+ 1, 8192))
        while content.count <= maxBytes {
            let count = try check("read", path) {
                unsafe chunk.withUnsafeMutableBytes { unsafe read(raw, $0.baseAddress, $0.count) }
            }
            if count == 0 { return content }
            content += chunk[..<count]
        }
        throw PosixError(operation: "read", subject: path, code: EFBIG)
    }

    /// The names in a directory without `.` and `..`, in byte order.
    package static func directoryEntries(_ path: String) throws(PosixError) -> [String] {
        guard !path.utf8.contains(0) else {
            throw PosixError(operation: "opendir", subject: path, code: EINVAL)
        }
        guard let directory = unsafe opendir(path) else {
            throw PosixError(operation: "opendir", subject: path, code: errno)
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let name = unsafe String(cString: clinux_entry_name(entry))
            if name != "." && name != ".." { names.append(name) }
        }
        let code = errno
        guard code == 0 else { throw PosixError(operation: "readdir", subject: path, code: code) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Makes a directory and what is missing above it, each with this mode; fine if it is there.
    package static func makeDirectories(
        _ path: String, mode: UInt32 = 0o700
    ) throws(PosixError) {
        do {
            try unsafe checkPath("mkdir", path) { unsafe mkdir($0, mode) }
        } catch {
            switch error.code {
            case EEXIST where try status(path).kind == .directory:
                return
            case ENOENT where parent(of: path) != path:
                try makeDirectories(parent(of: path), mode: mode)
                try makeDirectories(path, mode: mode)
            default:
                throw error
            }
        }
    }

    /// What stands at a path, or where the link there leads.
    package static func status(
        _ path: String, followsLink: Bool = true
    ) throws(PosixError) -> FileStatus {
        var result = stat()
        try unsafe checkPath(followsLink ? "stat" : "lstat", path) {
            unsafe followsLink ? stat($0, &result) : lstat($0, &result)
        }
        return FileStatus(result)
    }

    /// The same, nil if nothing is there (ENOENT, ENOTDIR).
    package static func statusIfPresent(
        _ path: String, followsLink: Bool = true
    ) throws(PosixError) -> FileStatus? {
        do {
            return try status(path, followsLink: followsLink)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw error
        }
    }

    /// The status of an open file.
    package static func status(of descriptor: Int32) throws(PosixError) -> FileStatus {
        var result = stat()
        try check("fstat") { unsafe fstat(descriptor, &result) }
        return FileStatus(result)
    }

    /// Gives a file another name, in place of what had that name.
    package static func rename(_ path: String, to target: String) throws(PosixError) {
        guard !target.utf8.contains(0) else {
            throw PosixError(operation: "rename", subject: path, code: EINVAL)
        }
        try unsafe checkPath("rename", path) { unsafe Glibc.rename($0, target) }
    }

    /// Takes a name away.
    package static func unlink(_ path: String) throws(PosixError) {
        try unsafe checkPath("unlink", path) { unsafe Glibc.unlink($0) }
    }

    /// Changes the permission bits of what stands at a path.
    package static func changeMode(_ path: String, to mode: UInt32) throws(PosixError) {
        try unsafe checkPath("chmod", path) { unsafe chmod($0, mode) }
    }

    /// Makes the names in a directory durable.
    package static func syncDirectory(_ path: String) throws(PosixError) {
        let directory = try open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let raw = directory.raw
        try check("fsync", path) { fsync(raw) }
    }

    /// Opens a file in order to sync it; it may be open elsewhere for writing.
    package static func openForSync(_ path: String) throws(PosixError) -> Descriptor {
        try open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    }

    /// Makes a file's content durable, whoever wrote it.
    package static func fdatasync(_ descriptor: Int32) throws(PosixError) {
        try check("fdatasync") { Glibc.fdatasync(descriptor) }
    }

    /// The directory of a path: `/a` of `/a/b`, `.` of `b`, `/` of `/` and `/a`.
    package static func parent(of path: String) -> String {
        var bytes = Array(path.utf8)
        let slash = UInt8(ascii: "/")
        while bytes.count > 1 && bytes.last == slash { bytes.removeLast() }
        guard let cut = bytes.lastIndex(of: slash) else { return "." }
        bytes.removeSubrange(cut...)
        while bytes.last == slash { bytes.removeLast() }
        return bytes.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self)
    }

    static func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0
    ) throws(PosixError) -> Descriptor {
        Descriptor(
            owning: try unsafe checkPath("open", path) { unsafe Glibc.open($0, flags, mode) })
    }
}
