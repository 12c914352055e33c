import RatingPolicy
import RatingStore
import RatingWire

/// What a person decided: outcomes of prompts, opt-outs, forgetting. All synced before the answer.
extension Core {
    func outcome(
        _ report: OutcomeReport, token: Token?, from client: Client
    ) throws(Failure) -> Reply {
        if let token, token.isDebug { return .outcome(report) }
        guard let token, let app = try grantedApp(with: token, for: client) else {
            throw .notFound("no prompt has this token")
        }
        try permit(client, for: app.id)
        var state = app.content.state
        let effect = state.outcomeReported(
            report, token: token, timeout: policy(of: app).outcomeTimeout, at: now.wall)
        switch effect {
        case .notFound: throw .notFound("no prompt has this token")
        case .conflict(let standing): throw .conflict(standing)
        case .accepted: break
        }
        guard state != app.content.state else {
            try trustStored()
            return .outcome(report)
        }
        try willStore(app, for: client)
        app.content.state = state
        turn.isSynced = true
        if state.record.isOptedOut { endPending(of: app, because: .ineligible([.optedOut])) }
        note(
            .outcomeReported, "\(app.id.string): outcome \(report.name)",
            logFields(app, client.peer.process.number)
                + [(.token, token.string), (.outcome, report.name)])
        return .outcome(report)
    }

    /// The app whose grant has this token; of the client's own user only, uid 0 too (SPEC 3.2).
    private func grantedApp(with token: Token, for client: Client) throws(Failure) -> LiveApp? {
        func has(_ app: LiveApp) -> Bool { app.record.grants.contains { $0.token == token } }
        if let app = client.content.app, has(app) { return try fresh(app) }
        // A grant of this turn is in memory only.
        if let app = turn.apps.first(where: { has($0) }), app.user === client.user {
            return try fresh(app)
        }
        let key = try stored { () throws(StoreError) in try storage.key(ofToken: token) }
        guard let key, key.user == client.user.id else { return nil }
        return try app(key)
    }

    func opt(
        out: Bool, scope: Call.Scope, user: UserID?, from client: Client
    ) throws(Failure) -> Reply {
        switch scope {
        case .app(let named):
            let app = try app(named, user: user, from: client)
            if app.record.isOptedOut != out {
                try willStore(app, for: client)
                turn.isSynced = true
                app.content.state.record.isOptedOut = out
                noteOpted(out, app.id, of: app.user, by: client)
            } else {
                try trustStored()
            }
            let isOut = app.record.isOptedOut || app.user.content.record.isOptedOutOfAll
            if isOut { endPending(of: app, because: .ineligible([.optedOut])) }
            return .optedOut(isOut)
        case .all:
            guard !client.peer.identity.isSandboxed else {
                throw notPermitted("a sandboxed app may speak for itself only", client)
            }
            let user = try self.user(try self.user(named: user, by: client))
            try optAll(out: out, user, by: client)
            return .optedOut(user.content.record.isOptedOutOfAll)
        }
    }

    private func optAll(out: Bool, _ user: LiveUser, by client: Client) throws(Failure) {
        if user.content.record.isOptedOutOfAll == out {
            try trustStored()
        } else {
            if let failure { throw .storageUnavailable(detail: failure.description) }
            touch(user)
            turn.isSynced = true
            user.content.isDirty = true
            user.content.record.isOptedOutOfAll = out
            noteOpted(out, nil, of: user, by: client)
        }
        guard out else { return }
        for id in user.content.pending {
            if let app = apps[AppKey(user: user.id, app: id)] {
                endPending(of: app, because: .ineligible([.optedOut]))
            }
        }
    }

    private func noteOpted(_ out: Bool, _ app: AppID?, of user: LiveUser, by client: Client) {
        var fields: [(LogField, String)] = [
            (.user, String(user.id)), (.process, String(client.peer.process.number)),
        ]
        if let app { fields.append((.app, app.string)) }
        let subject = app?.string ?? "every app"
        noteOften(
            out ? .optedOut : .optedIn, of: app, user: user.id,
            "\(subject): opted \(out ? "out" : "in")", fields)
    }

    func forget(
        _ id: AppID, ledger: Bool, user: UserID?, from client: Client
    ) throws(Failure) -> Reply {
        if ledger, client.peer.identity.isSandboxed {
            throw notPermitted("a sandboxed app may not forget its ledger", client)
        }
        let app = try app(id, user: user, from: client)
        guard app.content.isStored else {
            try trustStored()
            return .forgotten(endPending(of: app, because: .cancelled))
        }
        try willStore(app, for: client)
        turn.isSynced = true
        endPending(of: app, because: .cancelled)
        _ = app.content.state.forgotten(
            ledger: ledger, timeout: policy(of: app).outcomeTimeout, at: now.wall)
        if ledger {
            turn.forgottenFunnels.insert(app.key)
            turn.funnel = turn.funnel.filter { $0.key.key != app.key }
            funnel = funnel.filter { $0.key.key != app.key }
        }
        noteOften(
            .forgot, of: app.id, user: app.user.id,
            "\(app.id.string): forgot the counters\(ledger ? " and the ledger" : "")",
            logFields(app, client.peer.process.number))
        return .forgotten(true)
    }
}
