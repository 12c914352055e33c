import RatingPolicy
import RatingStore
import RatingWire

/// Answers that take several turns, so that none takes long.
extension Core {
    /// What a client's line, or a piece of it, may cost of a turn.
    static let costAtOnceMax = 64
    /// How many apps a piece looks at; each takes twice as long as a line.
    static let appsAtOnce = 16
    /// How many lines of the funnel a piece looks at; each takes about as long as a line.
    static let funnelLinesAtOnce = 32

    /// Answers a client's line a piece further.
    func goOn(with client: Client) {
        take(.further(client))
    }

    func answerFurther(_ client: Client) {
        guard let unfinished = client.content.unfinished else { return }
        touch(client)
        client.content.unfinished = nil
        switch unfinished {
        case .query(let id, let query):
            switch step(query, for: client) {
            case .answer(let answer):
                tellFailure(answer)
                write(answer, id: id, to: client)
            case .query(let query): client.content.unfinished = .query(id, query)
            }
        case .batch(let progress): answer(progress, from: client)
        }
    }

    /// Tells the rest of what a client is answered, when no turn comes for it any more.
    func finishAnswer(of client: Client) {
        while client.content.unfinished != nil { answerFurther(client) }
    }

    /// One piece of a question's answer.
    func step(_ query: Query, for client: Client) -> Step {
        do throws(Failure) {
            if isShuttingDown { throw .shuttingDown }
            switch query {
            case .apps(var listing):
                let isWhole = try proceed(&listing)
                return isWhole ? .answer(.reply(.apps(listing.page))) : .query(.apps(listing))
            case .report(var sum):
                let isWhole = try proceed(&sum)
                return isWhole
                    ? .answer(.reply(.report(try report(of: sum)))) : .query(.report(sum))
            }
        } catch {
            return .answer(.failure(error))
        }
    }

    // MARK: - Apps

    /// The next apps of a page; true if it is whole.
    private func proceed(_ listing: inout AppListing) throws(Failure) -> Bool {
        let (user, cursor) = (listing.user, listing.cursor)
        var apps = try stored { () throws(StoreError) in
            try storage.summaries(
                of: user, after: cursor, limit: Self.appsAtOnce, at: now.wall)
        }
        turnCost += 4 + 2 * apps.count
        let isLast = apps.count < Self.appsAtOnce
        bring(in: &apps, of: user, after: cursor, isLast: isLast)
        var rows: [AppRow] = []
        defer { listing.page.add(rows) }
        for app in apps {
            let isFull = listing.page.count + rows.count == listing.limit
            if isFull && app.isListed || listing.count == listing.countMax {
                listing.page.next = listing.cursor
                return true
            }
            listing.cursor = app.app
            listing.count += 1
            if app.isListed { rows.append(AppRow(app)) }
        }
        return isLast
    }

    /// Puts in what this turn has changed and is not stored yet.
    private func bring(
        in apps: inout [AppSummary], of user: UserID, after cursor: AppID?, isLast: Bool
    ) {
        let end = isLast ? nil : apps.last?.app
        let changed = turn.apps.filter { app in
            app.key.user == user && app.content.isStored
                && (cursor.map { $0 < app.id } ?? true) && (end.map { app.id <= $0 } ?? true)
        }
        guard !changed.isEmpty else { return }
        let names = Set(changed.map(\.id))
        apps.removeAll { names.contains($0.app) }
        apps += changed.map { AppSummary($0.id, $0.record, at: now.wall) }
        apps.sort { $0.app < $1.app }
    }

    // MARK: - Reports

    /// The next lines of the funnel; true if there are no more.
    private func proceed(_ sum: inout FunnelSum) throws(Failure) -> Bool {
        let (user, app, place) = (sum.user, sum.app, sum.place)
        let lines = try stored { () throws(StoreError) in
            try storage.funnel(of: user, app: app, after: place, limit: Self.funnelLinesAtOnce)
        }
        turnCost += 4 + lines.count
        for line in lines { sum.add(line.count, to: line.place.step) }
        guard lines.count == Self.funnelLinesAtOnce, let last = lines.last else {
            addWaiting(to: &sum)
            return true
        }
        sum.place = last.place
        return false
    }

    /// Adds what is not stored yet.
    private func addWaiting(to sum: inout FunnelSum) {
        var keys: [AppKey] = []
        if let app = sum.app {
            keys = [AppKey(user: sum.user, app: app)]
        } else if let user = users[sum.user] {
            keys = user.unstored.map { AppKey(user: user.id, app: $0) }
        }
        let unstored = keys.compactMap { apps[$0]?.content.funnel }
        for cells in [funnel, turn.funnel] + unstored {
            for (cell, count) in cells where sum.counts(cell) { sum.add(count, to: cell.step.key) }
        }
    }

    private func report(of sum: FunnelSum) throws(Failure) -> ReportReply {
        var reply = ReportReply()
        for (key, count) in sum.sums {
            // A step this version does not know is one of a newer version that was here before.
            switch FunnelStep(key: key) {
            case .request: reply.requests = count
            case .refusedTotal: reply.refusedTotal = count
            case .refused(let reason): reply.refused.append(NamedCount(reason.string, count))
            case .pending: reply.pending = count
            case .cancelled(let reason): reply.cancelled.append(NamedCount(reason, count))
            case .granted: reply.granted = count
            case .manualReview: reply.manualReviews = count
            case nil: break
            }
        }
        reply.refused.sort { $0.name < $1.name }
        reply.cancelled.sort { $0.name < $1.name }
        let outcomes = try outcomes(of: sum.user, app: sum.app, since: sum.since)
        reply.outcomes = outcomes.sorted { $0.key < $1.key }.map { NamedCount($0.key, $0.value) }
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

    /// How long its app waits for the outcome; looked up only where that makes a difference.
    private func outcomeTimeout(of grant: Grant) throws(Failure) -> Milliseconds {
        let timeoutMax = PolicyKey.outcomeTimeoutSecMax * .second
        guard grant.reading(timeout: timeoutMax, at: now.wall) == .awaited,
            let token = grant.token
        else { return 0 }
        if let app = turn.apps.first(where: { $0.record.grants.contains { $0.token == token } }) {
            return policy(of: app).outcomeTimeout
        }
        let key = try stored { () throws(StoreError) in try storage.key(ofToken: token) }
        guard let key else { return 0 }
        return policy(of: try app(key)).outcomeTimeout
    }
}

extension AppRow {
    init(_ summary: AppSummary) {
        self.init(
            app: summary.app, sessions: summary.sessions, events: summary.events,
            lastSeen: summary.lastSeen, promptsInWindow: summary.promptsInWindow)
    }
}

extension AppSummary {
    init(_ app: AppID, _ record: AppRecord, at now: WallTime) {
        self.init(
            app: app, sessions: record.sessions, events: record.eventsTotal,
            lastSeen: record.lastSeen?.first, promptsInWindow: record.promptsInWindow(at: now),
            isListed: record.isListed)
    }
}
