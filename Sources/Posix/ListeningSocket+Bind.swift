import CLinux
import Glibc

// The steps of `ListeningSocket.bind`, in their order.
extension ListeningSocket {
    /// Refuses what cannot be an address at all.
    static func checkPath(_ path: String) throws(ListenError) {
        guard path.utf8.count <= pathBytesMax else {
            throw .pathTooLong(path: path, max: pathBytesMax)
        }
        guard !path.isEmpty, !path.utf8.contains(0), path.utf8.last != UInt8(ascii: "/") else {
            throw .failed(PosixError(operation: "bind", subject: path, code: EINVAL))
        }
    }

    /// Makes the missing directories, unless the one they would be made in is somebody else's.
    static func prepareDirectory(of path: String) throws {
        let directory = Files.parent(of: path)
        var existing = directory
        while true {
            if let status = try Files.statusIfPresent(existing) {
                guard status.uid == 0 || status.uid == OwnProcess.effectiveUserID else {
                    throw ListenError.foreignDirectory(path: existing, owner: status.uid)
                }
                break
            }
            guard existing != Files.parent(of: existing) else { break }
            existing = Files.parent(of: existing)
        }
        try Files.makeDirectories(directory, mode: 0o700)
    }

    /// Refuses a path at which something is that is not a socket.
    static func refuseNonSocket(_ path: String) throws {
        guard let status = try Files.statusIfPresent(path, followsLink: false) else { return }
        guard status.kind == .socket else {
            throw ListenError.notASocket(path: path, kind: status.kind)
        }
    }

    /// Locks the file beside the socket, or finds it occupied.
    static func lockFile(of path: String) throws -> LockFile {
        guard let lock = try LockFile.acquire(path + ".lock") else {
            throw ListenError.occupied(path: path)
        }
        return lock
    }

    /// Takes a socket away that nobody listens on, with others kept out.
    ///
    /// ECONNREFUSED alone proves that: any other failure says something about us.
    static func removeStale(_ path: String) throws {
        try refuseNonSocket(path)
        do {
            _ = try SocketIO.connect(path: path, nonblocking: true)
            throw ListenError.occupied(path: path)
        } catch let error as PosixError {
            switch error.code {
            case ENOENT: return
            case ECONNREFUSED: try Files.unlink(path)
            case EAGAIN: throw ListenError.occupied(path: path)
            default: throw error
            }
        }
    }

    /// Binds, and listens once the mode is right; on failure nothing stays at the path.
    static func bindAndListen(
        _ socket: Int32, _ path: String, _ mode: UInt32
    ) throws(PosixError) -> FileStatus {
        // A socket's own mode becomes that of its path, less the umask: it never is wider.
        try check("fchmod", path) { fchmod(socket, mode) }
        try unsafe checkUnix("bind", path) { unsafe clinux_bind_unix(socket, $0, $1) }
        do {
            let status = try Files.status(path, followsLink: false)
            if status.mode != mode { try widen(path, to: mode) }
            try check("listen", path) { listen(socket, SOMAXCONN) }
            return status
        } catch {
            try? Files.unlink(path)
            throw error
        }
    }

    /// Gives the path the bits that the umask took; nobody can connect yet.
    private static func widen(_ path: String, to mode: UInt32) throws(PosixError) {
        try unsafe Posix.checkPath("chmod", path) {
            unsafe fchmodat(AT_FDCWD, $0, mode, AT_SYMLINK_NOFOLLOW)
        }
    }
}

/// Makes an inherited socket nonblocking and close-on-exec.
func setFlags(of fd: Int32) throws(PosixError) {
    let flags = try check("fcntl") { fcntl(fd, F_GETFL) }
    try check("fcntl") { fcntl(fd, F_SETFL, flags | O_NONBLOCK) }
    try check("fcntl") { fcntl(fd, F_SETFD, FD_CLOEXEC) }
}

/// Where a socket is bound, nil if at no path.
func boundPath(of fd: Int32) throws(PosixError) -> String? {
    var bytes = [CChar](repeating: 0, count: ListeningSocket.pathBytesMax + 1)
    let length = try check("getsockname") { unsafe clinux_bound_path(fd, &bytes) }
    guard length > 0 else { return nil }
    return String(decoding: bytes[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
