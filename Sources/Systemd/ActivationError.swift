package import Posix

/// What the service manager passed and the daemon cannot use.
package enum ActivationError: Error, Equatable, CustomStringConvertible {
    /// The variables make no sense.
    case unusable(listenFDs: String, code: Int32)
    case tooMany(count: Int)
    case notAListeningSocket(descriptor: Int32, kind: FileKind)

    package var description: String {
        switch self {
        case .unusable(let listenFDs, let code):
            "LISTEN_FDS='\(escapedForLog(listenFDs, maxBytes: 64))' cannot be used "
                + "(\(PosixError(operation: "", code: code).reason)): \(wanted)"
        case .tooMany(let count):
            "\(count) descriptors were passed by socket activation: \(wanted)"
        case .notAListeningSocket(let descriptor, let kind):
            "descriptor \(descriptor) passed by socket activation is a \(kind.rawValue), but not "
                + "a listening Unix stream socket: \(wanted)"
        }
    }

    private var wanted: String {
        "exactly one is wanted, a ListenStream= with a path"
    }
}
