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

    private func label(of grant: Grant, timeout: Milliseconds) -> OutcomeLabel? {
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

    func apps(
        after cursor: AppID?, limit: Int, user: UserID?, from client: Client
    ) throws(Failure) -> Reply {
        let user = try self.user(named: user, by: client)
        if client.peer.identity.isSandboxed {
            guard let own = client.peer.identity.app else {
                throw notPermitted("nothing is known of this connection's app", client)
            }
            let app = try app(AppKey(user: user, app: own))
            let isListed = app.record.isListed && (cursor.map { $0 < own } ?? true)
            return .apps(isListed ? [row(of: own, app.record)] : [], next: nil)
        }
        // One more than asked for tells whether there is a next page.
        let stored = try stored { () throws(StoreError) in
            try storage.apps(of: user, after: cursor, limit: limit + 1 + turn.apps.count)
        }
        var records = Dictionary(uniqueKeysWithValues: stored.map { ($0.app, $0.record) })
        // What this turn has changed is not stored yet.
        for app in turn.apps where app.key.user == user && (cursor.map { $0 < app.id } ?? true) {
            records[app.id] = app.record.isListed ? app.record : nil
        }
        let sorted = records.sorted { $0.key < $1.key }
        let page = sorted.prefix(limit)
        return .apps(
            page.map { row(of: $0.key, $0.value) },
            next: sorted.count > limit ? page.last?.key : nil)
    }

    private func row(of app: AppID, _ record: AppRecord) -> AppRow {
        AppRow(
            app: app, sessions: record.sessions, events: record.eventsTotal,
            lastSeen: record.lastSeen?.first,
            promptsInWindow: record.promptsInWindow(at: now.wall))
    }

    func report(
        _ named: AppID?, since: WallTime?, user: UserID?, from client: Client
    ) throws(Failure) -> Reply {
        let user = try self.user(named: user, by: client)
        let app = named ?? (client.peer.identity.isSandboxed ? client.peer.identity.app : nil)
        if let app {
            try permit(client, for: app)
        } else if client.peer.identity.isSandboxed {
            throw notPermitted("nothing is known of this connection's app", client)
        }
        let since = since ?? now.wall.adding(-FunnelStep.daysKept * .day)
        var steps = try stored { () throws(StoreError) in
            try storage.funnel(of: user, app: app, sinceDay: since.day)
        }
        var waiting = funnel.merging(turn.funnel, uniquingKeysWith: +)
        for app in apps.values { waiting.merge(app.content.funnel, uniquingKeysWith: +) }
        for (cell, count) in waiting
        where cell.key.user == user && (app == nil || cell.key.app == app) && cell.day >= since.day
        {
            steps[cell.step, default: 0] += count
        }
        var reply = Self.report(of: steps)
        let outcomes = try outcomes(of: user, app: app, since: since)
        reply.outcomes = outcomes.sorted { $0.key < $1.key }.map { NamedCount($0.key, $0.value) }
        return .report(reply)
    }

    private static func report(of steps: [FunnelStep: Int64]) -> ReportReply {
        var reply = ReportReply()
        for (step, count) in steps {
            switch step {
            case .request: reply.requests = count
            case .refusedTotal: reply.refusedTotal = count
            case .refused(let reason): reply.refused.append(NamedCount(reason.string, count))
            case .pending: reply.pending = count
            case .cancelled(let reason): reply.cancelled.append(NamedCount(reason, count))
            case .granted: reply.granted = count
            case .manualReview: reply.manualReviews = count
            }
        }
        reply.refused.sort { $0.name < $1.name }
        reply.cancelled.sort { $0.name < $1.name }
        return reply
    }

    /// How the grants since a time ended, by name; those awaited are left out.
    private func outcomes(
        of user: UserID, app: AppID?, since: WallTime
    ) throws(Failure) -> [String: Int64] {
        let stored = try stored { () throws(StoreError) in
            try storage.grants(of: user, app: app, since: since)
        }
        // What this turn has changed is not stored yet.
        let changed = turn.apps
            .filter { $0.key.user == user && (app == nil || $0.id == app) }
            .flatMap { $0.record.grants.filter { $0.grantedAt.first >= since } }
        let known = Set(changed.compactMap(\.token))
        let grants = changed + stored.filter { $0.token.map { !known.contains($0) } ?? false }
        var outcomes: [String: Int64] = [:]
        for grant in grants {
            let timeout = try outcomeTimeout(of: grant)
            guard let label = label(of: grant, timeout: timeout) else { continue }
            outcomes[label.name, default: 0] += 1
        }
        return outcomes
    }

    /// How long its app waits for the outcome; looked up only where none came.
    private func outcomeTimeout(of grant: Grant) throws(Failure) -> Milliseconds {
        guard grant.outcome == nil, let token = grant.token else { return 0 }
        if let app = turn.apps.first(where: { $0.record.grants.contains { $0.token == token } }) {
            return policy(of: app).outcomeTimeout
        }
        let key = try stored { () throws(StoreError) in try storage.key(ofToken: token) }
        guard let key else { return 0 }
        return policy(of: try app(key)).outcomeTimeout
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
