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
    private var apart = Apart.rest(Rest())

    /// What no event changes.
    private struct Rest: Hashable, Sendable {
        var version: Version?
        var helloPolicy: HelloPolicy?
        var isOptedOut = false
        var grants: [Grant] = []
    }

    /// Has the rest in a place of its own: each turn copies the records that it changes, so as to
    /// go back, and copies a reference of this.
    private indirect enum Apart: Hashable, Sendable {
        case rest(Rest)
    }

    package init() {}

    private var rest: Rest {
        get {
            switch apart {
            case .rest(let rest): rest
            }
        }
        set { apart = .rest(newValue) }
    }

    /// The version last told by `hello`, `session` or a granted request.
    package var version: Version? {
        get { rest.version }
        set { if newValue != version { rest.version = newValue } }
    }

    package var helloPolicy: HelloPolicy? {
        get { rest.helloPolicy }
        set { rest.helloPolicy = newValue }
    }

    package var isOptedOut: Bool {
        get { rest.isOptedOut }
        set { rest.isOptedOut = newValue }
    }

    /// In the order they were made.
    package var grants: [Grant] {
        get { rest.grants }
        set { rest.grants = newValue }
    }

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
