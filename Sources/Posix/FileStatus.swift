import Glibc

/// What stands at a path.
package enum FileKind: String, Sendable {
    case file
    case directory
    case symlink = "symbolic link"
    case socket
    case fifo = "named pipe"
    case characterDevice = "character device"
    case blockDevice = "block device"
    case unknown = "file of an unknown kind"

    init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symlink
        case S_IFSOCK: self = .socket
        case S_IFIFO: self = .fifo
        case S_IFCHR: self = .characterDevice
        case S_IFBLK: self = .blockDevice
        default: self = .unknown
        }
    }
}

/// What the system knows about a file. See stat(2).
package struct FileStatus: Equatable, Sendable {
    package let kind: FileKind
    /// The permission bits, `0o7777` at most.
    package let mode: UInt32
    package let uid: UInt32
    package let gid: UInt32
    /// In bytes.
    package let size: Int64
    package let device: UInt64
    package let inode: UInt64
    /// When the content last changed, in nanoseconds since 1970.
    package let modifiedNanoseconds: Int64

    init(_ status: stat) {
        kind = FileKind(mode: status.st_mode)
        mode = status.st_mode & 0o7777
        uid = status.st_uid
        gid = status.st_gid
        size = Int64(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modifiedNanoseconds =
            Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Whether both are the same file, not only equal ones.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}
