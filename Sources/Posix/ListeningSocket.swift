import CLinux
import Glibc

/// A listening stream socket: one that we bound at a path, or one that we were given.
///
/// One that we bound mostly has a lock file beside it (`PATH.lock`), which is held as long as the
/// socket is there and stays afterwards. See unix(7).
package struct ListeningSocket: ~Copyable {
    /// What one `accept` came to.
    package enum AcceptResult: ~Copyable {
        /// A connection, nonblocking.
        case accepted(Descriptor)
        /// Nobody is waiting.
        case wouldBlock
        /// None can be taken now: stop watching for a while, or the loop spins. Out of
        /// descriptors or memory (EMFILE, ENFILE, ENOBUFS, ENOMEM), or a failure not foreseen.
        case exhausted(PosixError)
        /// This one went away: try the next.
        case retry
    }

    /// The most bytes that the path of a socket has.
    package static let pathBytesMax = Int(CLINUX_UNIX_PATH_MAX)

    /// Where it is bound, nil for an inherited one without a path.
    package let path: String?
    /// Whether somebody else made it, who will want to keep it.
    package let isInherited: Bool

    private let descriptor: Descriptor
    private let identity: FileStatus?
    private let lock: LockFile?

    /// What to watch: readable when somebody connects.
    package var raw: Int32 { descriptor.raw }

    init(
        _ descriptor: consuming Descriptor, path: String?, identity: FileStatus?,
        lock: consuming LockFile?, isInherited: Bool
    ) {
        self.descriptor = descriptor
        self.path = path
        self.identity = identity
        self.lock = lock
        self.isInherited = isInherited
    }

    /// Takes over a listening socket that somebody else made; it is never unlinked.
    package init(inherited fd: Int32) throws(PosixError) {
        let socket = Descriptor(owning: fd)
        try setFlags(of: fd)
        let path = try boundPath(of: fd)
        var identity: FileStatus?
        if let path { identity = try? Files.status(path, followsLink: false) }
        self.init(socket, path: path, identity: identity, lock: nil, isInherited: true)
    }

    /// Makes a socket at a path with this mode, in place of one that nobody listens on any more.
    ///
    /// Missing directories are made (0700). Of several starters at once one wins, the others get
    /// `.occupied`. Nothing else that is at the path, or in doubt, is ever touched. Without a lock
    /// file (`isLocked` false) no file but the socket is left; then something else must keep a
    /// second starter out.
    package static func bind(
        path: String, mode: UInt32, isLocked: Bool = true
    ) throws(ListenError) -> ListeningSocket {
        try checkPath(path)
        do {
            try prepareDirectory(of: path)
            try refuseNonSocket(path)
            let lock = isLocked ? try lockFile(of: path) : nil
            try removeStale(path)
            let socket = try makeStreamSocket(nonblocking: true)
            let identity = try bindAndListen(socket.raw, path, mode)
            return ListeningSocket(
                socket, path: path, identity: identity, lock: lock, isInherited: false)
        } catch let error as ListenError {
            throw error
        } catch let error as PosixError {
            throw .failed(error)
        } catch {
            preconditionFailure("nothing else is thrown in here")
        }
    }

    /// Whether this file is the socket; false for an inherited one without a path.
    package borrowing func isFile(_ status: FileStatus) -> Bool {
        identity.map(status.isSameFile) ?? false
    }

    /// Whether a descriptor that somebody passed is a listening Unix stream socket. See socket(7).
    package static func isOne(_ fd: Int32) -> Bool {
        socketOption(fd, SO_DOMAIN) == AF_UNIX
            && socketOption(fd, SO_TYPE) == Int32(SOCK_STREAM.rawValue)
            && socketOption(fd, SO_ACCEPTCONN) == 1
    }

    /// Whether the path still leads to this socket; true if it has no path.
    package borrowing func stillThere() -> Bool {
        guard let path else { return true }
        guard let identity, let now = try? Files.status(path, followsLink: false) else {
            return false
        }
        return now.isSameFile(as: identity)
    }

    /// Takes the path away if it is ours and still leads to this socket.
    package borrowing func unlinkIfMine() throws(PosixError) {
        guard !isInherited, let path, stillThere() else { return }
        try Files.unlink(path)
    }

    /// Takes the next waiting connection. See accept4(2).
    package borrowing func accept() -> AcceptResult {
        let connection = clinux_accept(descriptor.raw)
        guard connection == -1 else { return .accepted(Descriptor(owning: connection)) }
        let code = errno
        switch code {
        case EAGAIN: return .wouldBlock
        case ECONNABORTED, EINTR: return .retry
        default: return .exhausted(PosixError(operation: "accept", subject: path, code: code))
        }
    }
}

/// An option that is a number; nil of what is no socket. See getsockopt(2).
private func socketOption(_ fd: Int32, _ option: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
}
