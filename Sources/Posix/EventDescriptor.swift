import CLinux
import Glibc

/// A wake-up from any thread to an epoll loop. See eventfd(2).
///
/// A class, because both sides hold it: the descriptor closes when the last one lets go.
package final class EventDescriptor: Sendable {
    private let descriptor: Descriptor

    /// What to watch: readable after `signal()`.
    package var raw: Int32 { descriptor.raw }

    package init() throws(PosixError) {
        let flags = Int32(EFD_NONBLOCK | EFD_CLOEXEC)
        descriptor = Descriptor(owning: try check("eventfd") { eventfd(0, flags) })
    }

    /// Makes it readable; several signals before a drain are one.
    package func signal() {
        // EAGAIN says that it is readable 2^64 times over, which is readable enough.
        _ = eventfd_write(descriptor.raw, 1)
    }

    /// Makes it unreadable; true if it was signalled since.
    @discardableResult
    package func drain() -> Bool {
        drainCounter(descriptor.raw)
    }
}
