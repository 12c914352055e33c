import RatingPolicy
import RatingWire

@testable import RatingDaemon

extension Witness {
    /// What a message is to be answered with, and what it changes.
    func respond(to content: Message.Content, _ part: Line.Part, _ seat: Seat) -> Expected.Want {
        if seat.isClosing { return .error("shutting_down") }
        let answer = part.id.flatMap { told[seat.id]?[$0] }
        if let answer, reason(of: answer) == "storage_unavailable" {
            if !mayBeUnavailable(content, seat) {
                complain("client \(seat.id.number): \(content) needs no store: \(answer.text())")
            }
            keepGreetingUnasked(content, seat)
            return .error("storage_unavailable")
        }
        if part.id == nil, isFailing, isRefusedSilently(content) { return unavailable }
        switch content {
        case .malformed: return .error("parse_error")
        case .unknown: return .error("method_not_found")
        case .ping: return .result(["pong": .flag(true), "time": .time(wall)])
        case .report, .apps: return list(content, seat)
        case .hello(let app, let version, let wishes):
            return hello(Cast.apps[app], Cast.versions[version], wishes, seat)
        case .optAll(let out): return optAll(out, seat)
        case .outcome(_, _, let result):
            return outcome(part.token ?? "none", Cast.results[result], seat)
        case .cancelToken: return cancel(token: part.token ?? "none", seat)
        case .subscribe(let topics, let app, let agent):
            return subscribe(Cast.topics[topics], app.map { Cast.apps[$0] }, agent, seat)
        case .unsubscribe:
            defer { unsubscribe(seat) }
            return .result(["unsubscribed": .flag(seat.subscription != nil)])
        case .repairClock: return repairClock(seat)
        case .reload: return reload(seat)
        case .session(let app), .activity(let app), .cancel(let app), .history(let app),
            .reviewURL(let app), .opt(_, let app), .event(let app, _, _),
            .request(let app, _, _), .status(let app, _):
            guard let id = app.map({ Cast.apps[$0] }) ?? seat.greeting?.app else {
                return .error("invalid_params")
            }
            return respond(to: content, AppKey(user: seat.user, app: id), answer, seat)
        case .forget(let app, _):
            let key = AppKey(user: seat.user, app: Cast.apps[app])
            return respond(to: content, key, answer, seat)
        }
    }

    var unavailable: Expected.Want { .error("storage_unavailable") }

    private func respond(
        to content: Message.Content, _ key: AppKey, _ answer: JSONValue?, _ seat: Seat
    ) -> Expected.Want {
        if case .request(_, let version, let wish) = content {
            return request(key, version, wish, answer, seat)
        }
        if case .forget = content {
            keepGreeting(key, seat, isForgotten: true)
        } else {
            keepGreeting(key, seat)
        }
        switch content {
        case .session: return session(key, seat)
        case .event(_, let name, let count):
            return event(key, Cast.names[name], Int64(count))
        case .activity: return activity(key)
        case .cancel:
            defer { end(key, "cancelled") }
            return .result(["cancelled": .flag(pending[key] != nil)])
        case .status(_, let explain): return .result(status(key, explain, seat))
        case .history: return history(key)
        case .reviewURL: return .result(["url": .text("appstream://" + key.app.string)])
        case .opt(let out, _): return opt(out, key)
        case .forget(_, let ledger): return forget(key, ledger)
        default: preconditionFailure("the others name no app")
        }
    }

    /// What is wrong first is told: no version, not permitted, the state.
    private func request(
        _ key: AppKey, _ version: Int?, _ wish: Message.Wish, _ answer: JSONValue?, _ seat: Seat
    ) -> Expected.Want {
        let version = version.map { Cast.versions[$0] } ?? self.version(of: key, seat)
        guard let version else { return .error("invalid_params") }
        if wish.debug, !terms(key).flag(.allowDebug) { return .error("not_permitted") }
        guard !isSetAside else { return unavailable }
        keepGreeting(key, seat)
        return request(key, version, wish, answer, seat)
    }

    /// Whether the store's failure may be the answer to this.
    private func mayBeUnavailable(_ content: Message.Content, _ seat: Seat) -> Bool {
        switch content {
        case .ping, .hello, .subscribe, .unsubscribe, .reload, .unknown, .malformed: return false
        case .request:
            if isSetAside || turn.isTroubled && seat.greeting?.isKept == false { return true }
        case .report, .apps: return turn.readsFail
        case .session, .event, .opt, .optAll, .forget, .outcome, .repairClock:
            return turn.isTroubled
        case .activity, .cancel, .cancelToken, .reviewURL, .status, .history: break
        }
        return turn.readsFail
    }

    /// A notification that needs the store in a turn that is not stored.
    private func isRefusedSilently(_ content: Message.Content) -> Bool {
        switch content {
        case .session, .event: true
        default: false
        }
    }

    /// A message that could not be carried out may all the same have brought the greeting into the
    /// store, or have found it there.
    private func keepGreetingUnasked(_ content: Message.Content, _ seat: Seat) {
        guard let greeting = seat.greeting, !greeting.isKept, !turn.readsFail else { return }
        let key = AppKey(user: seat.user, app: greeting.app)
        guard content.app.map({ $0.map { Cast.apps[$0] } ?? key.app }) == key.app else { return }
        let stored = turn.image.apps[key] ?? AppRecord()
        let isStored =
            stored.version == greeting.version && stored.helloPolicy == greeting.wishes
        if isFailing || isStored { keepGreeting(key, seat) }
    }

    private func isKnown(_ greeting: Seat.Greeting, _ key: AppKey) -> Bool {
        let record = apps[key] ?? AppRecord()
        return record.version == greeting.version && record.helloPolicy == greeting.wishes
    }

    /// Says that something changes which has to be stored; wrong in a turn that was not.
    func stores(_ what: String, synced: Bool = false) {
        if isFailing { complain("\(what) was acknowledged and not stored") }
        if synced { mustBeSynced = true }
    }

    func change(_ key: AppKey, _ body: (inout AppRecord) -> Void) {
        body(&apps[key, default: AppRecord()])
    }

    func terms(_ key: AppKey) -> Terms {
        Terms(files, app: key.app, hello: apps[key]?.helloPolicy)
    }

    func rulebook(_ key: AppKey, _ version: Version?, agent: Bool? = nil) -> Rulebook {
        Rulebook(
            record: apps[key] ?? AppRecord(), userGrants: userGrants(key.user),
            isOptedOutOfAll: optedOutOfAll[key.user] ?? false, terms: terms(key),
            version: version, agentIsThere: agent)
    }

    func userGrants(_ user: UserID) -> [Stamp] {
        apps.filter { $0.key.user == user }.flatMap { $0.value.grants.map(\.grantedAt) }
    }

    func version(of key: AppKey, _ seat: Seat) -> Version? {
        seat.greeting?.app == key.app ? seat.greeting?.version : nil
    }

    // MARK: - hello

    private func hello(
        _ app: AppID, _ version: Version, _ wishes: Int, _ seat: Seat
    ) -> Expected.Want {
        let key = AppKey(user: seat.user, app: app)
        let wish = Wishes.all[wishes].policy
        seat.greeting = Seat.Greeting(
            app: app, version: version, wishes: wish.isEmpty ? nil : wish)
        keepGreeting(key, seat)
        let inForce = Terms(files, app: app, hello: wish)
        return .result([
            "app": .text(app.string), "protocol": .number(1), "ignored": .texts([]),
            "clamped": .texts(inForce.clamped(wish)),
        ])
    }

    /// What `hello` said is kept as soon as it can be.
    ///
    /// `isForgotten`: by the end of the turn its version is forgotten again.
    private func keepGreeting(_ key: AppKey, _ seat: Seat, isForgotten: Bool = false) {
        guard let greeting = seat.greeting, !greeting.isKept, key.user == seat.user,
            greeting.app == key.app
        else { return }
        if !isKnown(greeting, key) {
            guard !isFailing else { return }
            // If nothing can be read it may be put off; what is stored tells.
            let stored = turn.image.apps[key] ?? AppRecord()
            let isAnother = stored.version != (isForgotten ? nil : greeting.version)
            if turn.readsFail, isAnother || stored.helloPolicy != greeting.wishes { return }
            change(key) {
                $0.version = greeting.version
                $0.helloPolicy = greeting.wishes
            }
        }
        seat.greeting?.isKept = true
    }

    // MARK: - Counters

    private func session(_ key: AppKey, _ seat: Seat) -> Expected.Want {
        stores("a session")
        let gap = terms(key).number(.sessionGapSec) * 1_000
        let last = apps[key]?.lastSession
        let isCounted = last.map { Rulebook.age($0, at: wall) >= gap } ?? true
        change(key) {
            if isCounted { $0.sessions += 1 }
            $0.lastSession = Stamp(turn.now.wall)
            $0.version = version(of: key, seat) ?? $0.version
        }
        seen(key)
        let count = apps[key]?.sessions.value ?? 0
        if isCounted {
            let news: Expected.Fields = ["counter": .text("sessions"), "value": .number(count)]
            publishLater(key, "counters", news)
        }
        return .result([
            "sessions": .number(count), "counted": .flag(isCounted),
            "first_seen": .time(apps[key]?.firstSeen?.first.milliseconds),
        ])
    }

    private func event(_ key: AppKey, _ name: EventName, _ count: Int64) -> Expected.Want {
        stores("an event")
        change(key) { _ = $0.events.add(count, to: name, namesMax: .max) }
        seen(key)
        let total = apps[key]?.events[name]?.value ?? 0
        publishLater(
            key, "counters",
            [
                "counter": .text("events"), "name": .text(name.string), "value": .number(total),
            ])
        return .result([
            "events": .number(rulebook(key, nil).eventsTotal), "name_total": .number(total),
        ])
    }

    private func seen(_ key: AppKey) {
        change(key) {
            if $0.firstSeen == nil { $0.firstSeen = Stamp(turn.now.wall) }
            $0.lastSeen = Stamp(turn.now.wall)
        }
    }

    // MARK: - Subscriptions, reload

    private func subscribe(
        _ topics: [String], _ app: AppID?, _ agent: Bool, _ seat: Seat
    ) -> Expected.Want {
        unsubscribe(seat)
        seat.subscription = Seat.Subscription(topics: Set(topics), app: app, isAgent: agent)
        seat.expected.append(Expected(content: .subscribed))
        subscribers[seat.user, default: []].append(seat)
        return .result(["seq": .number(0)])
    }

    private func reload(_ seat: Seat) -> Expected.Want {
        guard seat.user == .daemon else { return .error("not_permitted") }
        files = nextFiles
        return .result(["reloaded": .flag(true)])
    }

    func agent(for key: AppKey) -> Seat? {
        subscribers[key.user]?.last { seat in
            guard let subscription = seat.subscription, !seat.isClosing else { return false }
            return subscription.isAgent && (subscription.app ?? key.app) == key.app
        }
    }
}
