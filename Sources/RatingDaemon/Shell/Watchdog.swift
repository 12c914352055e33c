import Posix
import RatingPolicy
import Systemd

/// Tells the service manager, from the main loop and at half the period, that the loop is alive.
final class Watchdog {
    let timer: TimerDescriptor
    private let interval: Int64?
    private let service: ServiceManager

    /// Nothing is ever due if the service manager did not ask for it.
    init(period: Int64?, service: ServiceManager) throws(PosixError) {
        timer = try TimerDescriptor()
        interval = period.map { max(1, $0 / 2) }
        self.service = service
        arm()
    }

    var raw: Int32 { timer.raw }

    func ping() {
        timer.drain()
        guard interval != nil else { return }
        service.watchdog()
        arm()
    }

    /// Pings if it is time, while the loop itself waits for the disk in another thread.
    ///
    /// Returns how long to wait for the next time, in milliseconds; −1: for ever.
    func pingIfDue() -> Int32 {
        guard let interval else { return -1 }
        if timer.drain() {
            service.watchdog()
            arm()
        }
        return Int32(clamping: max(1, interval / 2_000_000))
    }

    private func arm() {
        guard let interval else { return }
        timer.arm(at: Clock.now().monotonicNanoseconds + interval)
    }
}

/// What the service manager is told; what it cannot be told is logged once and else ignored.
final class ServiceManager {
    /// How long one that has no room is left alone.
    static let pause: Milliseconds = 500

    /// When `passTime` has something to do; nil if nothing waits.
    private(set) var againAt: SteadyTime?
    private var notifier = Notifier()
    private let log: LogSink
    private var lastStatus = ""

    init(log: LogSink) {
        self.log = log
    }

    func ready() { note(notifier.ready()) }
    func stopping() { note(notifier.stopping()) }
    func reloading() { note(notifier.reloading()) }
    func watchdog() { note(notifier.watchdog()) }

    /// One plain line, sent when it is another than before.
    func status(_ text: String) {
        guard text != lastStatus else { return }
        lastStatus = text
        note(notifier.status(text))
    }

    /// Tells it what it had no room for, if that was a while ago.
    func passTime(at now: Moment) {
        guard notifier.isWaiting else {
            againAt = nil
            return
        }
        if let againAt, againAt > now.monotonic { return }
        note(notifier.resend())
        againAt = notifier.isWaiting ? now.monotonic.adding(Self.pause) : nil
    }

    private func note(_ error: PosixError?) {
        guard let error else { return }
        log.write(
            LogEntry(.notifyFailed, "\(error), ignoring", [(.error, error.description)]))
    }
}
