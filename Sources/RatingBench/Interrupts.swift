internal import Glibc
internal import Posix
internal import RatingControl

/// Ctrl-C and SIGTERM, as the wish to end early with what was measured.
final class Interrupts {
    private let signals: SignalDescriptor

    init() throws(ControlFailure) {
        do {
            signals = try SignalDescriptor(blocking: [SIGINT, SIGTERM])
        } catch {
            throw ControlFailure(.internalError, "\(error)")
        }
    }

    /// True once for each signal.
    var hasCome: Bool { signals.next() != nil }
}
