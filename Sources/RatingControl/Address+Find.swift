internal import Posix

extension Address {
    /// The socket that a command line means.
    package static func find(_ target: Target) throws(ControlFailure) -> Address {
        switch target {
        case .socket(let path):
            return Address(path: path, kind: .named)
        case .system:
            return Address(path: SocketPath.system.string, kind: .system)
        case .user:
            return try user()
        case .unsaid:
            if let path = environment("RATINGD_SOCKET"), !path.isEmpty {
                return Address(path: path, kind: .environment)
            }
            return try user()
        }
    }

    private static func user() throws(ControlFailure) -> Address {
        do {
            let path = try SocketPath.user()
            return Address(path: path.string, kind: .user, warning: path.warning)
        } catch {
            throw ControlFailure(.noDaemon, "no daemon: \(error)")
        }
    }

    /// Sentences about sockets elsewhere that may be the ones that were meant.
    package func others() -> [String] {
        guard kind == .user else { return [] }
        var sentences: [String] = []
        let login = "/run/user/\(OwnProcess.effectiveUserID)"
        if warning != nil, Self.isSocket(login + "/ratingd/ratingd.sock") {
            sentences.append("There is one at '\(login)': set XDG_RUNTIME_DIR=\(login).")
        }
        if Self.isSocket(SocketPath.system.string) {
            sentences.append("For the daemon of the machine use --system.")
        }
        return sentences
    }

    private static func isSocket(_ path: String) -> Bool {
        // What cannot be looked at is no place to point a user to.
        (try? Files.status(path))?.kind == .socket
    }
}
