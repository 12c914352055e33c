/// Why a socket cannot be listened on, each with what to do about it.
package enum ListenError: Error, Equatable, CustomStringConvertible {
    /// A live daemon has it.
    case occupied(path: String)
    /// Something that is never replaced is at the path.
    case notASocket(path: String, kind: FileKind)
    /// More bytes than an address holds.
    case pathTooLong(path: String, max: Int)
    /// The directory, or the first one above it that is there, is another user's.
    case foreignDirectory(path: String, owner: UInt32)
    case failed(PosixError)

    package var description: String {
        switch self {
        case .occupied(let path):
            "another daemon listens at '\(shown(path))': stop it first, or choose another path"
        case .notASocket(let path, let kind):
            "a \(kind.rawValue) is at '\(shown(path))': move it away, or choose another path"
        case .pathTooLong(let path, let max):
            "the path '\(shown(path))' has \(path.utf8.count) bytes where a socket's has at most "
                + "\(max): choose a shorter one"
        case .foreignDirectory(let path, let owner):
            "the directory '\(shown(path))' belongs to uid \(owner): start as that user, or "
                + "choose a directory of your own"
        case .failed(let error):
            "\(error): check the directory and its permissions, or choose another path"
        }
    }

    private func shown(_ path: String) -> String {
        escapedForLog(path, maxBytes: 1024)
    }
}
