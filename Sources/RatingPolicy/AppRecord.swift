/// How a prompt ended, as the app reports it.
package enum Outcome: String, CaseIterable, Hashable, Sendable {
    case rated
    case later
    case declined
    case never
    case dismissed
    case failed
}

/// One permission to show one rating prompt, as the ledger keeps it.
package struct Grant: Hashable, Sendable {
    package var grantedAt: Stamp
    /// Nil once forgotten.
    package var token: Token?
    /// Nil once forgotten.
    package var version: Version?
    package var shownAt: Stamp?
    package var outcome: Outcome?
    package var outcomeAt: Stamp?
    /// True if only the time is to stay; the token then stays until the outcome or its time-out.
    package var isForgotten = false

    package init(grantedAt: Stamp, token: Token?, version: Version?) {
        self.grantedAt = grantedAt
        self.token = token
        self.version = version
    }
}

/// What is kept of one app of one user.
package struct AppRecord: Hashable, Sendable {
    package var sessions: Count = 0
    /// When the last session message came, counted or not; what `SessionGapSec` is measured from.
    package var lastSession: Stamp?
    package var events = EventCounts()
    /// When the first session or event came.
    package var firstSeen: Stamp?
    package var lastSeen: Stamp?
    /// The version last told by `hello`, `session` or a granted request.
    package var version: Version?
    package var helloPolicy: HelloPolicy?
    package var isOptedOut = false
    /// In the order they were made.
    package var grants: [Grant] = []

    package init() {}

    /// All events of all names.
    package var eventsTotal: Count { events.total }
}

/// What is kept of one user over all apps.
package struct UserRecord: Hashable, Sendable {
    package var isOptedOutOfAll = false
    /// The times of the grants of all apps.
    package var grants: [Stamp] = []

    package init() {}
}
