import RatingPolicy

extension Parameters {
    static let counts: ClosedRange<Int64> = 1...10_000
    static let limits: ClosedRange<Int64> = 1...1_000
    static let limitStandard: Int64 = 100
    static let debounces: ClosedRange<Milliseconds> = 0...600_000

    /// Decodes the call: bad values are found before missing ones.
    @inline(__always)
    func call() throws(Failure) -> Call {
        // What comes most often is looked at before the others.
        method == .event ? try event() : try other()
    }

    private func other() throws(Failure) -> Call {
        switch method {
        case .event: preconditionFailure("an event is no other call")
        case .session: .session(app: try app(), version: try version())
        case .activity: .activity(app: try app())
        case .hello: try hello()
        case .request: .request(try request())
        case .cancel: .cancel(try cancelled())
        case .outcome: try outcome()
        case .status:
            .status(
                app: try app(), version: try version(), explain: try flag(.explain) ?? false,
                user: try user())
        case .history: .history(app: try app(), limit: try limit(), user: try user())
        case .report: .report(app: try app(), since: try since(), user: try user())
        case .reviewURL: .reviewURL(app: try app())
        case .subscribe: try subscribe()
        case .apps: .apps(cursor: try app(.cursor), limit: try limit(), user: try user())
        case .optOut: .opt(out: true, scope: try scope(), user: try user())
        case .optIn: .opt(out: false, scope: try scope(), user: try user())
        case .forget: try forget()
        case .unsubscribe: .unsubscribe
        case .whoami: .whoami
        case .repairClock: .repairClock
        case .reload: .reload
        case .stats: .stats
        case .ping: .ping
        }
    }

    @inline(__always)
    private func event() throws(Failure) -> Call {
        .event(
            app: try app(), name: try eventName() ?? .significant,
            count: try integer(.count, in: Self.counts) ?? 1)
    }

    @inline(__always)
    private func eventName() throws(Failure) -> EventName? {
        guard let node = self[.name] else { return nil }
        guard let name = node.string.flatMap({ EventName($0) }) else {
            throw Self.bad(.name, node, "an event name (\(EventName.grammar))")
        }
        return name
    }

    private func hello() throws(Failure) -> Call {
        let app = try app()
        let version = try version()
        var offer: HelloOffer?
        if let node = self[.policy] {
            guard node.kind == .object else { throw Self.bad(.policy, node, "an object") }
            offer = HelloOffer(node)
        }
        guard let app else { throw missing(.app) }
        guard let version else { throw missing(.version) }
        return .hello(app: app, version: version, policy: offer)
    }

    private func request() throws(Failure) -> RequestCall {
        var call = RequestCall()
        call.app = try app()
        call.version = try version()
        call.debounce = try integer(.debounce, in: Self.debounces)
        call.onActivity = try value(
            .onActivity, "'cancel' or 'restart'", OnActivity.init(rawValue:))
        call.asksConfirm = try flag(.confirm) ?? false
        call.delivery =
            try value(.deliver, "'self' or 'agent'", Delivery.init(rawValue:)) ?? .requester
        call.isDebug = try flag(.debug) ?? false
        return call
    }

    private func cancelled() throws(Failure) -> Call.Cancelled {
        let app = try app()
        guard let token = try token() else { return .app(app) }
        guard app == nil else {
            throw .invalidParams(field: "token", "'app' and 'token' cannot both be given")
        }
        return .token(token)
    }

    private func outcome() throws(Failure) -> Call {
        let token = try token()
        let allowed = "one of shown, \(Outcome.allCases.map(\.rawValue).joined(separator: ", "))"
        let result = try value(.result, allowed, OutcomeReport.init(name:))
        guard let token else { throw missing(.token) }
        guard let result else { throw missing(.result) }
        return .outcome(token: token, result)
    }

    private func limit() throws(Failure) -> Int {
        Int(try integer(.limit, in: Self.limits) ?? Self.limitStandard)
    }

    private func since() throws(Failure) -> WallTime? {
        try value(.since, "a time as in RFC 3339") { WallTime(rfc3339: $0) }
    }

    private func subscribe() throws(Failure) -> Call {
        let topics = try values(.topics, "'decisions' or 'counters'", Topic.init(rawValue:))
        let apps = try values(.apps, "an app id (\(AppID.grammar))", AppID.init)
        let isAgent = try flag(.agent) ?? false
        guard topics != nil || isAgent else {
            throw .invalidParams(
                field: "topics", "'topics' is missing: subscribe needs it, or 'agent': true")
        }
        return .subscribe(topics: topics ?? [], apps: apps, isAgent: isAgent)
    }

    private func scope() throws(Failure) -> Call.Scope {
        let app = try app()
        guard let node = self[.all] else { return .app(app) }
        guard node.flag == true else { throw Self.bad(.all, node, "true or left out") }
        guard app == nil else {
            throw .invalidParams(field: "all", "'app' and 'all' cannot both be given")
        }
        return .all
    }

    private func forget() throws(Failure) -> Call {
        let app = try app()
        let ledger = try flag(.ledger) ?? false
        let user = try user()
        guard let app else { throw missing(.app) }
        return .forget(app: app, ledger: ledger, user: user)
    }
}

extension Call {
    /// The method's name, for statistics and the log.
    package var name: String { method.rawValue }

    package var method: Method {
        switch self {
        case .hello: .hello
        case .session: .session
        case .event: .event
        case .activity: .activity
        case .request: .request
        case .cancel: .cancel
        case .outcome: .outcome
        case .status: .status
        case .history: .history
        case .report: .report
        case .reviewURL: .reviewURL
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .whoami: .whoami
        case .apps: .apps
        case .opt(let isOut, _, _): isOut ? .optOut : .optIn
        case .forget: .forget
        case .repairClock: .repairClock
        case .reload: .reload
        case .stats: .stats
        case .ping: .ping
        }
    }
}
