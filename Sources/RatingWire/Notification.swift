package import RatingPolicy

/// What the daemon says unasked (SPEC 2).
package enum Notification: Sendable {
    case prompt(PromptNotice)
    case granted(token: Token, app: AppID, version: Version, grantedAt: WallTime)
    case cancelled(token: Token, app: AppID, CancelReason)
    /// A request: the client answers with this id.
    case confirm(id: String, token: Token, app: AppID)
    case decision(DecisionNotice)
    case counter(CounterNotice)
    case lagged(dropped: Int64)
    /// The last line of a connection.
    case bye(ByeReason)
}

package struct PromptNotice: Sendable {
    package var token: Token
    package var app: AppID
    package var version: Version
    package var grantedAt: WallTime
    /// With this one.
    package var promptsInWindow: Int
    package var cap: Int64
    package var reviewURL: String
    package var isDebug: Bool

    package init(
        token: Token, app: AppID, version: Version, grantedAt: WallTime, promptsInWindow: Int,
        cap: Int64, reviewURL: String, isDebug: Bool
    ) {
        self.token = token
        self.app = app
        self.version = version
        self.grantedAt = grantedAt
        self.promptsInWindow = promptsInWindow
        self.cap = cap
        self.reviewURL = reviewURL
        self.isDebug = isDebug
    }
}

/// What was decided about a request, for subscribers.
package enum Decision: String, CaseIterable, Hashable, Sendable {
    case pending
    case refused
    case cancelled
    case granted
}

package struct DecisionNotice: Sendable {
    /// Counts what was dropped too.
    package var seq: Int64
    package var time: WallTime
    package var app: AppID
    package var decision: Decision
    package var token: Token?
    package var version: Version?
    /// Why it was cancelled.
    package var reason: String?
    /// Why it was refused, or cancelled as ineligible; left out if empty.
    package var reasons: [Rule] = []

    package init(seq: Int64, time: WallTime, app: AppID, decision: Decision) {
        self.seq = seq
        self.time = time
        self.app = app
        self.decision = decision
    }
}

/// A counter that moved, for subscribers.
package struct CounterNotice: Sendable {
    package enum Counter: String, Hashable, Sendable {
        case sessions
        case events
    }

    package var seq: Int64
    package var time: WallTime
    package var app: AppID
    package var counter: Counter
    /// Which events; nil for sessions.
    package var name: EventName?
    package var value: Count

    package init(
        seq: Int64, time: WallTime, app: AppID, counter: Counter, name: EventName?, value: Count
    ) {
        self.seq = seq
        self.time = time
        self.app = app
        self.counter = counter
        self.name = name
        self.value = value
    }
}

/// Why the daemon closes a connection.
package enum ByeReason: String, Hashable, Sendable {
    case shuttingDown = "shutting_down"
    case idle
    case quotaExceeded = "quota_exceeded"
}
