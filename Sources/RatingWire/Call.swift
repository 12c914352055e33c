package import RatingPolicy

/// One request or notification of a client, decoded (SPEC 2).
///
/// `app` and `version` are nil where the client left them to what `hello` said. What is large and
/// seldom stands apart, since every event is a call too.
package enum Call: Equatable, Sendable {
    indirect case hello(app: AppID, version: Version, policy: HelloOffer?)
    case session(app: AppID?, version: Version?)
    case event(app: AppID?, name: EventName, count: Int64)
    case activity(app: AppID?)
    indirect case request(RequestCall)
    case cancel(Cancelled)
    /// The token is nil if the text cannot be one, which is `not_found`.
    case outcome(token: Token?, OutcomeReport)
    indirect case status(app: AppID?, version: Version?, explain: Bool, user: UserID?)
    case history(app: AppID?, limit: Int, user: UserID?)
    case report(app: AppID?, since: WallTime?, user: UserID?)
    case reviewURL(app: AppID?)
    /// No apps: all of them.
    case subscribe(topics: Set<Topic>, apps: Set<AppID>?, isAgent: Bool)
    case unsubscribe
    case whoami
    case apps(cursor: AppID?, limit: Int, user: UserID?)
    case opt(out: Bool, scope: Scope, user: UserID?)
    case forget(app: AppID, ledger: Bool, user: UserID?)
    case repairClock
    case reload
    case stats
    case ping

    /// Which pending request `cancel` means.
    package enum Cancelled: Equatable, Sendable {
        case app(AppID?)
        /// Nil if the text cannot be a token.
        case token(Token?)
    }

    /// What `opt_out` and `opt_in` switch.
    package enum Scope: Equatable, Sendable {
        case app(AppID?)
        /// The user's switch of its own beside those of the apps.
        case all
    }
}

/// What `subscribe` can ask for.
package enum Topic: String, CaseIterable, Hashable, Sendable {
    case decisions
    case counters
}

/// The parameters of `request`.
package struct RequestCall: Equatable, Sendable {
    package var app: AppID?
    package var version: Version?
    /// Nil: as the policy says.
    package var debounce: Milliseconds?
    /// Nil: as the policy says.
    package var onActivity: OnActivity?
    package var asksConfirm = false
    package var delivery: Delivery = .requester
    package var isDebug = false

    package init() {}
}

/// The `policy` member of `hello`, sorted by what can be made of it (SPEC 3.1).
package struct HelloOffer: Equatable, Sendable {
    /// Known members of the right type and range, also those that `hello` cannot set.
    package var policy = HelloPolicy()
    /// Known members with other values, named as in `clamped`, in the order of the text.
    package var bad: [String] = []
    /// Unknown members, named as in `ignored`, in the order of the text.
    package var unknown: [String] = []

    package init() {}
}

/// The client's answer to a `confirm`.
package struct ClientResponse: Equatable, Sendable {
    package var id: RequestID
    /// True only if the result is exactly `true`.
    package var isYes: Bool

    package init(id: RequestID, isYes: Bool) {
        self.id = id
        self.isYes = isYes
    }
}
