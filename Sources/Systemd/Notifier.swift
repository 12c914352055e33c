import Glibc
package import Posix

/// Tells the service manager how the daemon is. See sd_notify(3), "Notes", for the protocol.
///
/// Not by sd_notify(3) itself, which waits while the manager is slow: the daemon must not.
///
/// Nothing here ends the daemon: without NOTIFY_SOCKET nothing is sent, and with a wrong one each
/// call returns nil but the first that failed, which returns the failure to be logged. What the
/// manager has no room for waits for `resend`.
package struct Notifier: Sendable {
    /// The longest `STATUS=` text that is sent, in bytes.
    package static let statusBytesMax = 512

    private var hasFailed = false
    /// What the manager had no room for, oldest first; of each kind the newest only.
    private var waiting: [String] = []

    /// True while something waits for room, so that `resend` is to be called after a while.
    package var isWaiting: Bool { !waiting.isEmpty }

    package init() {}

    /// The daemon answers, or has finished reloading.
    package mutating func ready() -> PosixError? {
        notify("READY=1")
    }

    /// One line for people; escaped and cut.
    package mutating func status(_ text: String) -> PosixError? {
        notify("STATUS=" + escapedForLog(text, maxBytes: Self.statusBytesMax))
    }

    /// Reloading starts now; `ready()` ends it, also if the reload failed.
    package mutating func reloading() -> PosixError? {
        let microseconds = Clock.now().monotonicNanoseconds / 1000
        return notify("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }

    /// The daemon is going.
    package mutating func stopping() -> PosixError? {
        notify("STOPPING=1")
    }

    /// The main loop is alive; said from there alone, at half of the period.
    package mutating func watchdog() -> PosixError? {
        notify("WATCHDOG=1")
    }

    /// How long the service manager waits for a `watchdog()`, nil if it does not.
    ///
    /// nil too if WATCHDOG_USEC is 0, empty or no number, or WATCHDOG_PID is another process. See
    /// sd_watchdog_enabled(3) for the protocol.
    package static func watchdogPeriodNanoseconds() -> Int64? {
        guard let text = environment("WATCHDOG_USEC"), let microseconds = UInt64(text),
            microseconds > 0
        else { return nil }
        if let process = environment("WATCHDOG_PID"), Int32(process) != OwnProcess.id { return nil }
        let (nanoseconds, isTooLong) = microseconds.multipliedReportingOverflow(by: 1000)
        return isTooLong ? nil : Int64(exactly: nanoseconds)
    }

    private mutating func notify(_ message: String) -> PosixError? {
        let kind = message.prefix { $0 != "=" }
        waiting.removeAll { $0.prefix { $0 != "=" } == kind }
        waiting.append(message)
        return resend()
    }

    /// Sends what waits, as far as there is room now.
    ///
    /// Without it a manager that was busy for a moment would wait for a `READY=1` for ever.
    package mutating func resend() -> PosixError? {
        guard let socket = environment("NOTIFY_SOCKET"), !socket.isEmpty else {
            waiting = []
            return nil
        }
        do throws(PosixError) {
            guard socket.hasPrefix("/") || socket.hasPrefix("@") && socket != "@" else {
                throw PosixError(operation: "sendto", subject: socket, code: EINVAL)
            }
            let sender = try DatagramSender()
            while let message = waiting.first {
                try sender.send(Array(message.utf8), to: socket)
                waiting.removeFirst()
            }
            return nil
        } catch {
            guard error.code != EAGAIN else { return nil }
            waiting = []
            guard !hasFailed else { return nil }
            hasFailed = true
            return PosixError(operation: "sd_notify", subject: socket, code: error.code)
        }
    }
}
