import RatingPolicy
import RatingWire

/// How a pending request ends without a prompt (SPEC 3.2).
extension Core {
    func activity(_ named: AppID?, from client: Client) throws(Failure) -> Reply {
        let app = try app(named, from: client)
        touch(app)
        switch app.content.state.activityReported(at: now) {
        case .nothing: return .activity(cancelled: false, restarted: false)
        case .cancelled(let request):
            settled(request, of: app)
            ended(request, of: app, because: .activity)
            return .activity(cancelled: true, restarted: false)
        case .restarted:
            if let request = app.pending {
                forgetConfirm(of: request)
                deadlines.push(request.nextDeadline, app.key)
            }
            return .activity(cancelled: false, restarted: true)
        }
    }

    func cancel(_ what: Call.Cancelled, from client: Client) throws(Failure) -> Reply {
        switch what {
        case .app(let named):
            let app = try app(named, from: client)
            return .cancelled(endPending(of: app, because: .cancelled))
        case .token(let token):
            guard let app = pendingApp(with: token, of: client.user) else {
                return .cancelled(false)
            }
            try permit(client, for: app.id)
            return .cancelled(endPending(of: app, because: .cancelled))
        }
    }

    private func pendingApp(with token: Token?, of user: LiveUser) -> LiveApp? {
        user.content.pending.lazy
            .compactMap { self.apps[AppKey(user: user.id, app: $0)] }
            .first { $0.pending?.token == token }
    }

    /// Ends the app's pending request, if there is one; true if there was.
    @discardableResult
    func endPending(of app: LiveApp, because reason: CancelReason) -> Bool {
        touch(app)
        guard let request = app.content.state.endPending() else { return false }
        settled(request, of: app)
        ended(request, of: app, because: reason)
        return true
    }

    /// The app has no pending request any more.
    func settled(_ request: PendingRequest, of app: LiveApp) {
        touch(app.user)
        if app.user.content.pending.remove(app.id) != nil { pendingTotal -= 1 }
        leave(request, of: app)
    }

    /// The requester, and its process, have one pending request less.
    private func leave(_ request: PendingRequest, of app: LiveApp) {
        if let process = app.user.processes[request.process] {
            touch(process)
            process.content.pendingCount -= 1
        }
        guard let client = clients[request.requester] else { return }
        touch(client)
        client.content.pendingCount -= 1
        forgetConfirm(of: request)
    }

    func forgetConfirm(of request: PendingRequest) {
        guard let client = clients[request.requester] else { return }
        touch(client)
        client.content.confirms = client.content.confirms.filter { $0.value.token != request.token }
    }

    /// Tells everybody concerned that a request ended without a prompt.
    func ended(_ request: PendingRequest, of app: LiveApp, because reason: CancelReason) {
        if reason == .superseded { leave(request, of: app) }
        count(.cancelled(reason.name), app)
        let client = clients[request.requester]
        if let client {
            tell(.direct(client, .cancelled(token: request.token, app: app.id, reason)))
        }
        let rules = reason.rules
        tellInOrder(
            .decision(
                app.key,
                DecisionNews(
                    decision: .cancelled, token: request.token, version: request.version,
                    reason: reason.name, reasons: rules)))
        noteOften(
            .requestCancelled, of: app.id, user: app.user.id,
            "\(app.id.string): request cancelled: \(reason.name)",
            logFields(app, client?.peer.process.number)
                + [
                    (.decision, "cancelled"), (.token, request.token.string),
                    (.reason, reason.name),
                ] + rules.map { (.reason, $0.name) })
    }
}
