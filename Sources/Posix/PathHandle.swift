import CLinux
import Glibc

/// A place in the file system, held without opening what is there. See open(2), O_PATH.
///
/// Neither taking hold of it nor `status` asks the file system, so neither waits for one that a
/// hostile process answers for (FUSE). `entry` and `read` do.
package struct PathHandle: ~Copyable {
    private let descriptor: Descriptor
    private let path: String

    /// A directory; links on the way to it are followed.
    package static func directory(_ path: String) throws(PosixError) -> PathHandle {
        let raw = try unsafe checkPath("open", path) {
            unsafe clinux_open_handle(AT_FDCWD, $0, 1)
        }
        return PathHandle(descriptor: Descriptor(owning: raw), path: path)
    }

    /// What has this name in it, which may be a link.
    package func entry(_ name: String) throws(PosixError) -> PathHandle {
        let directory = descriptor.raw
        let entryPath = path + "/" + name
        let raw = try check("open", entryPath) {
            unsafe name.withCString { unsafe clinux_open_handle(directory, $0, 0) }
        }
        return PathHandle(descriptor: Descriptor(owning: raw), path: entryPath)
    }

    /// What it is and where.
    package func status() throws(PosixError) -> PathStatus {
        let raw = descriptor.raw
        var found = clinux_handle_status()
        try check("statx", path) { unsafe clinux_handle_status(raw, &found) }
        return PathStatus(
            kind: FileKind(mode: found.mode), size: found.size, device: found.device,
            mount: found.mount)
    }

    /// The content of a file, EFBIG if there are more than `maxBytes`.
    ///
    /// Only after `status` said that it is a file: opening a device may do something.
    package func read(maxBytes: Int) throws(PosixError) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let file: Descriptor
        do {
            file = try Files.open("/proc/self/fd/\(descriptor.raw)", flags)
        } catch {
            throw PosixError(operation: "open", subject: path, code: error.code)
        }
        return try Files.readAll(file.raw, path, maxBytes: maxBytes)
    }
}

/// What is known of a place without asking its file system. See statx(2).
package struct PathStatus: Equatable, Sendable {
    package let kind: FileKind
    /// In bytes.
    package let size: UInt64
    package let device: UInt64
    /// The number of its mount, as in /proc/PID/mountinfo; nobody else's while the handle is held.
    package let mount: UInt64
}
