import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// A request's life (SPEC 3.2).
extension Witness {
    func request(
        _ key: AppKey, _ version: Version, _ wish: Message.Wish, _ answer: JSONValue?, _ seat: Seat
    ) -> Expected.Want {
        let agent = wish.agent ? self.agent(for: key) : nil
        let rules = rulebook(key, version, agent: wish.agent ? agent != nil : nil)
        if wish.debug { return debugRequest(key, version, agent ?? seat, rules, answer, seat) }
        let broken = rules.broken(at: wall)
        guard broken.isEmpty else {
            let next = rules.earliest(rules.names, from: wall)
            if let next { lastEligible = next }
            publishLater(
                key, "decisions",
                [
                    "decision": .text("refused"), "version": .text(version.string),
                    "reasons": .texts(broken), "token": .missing,
                ])
            return .result([
                "decision": .text("refused"), "reasons": .texts(broken),
                "next_eligible": .time(next),
            ])
        }
        let token = answer?["result"]?["token"]?.string ?? "?"
        let terms = terms(key)
        let debounce = wish.debounce.map(Int64.init) ?? terms.number(.debounceMs)
        end(key, "superseded")
        pending[key] = Waiting(
            token: token, version: version, requester: seat.id, toAgent: wish.agent,
            confirms: wish.confirms, restarts: wish.restarts ?? terms.restarts,
            debounce: debounce, due: steady + debounce, dueBoot: boot + debounce,
            lapses: steady + terms.number(.pendingMaxSec) * 1_000)
        pending[key]?.order = order(key, due: steady + debounce)
        seat.pendingCount += 1
        publishLater(
            key, "decisions",
            [
                "decision": .text("pending"), "token": .text(token),
                "version": .text(version.string), "reason": .missing, "reasons": .missing,
            ])
        return .result([
            "decision": .text("pending"), "token": .text(token), "fires_in_ms": .number(debounce),
            "debug": .missing,
        ])
    }

    private func debugRequest(
        _ key: AppKey, _ version: Version, _ shower: Seat, _ rules: Rulebook, _ answer: JSONValue?,
        _ seat: Seat
    ) -> Expected.Want {
        let broken = rules.broken(at: wall).filter {
            ["disabled", "opted_out", "no_agent"].contains($0)
        }
        guard broken.isEmpty else {
            return .result(["decision": .text("refused"), "reasons": .texts(broken)])
        }
        let token = answer?["result"]?["token"]?.string ?? "?"
        let prompt = promptFields(key, version, token, debug: true)
        followUps.append { [unowned self] in
            tell(shower, "prompt", prompt)
            guard shower !== seat else { return }
            tell(seat, "granted", ["token": .text(token), "version": .text(version.string)])
        }
        return .result([
            "decision": .text("pending"), "token": .text(token), "fires_in_ms": .number(0),
            "debug": .flag(true),
        ])
    }

    private func promptFields(
        _ key: AppKey, _ version: Version, _ token: String, debug: Bool
    ) -> Expected.Fields {
        [
            "token": .text(token), "app": .text(key.app.string), "version": .text(version.string),
            "granted_at": .time(wall), "cap": .number(terms(key).number(.promptsPerYear)),
            "prompts_in_window": .number(promptsInWindow(key)), "debug": .flag(debug),
            "review_url": .text("appstream://" + key.app.string),
        ]
    }

    func promptsInWindow(_ key: AppKey) -> Int64 {
        Int64(
            (apps[key]?.grants ?? []).count {
                Rulebook.age($0.grantedAt, at: wall) < Rulebook.window
            })
    }

    func activity(_ key: AppKey) -> Expected.Want {
        guard var waiting = pending[key] else {
            return .result(["cancelled": .flag(false), "restarted": .flag(false)])
        }
        guard waiting.restarts else {
            end(key, "activity")
            return .result(["cancelled": .flag(true), "restarted": .flag(false)])
        }
        waiting.phase = .quiet
        waiting.isRestarted = true
        waiting.due = steady + waiting.debounce
        waiting.order = order(key, due: waiting.next)
        waiting.dueBoot = boot + waiting.debounce
        pending[key] = waiting
        seats[waiting.requester]?.confirms.removeAll { $0.token == waiting.token }
        return .result(["cancelled": .flag(false), "restarted": .flag(true)])
    }

    func cancel(token: String, _ seat: Seat) -> Expected.Want {
        let key = pending.first { $0.key.user == seat.user && $0.value.token == token }?.key
        if let key { end(key, "cancelled") }
        return .result(["cancelled": .flag(key != nil)])
    }

    /// Everything that was due, the earliest first; of what is due at the same moment, what has
    /// waited longest.
    func passTime() {
        while true {
            let due = pending.filter { $0.value.next <= steady }
            guard
                let first = due.min(by: {
                    ($0.value.next, $0.value.order) < ($1.value.next, $1.value.order)
                })
            else { break }
            inAnyOrder(as: first.value.next) {
                deadline(first.key, first.value)
                flush()
            }
        }
        for key in orders.keys { orders[key] = orders[key]?.filter { $0.key > steady } }
    }

    /// The place of a request among those due at the same moment; it takes over that of an older
    /// one of its app that was due then.
    private func order(_ key: AppKey, due time: Int64) -> Int {
        lastOrder += 1
        let order = orders[key, default: [:]][time] ?? lastOrder
        orders[key, default: [:]][time] = order
        return order
    }

    /// The id of the `confirm` that was told in this turn.
    private func confirmID(_ waiting: Waiting) -> String? {
        let line = (lines[waiting.requester] ?? []).first {
            $0["method"]?.string == "confirm" && $0["params"]?["token"]?.string == waiting.token
        }
        return line?["id"]?.string
    }

    private func deadline(_ key: AppKey, _ waiting: Waiting) {
        if endsUnread(key, waiting) { return }
        let isMissed = boot > waiting.dueBoot + 5_000
        switch waiting.phase {
        case .quiet where isMissed || waiting.lapsesFirst: end(key, "stale")
        case .quiet where endsBroken(key, waiting): break
        case .quiet where waiting.confirms: ask(key, waiting)
        case .quiet: grant(key, waiting)
        case .asking: end(key, isMissed ? "stale" : "confirm_timeout")
        }
    }

    /// When nothing can be read, a request may end because of that; what was told decides.
    private func endsUnread(_ key: AppKey, _ waiting: Waiting) -> Bool {
        if apps[key]?.grants.contains(where: { $0.token?.string == waiting.token }) == true {
            end(key, "storage_unavailable")
            return true
        }
        guard turn.readsFail, !isStored(waiting.token) else { return false }
        let all = lines.values.joined().map { $0["params"] ?? .null }
        let isTold = all.contains {
            $0["token"]?.string == waiting.token
                && $0["reason"]?.string == "storage_unavailable"
        }
        guard isTold || seats[waiting.requester]?.isGone ?? true else { return false }
        end(key, "storage_unavailable")
        return true
    }

    private func isStored(_ token: String) -> Bool {
        turn.image.apps.values.contains { $0.grants.contains { $0.token?.string == token } }
    }

    private func endsBroken(_ key: AppKey, _ waiting: Waiting) -> Bool {
        let agent = waiting.toAgent ? self.agent(for: key) != nil : nil
        let broken = rulebook(key, waiting.version, agent: agent).broken(at: wall)
        guard !broken.isEmpty else { return false }
        if broken == ["no_agent"] { end(key, "no_agent") } else { end(key, "ineligible", broken) }
        return true
    }

    private func ask(_ key: AppKey, _ waiting: Waiting) {
        guard let seat = seats[waiting.requester], !seat.isGone else {
            return end(key, "disconnected")
        }
        let timeout = terms(key).number(.confirmTimeoutMs)
        var asking = waiting
        asking.phase = .asking
        asking.due = steady + timeout
        asking.order = order(key, due: asking.due)
        asking.dueBoot = boot + timeout
        pending[key] = asking
        seat.confirms.append((confirmID(waiting) ?? "?", key, waiting.token))
        tell(seat, "confirm", ["token": .text(waiting.token), "app": .text(key.app.string)])
    }

    func confirmAnswered(_ id: String, _ isYes: Bool, by seat: Seat) {
        guard let index = seat.confirms.firstIndex(where: { $0.id == id }) else { return }
        let asked = seat.confirms.remove(at: index)
        guard let waiting = pending[asked.key], waiting.token == asked.token,
            !endsUnread(asked.key, waiting)
        else { return }
        if boot > waiting.dueBoot + 5_000 {
            end(asked.key, "stale")
        } else if waiting.due <= steady {
            end(asked.key, "confirm_timeout")
        } else if !isYes {
            end(asked.key, "declined_by_app")
        } else if !endsBroken(asked.key, waiting) {
            grant(asked.key, waiting)
        }
    }

    private func grant(_ key: AppKey, _ waiting: Waiting) {
        guard !isFailing, !isSetAside else { return end(key, "storage_unavailable") }
        if let objection = history.objection(to: key, waiting.version, terms(key), at: wall) {
            complain("\(key) \(waiting.version.string): a prompt against the \(objection)")
        }
        history.granted(key, token: waiting.token, waiting.version, at: wall)
        mustBeSynced = true
        pending[key] = nil
        leave(waiting)
        change(key) {
            $0.version = waiting.version
            $0.grants.append(
                Grant(
                    grantedAt: Stamp(turn.now.wall), token: Token(waiting.token),
                    version: waiting.version))
        }
        let requester = seats[waiting.requester]
        let shower = waiting.toAgent ? agent(for: key) : requester
        let prompt = promptFields(key, waiting.version, waiting.token, debug: false)
        let news: Expected.Fields = [
            "decision": .text("granted"), "token": .text(waiting.token),
            "version": .text(waiting.version.string),
        ]
        followUps.append { [unowned self] in
            if let shower { tell(shower, "prompt", prompt) }
            if let requester, requester !== shower {
                tell(requester, "granted", ["token": .text(waiting.token)])
            }
        }
        publishLater(key, "decisions", news)
    }
}
