import RatingPolicy
import RatingStore
import RatingWire

/// Questions; answering them changes nothing.
extension Core {
    func status(
        _ named: AppID?, _ version: Version?, explain: Bool, user: UserID?, from client: Client
    ) throws(Failure) -> Reply {
        let app = try app(named, user: user, from: client)
        let record = app.record
        let version = self.version(version, of: app.key, from: client) ?? record.version
        let policy = policy(of: app)
        let eligibility = Eligibility(
            record: record, user: app.user.content.record, policy: policy, version: version)
        let wall = now.wall
        let reasons = eligibility.refusals(at: wall)
        let isBehind =
            record.isAhead(of: wall)
            || app.user.content.record.grants.contains { $0.isAhead(of: wall) }
        var reply = StatusReply(app: app.id)
        reply.sessions = record.sessions
        reply.events = record.eventsTotal
        reply.eventsByName = record.events
        reply.firstSeen = record.firstSeen?.first
        reply.lastSeen = record.lastSeen?.first
        reply.version = version
        reply.promptsInWindow = record.promptsInWindow(at: wall)
        reply.cap = policy.promptsPerYear
        reply.lastPrompt = record.grants.last?.grantedAt.first
        reply.promptedVersions = record.promptedVersions
        reply.outcome = record.grants.last.flatMap {
            label(of: $0, timeout: policy.outcomeTimeout)
        }
        reply.outstanding = eligibility.outstanding(at: wall)?.token
        reply.isOptedOut = eligibility.isOptedOut
        reply.pending = app.pending.map {
            StatusReply.PendingRow(
                token: $0.token, version: $0.version, firesIn: $0.firesIn(at: now))
        }
        reply.reasons = reasons
        reply.unavailable = ledgerProblem
        reply.isEligible = reasons.isEmpty && reply.unavailable == nil
        if reply.unavailable == nil { reply.nextEligible = eligibility.nextEligible(from: wall) }
        reply.isClockBehind = isBehind
        if explain {
            reply.explain = StatusReply.Explanation(
                policy: policy, rules: eligibility.checks(at: wall))
        }
        return .status(reply)
    }

    func label(of grant: Grant, timeout: Milliseconds) -> OutcomeLabel? {
        switch grant.reading(timeout: timeout, at: now.wall) {
        case .awaited, .forgotten: nil
        case .ended(let outcome): .reported(.final(outcome))
        case .unknown: .unknown
        }
    }

    func history(
        _ named: AppID?, limit: Int, user: UserID?, from client: Client
    ) throws(Failure) -> Reply {
        let app = try app(named, user: user, from: client)
        let timeout = policy(of: app).outcomeTimeout
        return .history(
            app.record.grants.suffix(limit).reversed().map { grant in
                let isForgotten = grant.reading(timeout: timeout, at: now.wall) == .forgotten
                return HistoryRow(
                    token: isForgotten ? nil : grant.token, version: grant.version,
                    grantedAt: grant.grantedAt.first,
                    outcome: label(of: grant, timeout: timeout),
                    outcomeAt: grant.outcomeAt?.first)
            })
    }

    func reviewURL(_ named: AppID?, from client: Client) throws(Failure) -> Reply {
        let app = try app(named, from: client)
        count(.manualReview, app)
        return .reviewURL(
            policy(of: app).reviewURL.filled(app: app.id, version: app.record.version))
    }

    /// The first apps of a user behind a name; a sandboxed peer sees its own only.
    func apps(
        after cursor: AppID?, limit: Int, user: UserID?, from client: Client
    ) throws(Failure) -> Step {
        let user = try self.user(named: user, by: client)
        guard client.peer.identity.isSandboxed else {
            return .query(.apps(AppListing(of: user, after: cursor, limit: limit)))
        }
        let own = try ownSandboxed(client)
        let app = try app(AppKey(user: user, app: own))
        let isListed = app.record.isListed && (cursor.map { $0 < own } ?? true)
        let row = AppRow(AppSummary(own, app.record, at: now.wall))
        return .answer(.reply(.apps(AppPage(isListed ? [row] : []))))
    }

    func report(
        _ named: AppID?, since: WallTime?, user: UserID?, from client: Client
    ) throws(Failure) -> Step {
        let user = try self.user(named: user, by: client)
        var app = named
        if app == nil, client.peer.identity.isSandboxed { app = try ownSandboxed(client) }
        if let app { try permit(client, for: app) }
        let since = since ?? now.wall.adding(-FunnelStep.daysKept * .day)
        return .query(.report(FunnelSum(of: user, app: app, since: since)))
    }

    private func ownSandboxed(_ client: Client) throws(Failure) -> AppID {
        guard let own = client.peer.identity.app else {
            throw notPermitted("nothing is known of this connection's app", client)
        }
        return own
    }

    func whoami(_ client: Client) -> WhoAmIReply {
        WhoAmIReply(
            uid: client.user.id, pid: client.peer.process.number,
            app: ownApp(of: client),
            identity: identity(of: client), doubt: client.peer.doubt)
    }
}

extension AppRecord {
    /// True if `apps` lists the app: it was seen, or had a prompt that is not forgotten.
    var isListed: Bool {
        firstSeen != nil || grants.contains { !$0.isForgotten }
    }
}
