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
///
/// A reference to it, and within it one to what no event changes: turns hand records about, and
/// compare them, much more often than they change them.
package struct AppRecord: Hashable, Sendable {
    private var place = Apart(Counters())

    private struct Counters: Hashable, Sendable {
        var sessions: Count = 0
        var lastSession: Stamp?
        var events = EventCounts()
        var firstSeen: Stamp?
        var lastSeen: Stamp?
        var rest = Apart(Rest())
    }

    private struct Rest: Hashable, Sendable {
        var version: Version?
        var helloPolicy: HelloPolicy?
        var isOptedOut = false
        var grants: [Grant] = []
    }

    package init() {}

    private var counters: Counters {
        get { place.value }
        set { place = Apart(newValue) }
    }

    private var rest: Rest {
        get { place.value.rest.value }
        set { counters.rest = Apart(newValue) }
    }

    package var sessions: Count {
        get { place.value.sessions }
        set { counters.sessions = newValue }
    }

    /// When the last session message came, counted or not; what `SessionGapSec` is measured from.
    package var lastSession: Stamp? {
        get { place.value.lastSession }
        set { counters.lastSession = newValue }
    }

    package var events: EventCounts {
        get { place.value.events }
        set { counters.events = newValue }
    }

    /// When the first session or event came.
    package var firstSeen: Stamp? {
        get { place.value.firstSeen }
        set { counters.firstSeen = newValue }
    }

    package var lastSeen: Stamp? {
        get { place.value.lastSeen }
        set { counters.lastSeen = newValue }
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
    package var eventsTotal: Count { place.value.events.total }

    /// How many names of events there are.
    package var eventNamesCount: Int { place.value.events.count }

    /// Counts events of one name, of which the app was seen.
    ///
    /// Returns what the name has now, and all names together; nil, and counts nothing, if it is
    /// new and there are `namesMax` already.
    mutating func add(
        _ number: Int64, to name: EventName, namesMax: Int, at now: WallTime
    ) -> (ofName: Count, ofAll: Count)? {
        var counters = counters
        guard let ofName = counters.events.add(number, to: name, namesMax: namesMax) else {
            return nil
        }
        counters.firstSeen = counters.firstSeen ?? Stamp(now)
        counters.lastSeen = Stamp(now)
        self.counters = counters
        return (ofName, counters.events.total)
    }

    /// What the events of a name have come to; nil if one more of them at this time would change
    /// anything but that and `lastSeen`.
    package func standing(of name: EventName, at now: WallTime) -> EventStanding? {
        guard place.value.firstSeen != nil, let lastSeen = place.value.lastSeen,
            lastSeen.repaired == nil, lastSeen.first <= now
        else { return nil }
        return place.value.events.standing(of: name)
    }

    /// Counts events of the name at this place, as `standing` told it at this time.
    package mutating func add(_ number: Int64, atPlace name: Int, at now: WallTime) {
        Apart.change(&place) {
            $0.events.add(number, atPlace: name)
            $0.lastSeen = Stamp(now)
        }
    }

    /// Tells which counts of events are higher than they were, by the places of their names.
    ///
    /// False, perhaps with some told, if `tell` says so, if none is higher, or if anything differs
    /// but counts of events that are higher, and `lastSeen`.
    package func tellRisenCounts(
        since before: AppRecord, _ tell: (_ place: Int, _ count: Count) -> Bool
    ) -> Bool {
        let (now, then) = (place, before.place)
        return now.value.sessions == then.value.sessions
            && now.value.lastSession == then.value.lastSession
            && now.value.firstSeen == then.value.firstSeen && now.value.rest == then.value.rest
            && now.value.events.tellRisen(since: then.value.events, tell)
    }
}

/// What is kept of one user over all apps.
package struct UserRecord: Hashable, Sendable {
    package var isOptedOutOfAll = false
    /// The times of the grants of all apps.
    package var grants: [Stamp] = []

    package init() {}
}
