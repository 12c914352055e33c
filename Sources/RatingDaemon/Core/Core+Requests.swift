import RatingPolicy
import RatingStore
import RatingWire

/// The life of a request, from `request` to `prompt` (SPEC 3.2).
extension Core {
    func request(_ call: RequestCall, from client: Client) throws(Failure) -> Reply {
        let key = AppKey(user: client.user.id, app: try appID(call.app, from: client))
        guard let version = version(call.version, of: key, from: client) else {
            throw .missing("version")
        }
        try permit(client, for: key.app)
        if call.isDebug { try permitDebug(of: key.app, by: client) }
        try trustLedger()
        let app = try app(call.app, needsWishes: true, from: client)
        if call.isDebug { return try debugRequest(call, version, app, from: client) }
        let eligibility = eligibility(of: app, version: version, delivery: call.delivery)
        if eligibility.refusals(at: now.wall).isEmpty { try admitPending(of: app, from: client) }
        var wish = RequestWish()
        wish.debounce = call.debounce
        wish.onActivity = call.onActivity
        wish.asksConfirm = call.asksConfirm
        wish.delivery = call.delivery
        let request = PendingRequest(
            token: newToken(), version: version, requester: client.id, of: client.process.id,
            wish: wish, policy: policy(of: app), at: now)
        touch(app)
        count(.request, app)
        switch app.content.state.requested(request, eligibility: eligibility, at: now.wall) {
        case .refused(let reasons):
            return refused(reasons, eligibility, app, from: client)
        case .pending(let superseded):
            if let superseded { ended(superseded, of: app, because: .superseded) }
            began(request, of: app, by: client)
            return .pending(
                token: request.token, firesIn: request.firesIn(at: now), debug: false)
        }
    }

    /// Nothing may be granted, or said of what may be, while the ledger is set aside.
    func trustLedger() throws(Failure) {
        if let problem = ledgerProblem {
            throw .storageUnavailable(detail: problem)
        }
    }

    /// Why nothing may be granted now.
    var ledgerProblem: String? { configurationProblem ?? storage.ledgerProblem }

    func newToken() -> Token {
        Token(random: surroundings.random(Token.randomBytes))
    }

    func eligibility(of app: LiveApp, version: Version?, delivery: Delivery) -> Eligibility {
        Eligibility(
            record: app.record, user: app.user.content.record, policy: policy(of: app),
            version: version, agentIsThere: delivery == .agent ? agent(for: app) != nil : nil)
    }

    private func refused(
        _ reasons: [Rule], _ eligibility: Eligibility, _ app: LiveApp, from client: Client
    ) -> Reply {
        count(reasons, app)
        announce(
            app,
            DecisionNews(decision: .refused, version: eligibility.version, reasons: reasons))
        noteOften(
            .requestRefused, of: app.id, user: app.user.id,
            "\(app.id.string): request refused: \(reasons.map(\.name).joined(separator: ", "))",
            logFields(app, client.peer.process.number)
                + [(.decision, "refused")] + reasons.map { (.reason, $0.name) })
        return .refused(reasons: reasons, nextEligible: eligibility.nextEligible(from: now.wall))
    }

    private func began(_ request: PendingRequest, of app: LiveApp, by client: Client) {
        touch(client)
        client.content.pendingCount += 1
        touch(client.process)
        client.process.content.pendingCount += 1
        touch(app.user)
        if app.user.content.pending.insert(app.id).inserted { pendingTotal += 1 }
        deadlines.push(request.nextDeadline, app.key)
        count(.pending, app)
        announce(
            app,
            DecisionNews(decision: .pending, token: request.token, version: request.version))
        noteOften(
            .requestPending, of: app.id, user: app.user.id,
            "\(app.id.string): request pending",
            logFields(app, client.peer.process.number)
                + [(.decision, "pending"), (.token, request.token.string)])
    }

    /// Time has passed: everything that was waiting for it is done.
    func passTime() {
        while let entry = deadlines.popDue(at: now.monotonic) {
            guard apps[entry.key]?.pending?.nextDeadline == entry.time else { continue }
            take(.deadline(entry))
        }
        tellHeldBack(until: now.monotonic)
    }

    func deadlineReached(_ entry: DeadlineQueue.Entry) {
        // Played again, the turn may have left an older request in place, which is not due.
        guard let app = apps[entry.key], let pending = app.pending,
            pending.nextDeadline <= now.monotonic
        else { return }
        proceed(app) { $0.timePassed(eligibility: $1, at: now) }
    }

    /// False if nothing was asked that this would answer.
    func confirmAnswered(_ response: ClientResponse, by client: Client) -> Bool {
        guard case .string(let id) = response.id, let asked = client.content.confirms[id] else {
            return false
        }
        touch(client)
        client.content.confirms[id] = nil
        guard let app = apps[asked.key], app.pending?.token == asked.token else { return true }
        proceed(app) { $0.confirmAnswered(response.isYes, eligibility: $1, at: now) }
        return true
    }

    /// Moves a pending request on; a grant that is known to be impossible to store is none.
    private func proceed(
        _ app: LiveApp, _ input: (inout AppState, Eligibility) -> AppState.Progress
    ) {
        guard let pending = app.pending else { return }
        touch(app)
        do throws(Failure) {
            _ = try fresh(app)
        } catch {
            endPending(of: app, because: .storageUnavailable)
            return
        }
        if app.record.grants.contains(where: { $0.token == pending.token }) {
            // Its grant was stored though the sync failed: it counts, and is not told.
            endPending(of: app, because: .storageUnavailable)
            return
        }
        let eligibility = eligibility(
            of: app, version: pending.version, delivery: pending.delivery)
        let before = app.content.state
        switch input(&app.content.state, eligibility) {
        case .nothing: break
        case .cancelled(let request, let reason):
            settled(request, of: app)
            ended(request, of: app, because: reason)
        case .asksConfirm(let request):
            ask(request, of: app)
        case .granted(let request):
            guard request.delivery == .agent || clients[request.requester]?.isHungUp == false else {
                app.content.state = before
                endPending(of: app, because: .disconnected)
                return
            }
            do throws(Failure) {
                try trustLedger()
                try willStore(app, by: app.user.processes[request.process])
                granted(request, of: app)
            } catch {
                app.content.state = before
                endPending(of: app, because: .storageUnavailable)
            }
        }
    }

    private func ask(_ request: PendingRequest, of app: LiveApp) {
        guard let client = clients[request.requester], !client.isHungUp else {
            endPending(of: app, because: .disconnected)
            return
        }
        let id = nextConfirmID()
        touch(client)
        client.content.confirms[id] = (app.key, request.token)
        deadlines.push(request.nextDeadline, app.key)
        tell(.direct(client, .confirm(id: id, token: request.token, app: app.id)))
    }

    /// The grant is in the record: it is synced with this turn, and then the prompt is released.
    private func granted(_ request: PendingRequest, of app: LiveApp) {
        settled(request, of: app)
        touch(app.user)
        let stamp = Stamp(now.wall)
        app.user.content.record.grants.append(stamp)
        let policy = policy(of: app)
        turn.isSynced = true
        turn.checks.append(
            StoreChanges.GrantCheck(
                key: app.key, cap: policy.promptsPerYear, userCap: policy.userPromptsPerYear))
        count(.granted, app)
        statistics.grants += 1
        prompt(
            request, of: app, isDebug: false,
            promptsInWindow: app.record.promptsInWindow(at: now.wall))
        announce(
            app,
            DecisionNews(decision: .granted, token: request.token, version: request.version))
        note(
            .promptGranted, "\(app.id.string): prompt granted",
            logFields(app, clients[request.requester]?.peer.process.number)
                + [
                    (.decision, "granted"), (.token, request.token.string),
                    (.version, request.version.string),
                ])
    }

    /// Sends the prompt to the one who shows it, and tells the requester if that is another.
    func prompt(
        _ request: PendingRequest, of app: LiveApp, isDebug: Bool, promptsInWindow: Int
    ) {
        let policy = policy(of: app)
        let requester = clients[request.requester]
        let shower = request.delivery == .agent ? agent(for: app) : requester
        guard let shower else { return }
        let prompt = PromptNotice(
            token: request.token, app: app.id, version: request.version, grantedAt: now.wall,
            promptsInWindow: promptsInWindow, cap: policy.promptsPerYear,
            reviewURL: policy.reviewURL.filled(app: app.id, version: request.version),
            isDebug: isDebug)
        turn.followUps.append(.direct(shower, .prompt(prompt)))
        guard let requester, requester !== shower else { return }
        turn.followUps.append(
            .direct(
                requester,
                .granted(
                    token: request.token, app: app.id, version: request.version,
                    grantedAt: now.wall)))
    }

    func logFields(_ app: LiveApp, _ process: Int32?) -> [(field: LogField, value: String)] {
        var fields: [(field: LogField, value: String)] = [
            (.app, app.id.string), (.user, String(app.user.id)),
        ]
        if let process { fields.append((.process, String(process))) }
        return fields
    }

    private func permitDebug(of app: AppID, by client: Client) throws(Failure) {
        guard configuration.policy(for: app, hello: nil).allowsDebug else {
            throw notPermitted("debug requests need AllowDebug=yes in a file", client)
        }
    }
}
