import Glibc
import Posix

/// The socket that the service manager listens on for us (socket activation). See
/// sd_listen_fds(3), "Notes", for the protocol.
///
/// Not by sd_listen_fds(3) itself: with this and the watchdog's two variables it would be all
/// that is used of libsystemd, which brings seven libraries and a megabyte of memory along.
package enum ListenDescriptors {
    package enum Taken: Equatable, Sendable {
        /// Not started by a socket, or the variables are meant for another process.
        case none
        /// A listening stream socket that the caller owns now.
        case socket(Int32)
    }

    /// Where passed descriptors begin.
    private static let first: Int32 = 3

    /// Takes it over: close-on-exec is set and the variables are gone afterwards.
    ///
    /// Called once, before any thread starts, because taking variables away is not safe with
    /// threads. Exactly one socket is wanted; its name does not matter.
    package static func take() throws(ActivationError) -> Taken {
        let threads = OwnProcess.threadCount() ?? 1
        precondition(threads == 1, "the environment is changed before any thread starts")
        let process = environment("LISTEN_PID")
        let stated = environment("LISTEN_FDS")
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] {
            unsafe unsetenv(name)
        }
        guard let process else { return .none }
        guard let process = Int32(process), process > 0 else {
            throw .unusable(listenFDs: stated ?? "", code: EINVAL)
        }
        guard process == OwnProcess.id, let stated else { return .none }
        guard let count = Int32(stated), count > 0 else {
            throw .unusable(listenFDs: stated, code: EINVAL)
        }
        guard count == 1 else { throw .tooMany(count: Int(count)) }
        guard fcntl(first, F_SETFD, FD_CLOEXEC) == 0 else {
            throw .unusable(listenFDs: stated, code: errno)
        }
        guard ListeningSocket.isOne(first) else {
            let kind = (try? Files.status(of: first).kind) ?? .unknown
            throw .notAListeningSocket(descriptor: first, kind: kind)
        }
        return .socket(first)
    }
}
