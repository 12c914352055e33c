import RatingPolicy
import RatingWire

/// What the log is told, and how often.
extension Core {
    func takeLog() -> [LogEntry] {
        defer { log = [] }
        return log
    }

    /// Notes something for the log, once the turn is stored.
    func note(
        _ kind: LogKind, _ text: @autoclosure () -> String,
        _ fields: @autoclosure () -> [(field: LogField, value: String)] = []
    ) {
        guard kind.level <= configuration.daemon.logLevel else { return }
        turn.log.append(LogEntry(kind, text(), fields()))
    }

    /// How many entries of a kind an app can cause in a minute.
    static let entriesPerMinuteMax = 20

    /// Notes something that an app can cause as often as it likes: its first entries of a minute.
    func noteOften(
        _ kind: LogKind, of app: AppID?, user: UserID, _ text: @autoclosure () -> String,
        _ fields: @autoclosure () -> [(field: LogField, value: String)]
    ) {
        let topic = LogLimiter.Topic(kind: kind, user: user, detail: app?.string ?? "")
        let entry = limited(
            topic, every: 60 * .second, burst: Self.entriesPerMinuteMax, text(), fields())
        if let entry { turn.log.append(entry) }
    }

    /// Tells the log of input that was refused, at most every ten seconds a user.
    func noteBadInput(_ failure: Failure, from client: Client) {
        let process = client.peer.process.number
        let entry = limited(
            LogLimiter.Topic(kind: .badInput, user: client.user.id, detail: ""),
            every: 10 * .second, "bad input from process \(process): \(failure.message)",
            peerFields(of: client) + [(.reason, failure.reason.rawValue)])
        if let entry { turn.log.append(entry) }
    }

    /// Tells the log why somebody who could not be identified was refused something, once a minute
    /// a user.
    func noteUnknownPeer(_ client: Client, _ doubt: String) {
        let process = client.peer.process.number
        let entry = limited(
            LogLimiter.Topic(kind: .peerUnknown, user: client.user.id, detail: ""),
            every: 60 * .second, "process \(process) was refused: who it is is unknown: \(doubt)",
            peerFields(of: client) + [(.error, doubt)])
        if let entry { turn.log.append(entry) }
    }

    private func peerFields(of client: Client) -> [(field: LogField, value: String)] {
        var fields: [(field: LogField, value: String)] = [
            (.user, String(client.user.id)), (.process, String(client.peer.process.number)),
        ]
        if let app = ownApp(of: client) { fields.append((.app, app.string)) }
        return fields
    }

    /// The error for a limit that is reached; also noted for the log, once a minute.
    ///
    /// `isShare`: of what is counted per user, the half of one process is reached.
    func overLimit(_ limit: Limit, user: UserID, isShare: Bool = false) -> Failure {
        let max = limits[limit]
        let entry = limited(
            LogLimiter.Topic(kind: .limitHit, user: user, detail: limit.rawValue),
            every: 60 * .second, "limit \(limit.rawValue) of \(max) reached by user \(user)",
            [(.user, String(user)), (.limit, limit.rawValue), (.max, String(max))])
        if let entry { turn.log.append(entry) }
        return .quotaExceeded(limit, max: max, share: isShare ? Int64(share(of: limit)) : nil)
    }

    /// Tells the log of a reload with all its warnings, a few times a minute: also that is something
    /// which a program of the user can have as often as it likes.
    func noteReload(_ entries: [LogEntry]) {
        let topic = LogLimiter.Topic(kind: .reloaded, user: surroundings.user, detail: "")
        let verdict = limiter.pass(
            topic, every: 60 * .second, burst: Self.entriesPerMinuteMax, at: now.monotonic)
        switch verdict {
        case .passed: log += entries
        case .heldBack(let isFirst):
            if isFirst, let entry = entries.last { limiter.keep(entry, of: topic) }
        }
    }

    /// Notes, once a minute, that there are no descriptors for new clients.
    func noteExhausted(_ text: String) {
        let topic = LogLimiter.Topic(
            kind: .limitHit, user: surroundings.user, detail: "descriptors")
        let entry = limited(
            topic, every: 60 * .second, "\(text): new clients wait", [(.limit, "descriptors")])
        if let entry { log.append(entry) }
    }

    /// Notes, once a minute for each path, that a socket of an app (nil: of any) cannot be made.
    func noteAppSocket(of app: AppID?, at path: String, _ error: String) {
        let topic = LogLimiter.Topic(
            kind: .appSocketFailed, user: surroundings.user, detail: path)
        var fields: [(field: LogField, value: String)] = [(.path, path), (.error, error)]
        if let app { fields.append((.app, app.string)) }
        let whose = app.map { "the app '\($0.string)'" } ?? "apps"
        let entry = limited(
            topic, every: 60 * .second, "no socket for \(whose): \(error)", fields)
        if let entry { log.append(entry) }
    }

    /// The entry, if it may be logged now; else the first that is held back is kept for
    /// `tellHeldBack`.
    private func limited(
        _ topic: LogLimiter.Topic, every length: Milliseconds, burst: Int = 1,
        _ text: @autoclosure () -> String,
        _ fields: @autoclosure () -> [(field: LogField, value: String)]
    ) -> LogEntry? {
        guard topic.kind.level <= configuration.daemon.logLevel else { return nil }
        switch limiter.pass(topic, every: length, burst: burst, at: now.monotonic) {
        case .passed(let suppressed):
            let entry = LogEntry(topic.kind, text(), fields())
            return burst == 1 || suppressed > 0 ? entry.suppressing(suppressed) : entry
        case .heldBack(let isFirst):
            if isFirst { limiter.keep(LogEntry(topic.kind, text(), fields()), of: topic) }
            return nil
        }
    }

    /// Tells the log what was held back in spans that end by then.
    func tellHeldBack(until end: SteadyTime) {
        turn.log += limiter.takeOwed(until: end)
    }
}
