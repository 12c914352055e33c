package import RatingPolicy

/// The result of one call, in the shape its method has (SPEC 2).
///
/// What is large and seldom stands apart, since every event has a reply too.
package enum Reply: Sendable {
    indirect case hello(HelloReply)
    case session(sessions: Count, counted: Bool, firstSeen: WallTime?)
    case event(events: Count, nameTotal: Count)
    case activity(cancelled: Bool, restarted: Bool)
    case pending(token: Token, firesIn: Milliseconds, debug: Bool)
    case refused(reasons: [Rule], nextEligible: WallTime?)
    case cancelled(Bool)
    case outcome(OutcomeReport)
    indirect case status(StatusReply)
    case history([HistoryRow])
    indirect case report(ReportReply)
    case reviewURL(String)
    case subscribed
    case unsubscribed(Bool)
    indirect case whoami(WhoAmIReply)
    case apps(AppPage)
    case optedOut(Bool)
    case forgotten(Bool)
    case repaired(Int)
    indirect case reloaded(Bool, warnings: [String], reason: String?)
    case stats(StatsReply)
    case pong(WallTime)
}

/// Who is at the other end, as far as it is known.
package struct IdentityReply: Hashable, Sendable {
    /// How it is known: `claimed`, `flatpak`, …
    package var source: String
    package var isVerified: Bool

    package init(source: String, isVerified: Bool) {
        self.source = source
        self.isVerified = isVerified
    }

    var value: JSONValue {
        .object([.init("source", .string(source)), .init("verified", .bool(isVerified))])
    }
}

package struct HelloReply: Sendable {
    /// `ratingd/1.2.3`
    package var server: String
    package var app: AppID
    package var identity: IdentityReply
    package var limits: Limits
    package var capabilities: [String]
    package var clamped: [String] = []
    package var ignored: [String] = []

    /// The version of the protocol.
    package static let protocolVersion: Int64 = 1

    package init(
        server: String, app: AppID, identity: IdentityReply, limits: Limits,
        capabilities: [String]
    ) {
        self.server = server
        self.app = app
        self.identity = identity
        self.limits = limits
        self.capabilities = capabilities
    }
}

/// One row of `history`.
package struct HistoryRow: Sendable {
    package var token: Token?
    package var version: Version?
    package var grantedAt: WallTime
    package var outcome: OutcomeLabel?
    package var outcomeAt: WallTime?

    package init(
        token: Token?, version: Version?, grantedAt: WallTime, outcome: OutcomeLabel?,
        outcomeAt: WallTime?
    ) {
        self.token = token
        self.version = version
        self.grantedAt = grantedAt
        self.outcome = outcome
        self.outcomeAt = outcomeAt
    }
}

/// What a grant's outcome reads.
package enum OutcomeLabel: Hashable, Sendable {
    case reported(OutcomeReport)
    /// None came in time.
    case unknown

    package var name: String {
        switch self {
        case .reported(let report): report.name
        case .unknown: "unknown"
        }
    }
}

/// A count with the name it is shown under.
package struct NamedCount: Hashable, Sendable {
    package var name: String
    package var count: Int64

    package init(_ name: String, _ count: Int64) {
        self.name = name
        self.count = count
    }
}

/// The funnel of one app, or of all of a user.
package struct ReportReply: Sendable {
    package var requests: Int64 = 0
    package var refusedTotal: Int64 = 0
    /// By reason, in the order they are to be shown; each name once.
    package var refused: [NamedCount] = []
    package var pending: Int64 = 0
    /// By reason.
    package var cancelled: [NamedCount] = []
    package var granted: Int64 = 0
    /// By result, of the grants of the time.
    package var outcomes: [NamedCount] = []
    package var manualReviews: Int64 = 0

    package init() {}
}

package struct WhoAmIReply: Sendable {
    package var uid: UserID
    /// Nil if it cannot be told.
    package var pid: Int32?
    package var app: AppID?
    package var identity: IdentityReply
    /// Why it is unknown who this is; left out if it is known.
    package var doubt: String?

    package init(
        uid: UserID, pid: Int32?, app: AppID?, identity: IdentityReply, doubt: String? = nil
    ) {
        self.uid = uid
        self.pid = pid
        self.app = app
        self.identity = identity
        self.doubt = doubt
    }
}

/// One row of `apps`.
package struct AppRow: Sendable {
    package var app: AppID
    package var sessions: Count
    package var events: Count
    package var lastSeen: WallTime?
    package var promptsInWindow: Int

    package init(
        app: AppID, sessions: Count, events: Count, lastSeen: WallTime?, promptsInWindow: Int
    ) {
        self.app = app
        self.sessions = sessions
        self.events = events
        self.lastSeen = lastSeen
        self.promptsInWindow = promptsInWindow
    }
}

/// Figures of the daemon itself, in the order they were added.
package struct StatsReply: Sendable {
    private(set) var members: [JSONValue.Member] = []

    package init() {}

    package mutating func add(_ name: String, _ number: Int64) {
        members.append(.init(name, .integer(number)))
    }

    package mutating func add(_ name: String, _ flag: Bool) {
        members.append(.init(name, .bool(flag)))
    }

    package mutating func add(_ name: String, _ text: String) {
        members.append(.init(name, .string(text)))
    }

    package mutating func add(_ name: String, _ group: StatsReply) {
        members.append(.init(name, .object(group.members)))
    }

    /// The value of every limit by its name.
    package mutating func add(_ name: String, _ limits: Limits) {
        var group = StatsReply()
        for limit in Limit.allCases { group.add(limit.rawValue, limits[limit]) }
        add(name, group)
    }
}
