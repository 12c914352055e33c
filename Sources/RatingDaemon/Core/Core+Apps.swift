import RatingPolicy
import RatingStore
import RatingWire

/// Who speaks for which app, and the counters.
extension Core {
    /// The app a call is about: the one it names, else the client's own.
    ///
    /// `user` is the user the call names, which only uid 0 may on a system daemon. What `hello`
    /// said is kept now if it could not be then; without `needsWishes` the call goes on if it
    /// still cannot.
    func app(
        _ named: AppID?, user: UserID? = nil, needsWishes: Bool = false, from client: Client
    ) throws(Failure) -> LiveApp {
        if named == nil, user == nil, let app = client.content.app,
            client.content.greeting?.isKept == true
        {
            return try fresh(app)
        }
        let id = try appID(named, from: client)
        let user = try self.user(named: user, by: client)
        try permit(client, for: id)
        let app = try app(AppKey(user: user, app: id))
        do throws(Failure) {
            try greet(app, by: client)
        } catch {
            guard error.reason == .storageUnavailable, !needsWishes else { throw error }
        }
        return app
    }

    func appID(_ named: AppID?, from client: Client) throws(Failure) -> AppID {
        guard let id = named ?? ownApp(of: client) else { throw .missing("app") }
        return id
    }

    /// The app that `hello` named, else the one the connection is known to belong to.
    func ownApp(of client: Client) -> AppID? {
        client.content.greeting?.app ?? client.peer.identity.defaultApp
    }

    func permit(_ client: Client, for app: AppID) throws(Failure) {
        guard client.peer.identity.mayAct(for: app) else {
            throw notPermitted("this connection may not act for '\(app.string)'", client)
        }
    }

    /// The user whose data a call is about.
    func user(named user: UserID?, by client: Client) throws(Failure) -> UserID {
        guard let user else { return client.user.id }
        guard surroundings.scope == .system, client.user.id == 0 else {
            throw notPermitted("'uid' is for uid 0 on a system daemon (ratingctl --system)", client)
        }
        return user
    }

    /// The refusal; of somebody who is unknown it says why, also to the log.
    func notPermitted(_ text: String, _ client: Client) -> Failure {
        var text = text
        if let doubt = client.peer.doubt {
            text += "; who it is is unknown: \(doubt)"
            noteUnknownPeer(client, doubt)
        }
        return .notPermitted(text, identity: identity(of: client))
    }

    func identity(of client: Client) -> IdentityReply {
        IdentityReply(client.peer.identity)
    }

    /// The version a call is about: the one it names, else that of `hello` if it named this app.
    func version(_ named: Version?, of key: AppKey, from client: Client) -> Version? {
        if let named { return named }
        guard let greeting = client.content.greeting, greeting.app == key.app,
            key.user == client.user.id
        else { return nil }
        return greeting.version
    }

    /// Greets also while the state cannot be used; what is to be kept then waits for it.
    func hello(
        app id: AppID, version: Version, offer: HelloOffer?, from client: Client
    ) throws(Failure) -> Reply {
        try permit(client, for: id)
        let wishes = limited(offer?.policy)
        let key = AppKey(user: client.user.id, app: id)
        var inForce: Policy
        let before = client.content
        do throws(Failure) {
            let app = try app(key)
            try bind(client, to: app)
            client.content.greeting = Greeting(app: id, version: version, wishes: wishes)
            try greet(app, by: client)
            inForce = policy(of: app)
        } catch {
            guard error.reason == .storageUnavailable else {
                if !client.content.isClosing { rebind(client, as: before) }
                throw error
            }
            touch(client)
            client.content.greeting = Greeting(app: id, version: version, wishes: wishes)
            inForce = configuration.policy(for: id, hello: wishes)
        }
        let clamped = inForce.clamped(offer?.policy ?? HelloPolicy())
        var reply = HelloReply(
            server: surroundings.serverName, app: id, identity: identity(of: client),
            limits: limits, capabilities: Self.capabilities)
        reply.clamped = ((offer?.bad ?? []) + clamped).sorted()
        reply.ignored = offer?.unknown ?? []
        return .hello(reply)
    }

    /// Keeps what `hello` said of the app, if that has not been done.
    private func greet(_ app: LiveApp, by client: Client) throws(Failure) {
        guard let greeting = client.content.greeting, !greeting.isKept,
            app.key == AppKey(user: client.user.id, app: greeting.app)
        else { return }
        try bind(client, to: app)
        if app.record.helloPolicy != greeting.wishes || app.record.version != greeting.version {
            try willStore(app, for: client)
            app.content.state.record.helloPolicy = greeting.wishes
            app.content.state.record.version = greeting.version
            app.policy = nil
        }
        client.content.greeting?.isKept = true
    }

    /// What clients may rely on beyond the first version of the protocol.
    static var capabilities: [String] { ["agent", "confirm", "explain", "report"] }

    /// The wishes as they are kept: what hello can set, and no more needs than an app may have
    /// event names; nil if there are none.
    private func limited(_ wishes: HelloPolicy?) -> HelloPolicy? {
        guard var wishes else { return nil }
        wishes.values = wishes.values.filter { $0.key.precedence != .filesOnly }
        let max = Int(limits[.eventNamesPerApp])
        if wishes.needs.count > max {
            let kept = wishes.needs.sorted { $0.key < $1.key }.prefix(max)
            wishes.needs = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
        return wishes.isEmpty ? nil : wishes
    }

    /// Makes the app the client's own; one client too many of an app is told so and let go.
    private func bind(_ client: Client, to app: LiveApp) throws(Failure) {
        guard client.content.app !== app else { return touch(client) }
        touch(client)
        guard app.content.clientCount < Int(limits[.connectionsPerApp]) else {
            turn.followUps.append(.direct(client, .bye(.quotaExceeded)))
            client.content.isClosing = true
            throw overLimit(.connectionsPerApp, user: client.user.id)
        }
        if let former = client.content.app {
            touch(former)
            former.content.clientCount -= 1
        }
        touch(app)
        app.content.clientCount += 1
        client.content.app = app
    }

    /// Takes a greeting back that was refused.
    private func rebind(_ client: Client, as before: Client.Content) {
        client.content.app?.content.clientCount -= 1
        client.content.greeting = before.greeting
        client.content.app = before.app
        client.content.app?.content.clientCount += 1
    }

    func session(
        _ named: AppID?, _ version: Version?, from client: Client
    ) throws(Failure) -> Reply {
        let app = try app(named, from: client)
        let version = self.version(version, of: app.key, from: client)
        try willStore(app, for: client)
        let isCounted = app.content.state.sessionReported(
            version: version, gap: policy(of: app).sessionGap, at: now.wall)
        if isCounted {
            announce(app, CounterNews(counter: .sessions, value: app.record.sessions))
        }
        return .session(
            sessions: app.record.sessions, counted: isCounted,
            firstSeen: app.record.firstSeen?.first)
    }

    func event(
        _ named: AppID?, name: EventName, count: Int64, from client: Client
    ) throws(Failure) -> Reply {
        let app = try app(named, from: client)
        try willStore(app, for: client)
        let total = app.content.state.eventReported(
            name, count: count, namesMax: bounds.eventNames, at: now.wall)
        guard let total else { throw overLimit(.eventNamesPerApp, user: client.user.id) }
        announce(app, CounterNews(counter: .events, name: name, value: total.ofName))
        return .event(events: total.ofAll, nameTotal: total.ofName)
    }
}

extension IdentityReply {
    init(_ identity: Identity) {
        self.init(source: identity.source.rawValue, isVerified: identity.isVerified)
    }
}
