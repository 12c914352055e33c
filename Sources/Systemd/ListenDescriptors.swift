import CSystemd
import Glibc
import Posix

/// The socket that the service manager listens on for us (socket activation). See
/// sd_listen_fds(3).
package enum ListenDescriptors {
    package enum Taken: Equatable, Sendable {
        /// Not started by a socket, or the variables are meant for another process.
        case none
        /// A listening stream socket that the caller owns now.
        case socket(Int32)
    }

    /// Takes it over: close-on-exec is set and the variables are gone afterwards.
    ///
    /// Called once, before any thread starts, because taking variables away is not safe with
    /// threads. Exactly one socket is wanted; its name does not matter.
    package static func take() throws(ActivationError) -> Taken {
        let threads = OwnProcess.threadCount() ?? 1
        precondition(threads == 1, "the environment is changed before any thread starts")
        let stated = environment("LISTEN_FDS") ?? ""
        let count = sd_listen_fds(1)
        guard count >= 0 else { throw .unusable(listenFDs: stated, code: -count) }
        guard count > 0 else { return .none }
        guard count == 1 else { throw .tooMany(count: Int(count)) }
        let socket = SD_LISTEN_FDS_START
        guard sd_is_socket_unix(socket, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            let kind = (try? Files.status(of: socket).kind) ?? .unknown
            throw .notAListeningSocket(descriptor: socket, kind: kind)
        }
        return .socket(socket)
    }
}
