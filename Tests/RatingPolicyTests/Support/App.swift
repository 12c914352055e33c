import RatingPolicy

/// One app of one user as a daemon would drive it, with its own clocks.
struct App {
    var state = AppState()
    var user = UserRecord()
    var policy: Policy
    var now: Moment = .start
    var version: Version = "1.0"
    var wish = RequestWish()
    var agentIsThere: Bool?
    private(set) var requests = 0

    init(_ policy: Policy = .standard()) {
        self.policy = policy
    }

    /// An app that has just asked, under a policy that lets everything pass.
    static func waiting(_ policy: Policy = .open(), wish: RequestWish = RequestWish()) -> App {
        var app = App(policy)
        app.wish = wish
        _ = app.request()
        return app
    }

    /// An app that has been asked for `confirm`, after the quiet time of 2 s.
    static func confirming(
        _ policy: Policy = .open(), onActivity: OnActivity = .cancel
    ) -> App {
        var wish = RequestWish()
        wish.asksConfirm = true
        wish.onActivity = onActivity
        var app = waiting(policy, wish: wish)
        app.pass(2_000)
        _ = app.timePassed()
        return app
    }

    var eligibility: Eligibility {
        Eligibility(
            record: state.record, user: user, policy: policy, version: version,
            agentIsThere: agentIsThere)
    }

    var refusals: [Rule] { eligibility.refusals(at: now.wall) }

    var nextEligible: WallTime? { eligibility.nextEligible(from: now.wall) }

    var prompts: Int { state.record.grants.count }

    mutating func pass(_ span: Milliseconds) {
        now = now + span
    }

    @discardableResult
    mutating func session() -> Bool {
        state.sessionReported(version: version, gap: policy.sessionGap, at: now.wall)
    }

    mutating func event(_ name: EventName = .significant, count: Int64 = 1) {
        _ = state.eventReported(name, count: count, namesMax: 100, at: now.wall)
    }

    @discardableResult
    mutating func request() -> AppState.Decision {
        requests += 1
        let request = PendingRequest(
            token: Token(stringLiteral: "t\(requests)"), version: version, requester: ClientID(1),
            of: ProcessID(number: 1), wish: wish, policy: policy, at: now)
        return state.requested(request, eligibility: eligibility, at: now.wall)
    }

    @discardableResult
    mutating func timePassed() -> AppState.Progress {
        noting(state.timePassed(eligibility: eligibility, at: now))
    }

    mutating func answer(_ isYes: Bool) -> AppState.Progress {
        noting(state.confirmAnswered(isYes, eligibility: eligibility, at: now))
    }

    mutating func activity() -> AppState.ActivityEffect {
        state.activityReported(at: now)
    }

    /// Asks, waits out the quiet time, and says whether a prompt came of it.
    @discardableResult
    mutating func prompt() -> Bool {
        guard case .pending = request(), let pending = state.pending else { return false }
        pass(pending.debounce)
        guard case .granted = timePassed() else { return false }
        return true
    }

    /// Reports what became of the last prompt.
    @discardableResult
    mutating func report(_ report: OutcomeReport) -> AppState.OutcomeEffect {
        guard let token = state.record.grants.last?.token else { return .notFound }
        return state.outcomeReported(
            report, token: token, timeout: policy.outcomeTimeout, at: now.wall)
    }

    mutating func forget(ledger: Bool) -> PendingRequest? {
        state.forgotten(ledger: ledger, timeout: policy.outcomeTimeout, at: now.wall)
    }

    /// What `clock repair` does to every stored time.
    mutating func repairClock() {
        state.record.repairStamps(at: now.wall)
        user.grants = user.grants.map { $0.repaired(at: now.wall) }
    }

    /// A daemon keeps the times of all grants with the user as well.
    private mutating func noting(_ progress: AppState.Progress) -> AppState.Progress {
        if case .granted = progress, let grant = state.record.grants.last {
            user.grants.append(grant.grantedAt)
        }
        return progress
    }
}

extension AppRecord {
    mutating func repairStamps(at now: WallTime) {
        lastSession = lastSession?.repaired(at: now)
        firstSeen = firstSeen?.repaired(at: now)
        lastSeen = lastSeen?.repaired(at: now)
        for index in grants.indices {
            grants[index].grantedAt = grants[index].grantedAt.repaired(at: now)
            grants[index].shownAt = grants[index].shownAt?.repaired(at: now)
            grants[index].outcomeAt = grants[index].outcomeAt?.repaired(at: now)
        }
    }
}
