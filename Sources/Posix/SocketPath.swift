/// Where the daemon's socket is if nobody says otherwise; daemon and clients compute it alike.
package struct SocketPath: Equatable, Sendable {
    package let string: String
    /// True if `XDG_RUNTIME_DIR` does not say where; then `warning` is to be shown.
    package let isFallback: Bool

    /// The socket of the daemon for all users of the machine.
    package static let system = SocketPath(string: "/run/ratingd/ratingd.sock", isFallback: false)

    /// What to tell the user of a fallback; nil if there is nothing to tell.
    package var warning: String? {
        guard isFallback else { return nil }
        return "XDG_RUNTIME_DIR is not set to an absolute path, using "
            + "'\(escapedForLog(string, maxBytes: 1024))'"
    }

    /// The socket of this user's own daemon: `$XDG_RUNTIME_DIR/ratingd/ratingd.sock`.
    package static func user() throws(SocketPathError) -> SocketPath {
        try user(
            runtimeDirectory: environment("XDG_RUNTIME_DIR"), uid: OwnProcess.effectiveUserID)
    }

    /// The same for given facts.
    ///
    /// Without a runtime directory (unset, or not absolute, as its specification wants) it is
    /// `/tmp/ratingd-UID/ratingd.sock`. A runtime directory of another user is refused, and so is
    /// a fallback directory that is not this user's alone: in `/tmp` anybody could have made it.
    /// A directory that is not there is nobody's and fine: the daemon makes it.
    package static func user(
        runtimeDirectory: String?, uid: UInt32, temporaryDirectory: String = "/tmp"
    ) throws(SocketPathError) -> SocketPath {
        if let runtimeDirectory, runtimeDirectory.utf8.first == UInt8(ascii: "/") {
            try checkOwner(of: runtimeDirectory, uid: uid, isShared: false)
            let separator = runtimeDirectory.hasSuffix("/") ? "" : "/"
            return SocketPath(
                string: runtimeDirectory + separator + "ratingd/ratingd.sock", isFallback: false)
        }
        let directory = "\(temporaryDirectory)/ratingd-\(uid)"
        try checkOwner(of: directory, uid: uid, isShared: true)
        return SocketPath(string: directory + "/ratingd.sock", isFallback: true)
    }

    /// Throws if a directory is there and cannot be trusted; `isShared`: others can write beside
    /// it, so a link is not followed and nobody else may have a right to it.
    private static func checkOwner(
        of directory: String, uid: UInt32, isShared: Bool
    ) throws(SocketPathError) {
        let found: FileStatus?
        do {
            found = try Files.statusIfPresent(directory, followsLink: !isShared)
        } catch {
            throw .failed(error)
        }
        guard let found else { return }
        guard found.kind == .directory else {
            throw .notADirectory(path: directory, kind: found.kind)
        }
        guard found.uid == uid else {
            throw .foreignDirectory(path: directory, owner: found.uid, uid: uid)
        }
        guard !isShared || found.mode & 0o077 == 0 else {
            throw .notPrivate(path: directory, mode: found.mode)
        }
    }
}

/// Why no path for a user's socket can be given, each with what to do about it.
package enum SocketPathError: Error, Equatable, CustomStringConvertible {
    case foreignDirectory(path: String, owner: UInt32, uid: UInt32)
    case notADirectory(path: String, kind: FileKind)
    case notPrivate(path: String, mode: UInt32)
    case failed(PosixError)

    package var description: String {
        switch self {
        case .foreignDirectory(let path, let owner, let uid):
            "the runtime directory '\(shown(path))' belongs to uid \(owner) and not to uid \(uid): "
                + "set XDG_RUNTIME_DIR to a directory of your own, or name the socket with --socket"
        case .notADirectory(let path, let kind):
            "the runtime directory '\(shown(path))' is a \(kind.rawValue): move it away, or name "
                + "the socket with --socket"
        case .notPrivate(let path, let mode):
            "the runtime directory '\(shown(path))' is open to other users (mode "
                + "\(String(mode, radix: 8))): make it 0700, or name the socket with --socket"
        case .failed(let error):
            "\(error): name the socket with --socket"
        }
    }

    private func shown(_ path: String) -> String {
        escapedForLog(path, maxBytes: 1024)
    }
}
