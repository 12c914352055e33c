internal import Glibc
package import Posix

/// Where the daemon is looked for.
package struct Address: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case user
        case system
        /// Named on the command line.
        case named
        /// Named by `RATINGD_SOCKET`.
        case environment
    }

    package let path: String
    package let kind: Kind
    /// What to tell the user about the path.
    package var warning: String?
}

extension ControlFailure {
    /// Why no connection came about, with what to do next.
    ///
    /// `others` are sockets that stand elsewhere and may be the ones that were meant.
    package init(connecting address: Address, _ error: PosixError, others: [String] = []) {
        let path = address.path
        let start = Self.start(address)
        // A path that is only a guess gives way to a socket that is there.
        let isElsewhere = address.warning != nil && !others.isEmpty
        switch error.code {
        case ENOENT, ENOTDIR:
            self.init(
                .noDaemon, "no daemon: there is no socket at '\(path)' (\(error.reason))",
                hint: (isElsewhere ? others : [start] + others).joined(separator: " "))
        case ECONNREFUSED:
            self.init(
                .noDaemon, "no daemon: nobody listens at '\(path)' (\(error.reason))",
                hint: "A daemon that is gone may have left it. " + start)
        case EACCES, EPERM:
            let owner = try? Files.status(path).uid
            let whose = owner.map { "It belongs to uid \($0). " } ?? ""
            self.init(
                .noDaemon, "no daemon: not allowed to connect to '\(path)' (\(error.reason))",
                hint: whose + "Run as the user whose daemon it is, or use --system.")
        case ENAMETOOLONG, EINVAL:
            self.init(
                .usage, "'\(path)' cannot be the path of a socket (\(error.reason))",
                hint: "A socket's path has 1 to 107 bytes.")
        default:
            self.init(.noDaemon, "no daemon: \(error)", hint: start)
        }
    }

    private static func start(_ address: Address) -> String {
        switch address.kind {
        case .user where address.warning != nil:
            "Set XDG_RUNTIME_DIR as it is in your session, or run 'ratingd' yourself."
        case .user:
            "Start it with 'systemctl --user restart ratingd.socket' (this also puts back a "
                + "socket that was removed), or run 'ratingd' yourself."
        case .system:
            "Start it with 'systemctl restart ratingd.socket' (this also puts back a socket that "
                + "was removed)."
        case .environment:
            "The path is from RATINGD_SOCKET; start the daemon with "
                + "'ratingd --socket \(address.path)', or unset the variable."
        case .named:
            "Start it with 'ratingd --socket \(address.path)', or look at the path again."
        }
    }
}
