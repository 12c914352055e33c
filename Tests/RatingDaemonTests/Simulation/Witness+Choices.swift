import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// What a person decides, and what is told of an app.
extension Witness {
    func outcome(_ token: String, _ result: String, _ seat: Seat) -> Expected.Want {
        if token.hasPrefix("debug-") { return .result(["result": .text(result)]) }
        let key = apps.first { entry in
            entry.key.user == seat.user
                && entry.value.grants.contains { $0.token?.string == token }
        }?.key
        guard let key, let record = apps[key],
            let index = record.grants.firstIndex(where: { $0.token?.string == token })
        else { return .error("not_found") }
        let grant = record.grants[index]
        let isAwaited = isAwaited(grant, key)
        if grant.isForgotten, !isAwaited { return .error("not_found") }
        if let standing = grant.outcome {
            return standing.rawValue == result
                ? .result(["result": .text(result)]) : .error("conflict")
        }
        if result == "shown" {
            if isAwaited, grant.shownAt == nil {
                stores("an outcome", synced: true)
                change(key) { $0.grants[index].shownAt = Stamp(turn.now.wall) }
            }
        } else {
            stores("an outcome", synced: true)
            conclude(key, index, result)
        }
        return .result(["result": .text(result)])
    }

    private func isAwaited(_ grant: Grant, _ key: AppKey) -> Bool {
        let span = terms(key).number(.outcomeTimeoutSec) * 1_000
        return grant.token != nil && grant.outcome == nil
            && Rulebook.age(grant.shownAt ?? grant.grantedAt, at: wall) < span
    }

    private func conclude(_ key: AppKey, _ index: Int, _ result: String) {
        change(key) {
            if result == "never" { $0.isOptedOut = true }
            if $0.grants[index].isForgotten {
                $0.grants[index].token = nil
                $0.grants[index].shownAt = nil
            } else {
                $0.grants[index].outcome = Outcome(rawValue: result)
                $0.grants[index].outcomeAt = Stamp(turn.now.wall)
            }
        }
        // An app that is opted out has nothing pending.
        if apps[key]?.isOptedOut == true { end(key, "ineligible", ["opted_out"]) }
    }

    func opt(_ out: Bool, _ key: AppKey) -> Expected.Want {
        if (apps[key]?.isOptedOut ?? false) != out {
            stores("an opt-out", synced: true)
            change(key) { $0.isOptedOut = out }
        }
        let isOut = apps[key]?.isOptedOut ?? false || optedOutOfAll[key.user] ?? false
        if isOut { end(key, "ineligible", ["opted_out"]) }
        return .result(["opted_out": .flag(isOut)])
    }

    func optAll(_ out: Bool, _ seat: Seat) -> Expected.Want {
        if optedOutOfAll[seat.user, default: false] != out {
            stores("an opt-out of all apps", synced: true)
            optedOutOfAll[seat.user] = out
        }
        if out {
            inAnyOrder {
                for key in pending.keys where key.user == seat.user {
                    end(key, "ineligible", ["opted_out"])
                }
            }
        }
        return .result(["opted_out": .flag(out)])
    }

    func forget(_ key: AppKey, _ ledger: Bool) -> Expected.Want {
        let hadPending = pending[key] != nil
        end(key, "cancelled")
        guard let record = apps[key], record != AppRecord() else {
            return .result(hadPending ? ["forgotten": .flag(true)] : [:])
        }
        stores("forgetting", synced: true)
        var kept = AppRecord()
        kept.helloPolicy = record.helloPolicy
        kept.isOptedOut = record.isOptedOut
        kept.grants = record.grants
        if ledger {
            history.forgot(key)
            forgotten.insert(key)
            for index in kept.grants.indices {
                let token = isAwaited(kept.grants[index], key) ? kept.grants[index].token : nil
                var bare = Grant(
                    grantedAt: kept.grants[index].grantedAt, token: token, version: nil)
                if token != nil { bare.shownAt = kept.grants[index].shownAt }
                bare.isForgotten = true
                kept.grants[index] = bare
            }
        }
        apps[key] = kept
        return .result(["forgotten": .flag(true)])
    }

    func repairClock(_ seat: Seat) -> Expected.Want {
        guard seat.user == .daemon else { return .error("not_permitted") }
        stores("a repair")
        // It syncs itself and all before it.
        mustBeSynced = false
        history.repaired(at: wall)
        var count = 0
        for key in apps.keys { apps[key]?.repair(at: turn.now.wall, counting: &count) }
        return .result(["repaired": .number(Int64(count))])
    }

    // MARK: - What is told

    func status(_ key: AppKey, _ explain: Bool, _ seat: Seat) -> Expected.Fields {
        let record = apps[key] ?? AppRecord()
        let version = version(of: key, seat) ?? record.version
        let rules = rulebook(key, version)
        let broken = rules.broken(at: wall)
        let next = rules.earliest(rules.names, from: wall)
        if let next, next > wall { lastEligible = next }
        let isBehind = isBehind(record, key.user)
        var versions: [String] = []
        for case let version? in record.grants.map({ $0.version?.string })
        where !versions.contains(version) { versions.append(version) }
        var fields: Expected.Fields = [
            "app": .text(key.app.string), "sessions": .number(record.sessions.value),
            "events": .number(rules.eventsTotal), "version": .text(version?.string),
            "first_seen": .time(record.firstSeen?.first.milliseconds),
            "last_seen": .time(record.lastSeen?.first.milliseconds),
            "prompts_in_window": .number(promptsInWindow(key)),
            "cap": .number(rules.terms.number(.promptsPerYear)),
            "last_prompt": .time(record.grants.last?.grantedAt.first.milliseconds),
            "prompted_versions": .texts(versions),
            "eligible": .flag(broken.isEmpty && !isSetAside),
            "reasons": .texts(broken), "next_eligible": .time(isSetAside ? nil : next),
            "unavailable": isSetAside ? .text("set aside") : .missing,
            "outcome": .text(record.grants.last.flatMap { label($0, key) }),
            "outstanding": .text(record.grants.last { isAwaited($0, key) }?.token?.string),
            "opted_out": .flag(!rules.holds("opted_out", at: wall)),
            "clock": .text(isBehind ? "behind" : "ok"), "pending": pendingTerm(key),
        ]
        if explain { fields["rules"] = .json(explanation(rules)) }
        return fields
    }

    private func isBehind(_ record: AppRecord, _ user: UserID) -> Bool {
        var stamps: [Stamp?] = [record.firstSeen, record.lastSeen, record.lastSession]
        for grant in record.grants { stamps += [grant.grantedAt, grant.shownAt, grant.outcomeAt] }
        stamps += userGrants(user)
        return stamps.contains { stamp in
            guard let stamp, stamp.first.milliseconds > wall else { return false }
            return stamp.repaired?.milliseconds ?? .max > wall
        }
    }

    /// What is told of each rule, but for the figures, which are another suite's.
    private func explanation(_ rules: Rulebook) -> JSONValue {
        // Compared in `Expected` as a whole, so the figures are taken from what was told.
        .array(
            rules.names.map { name in
                let isOK = rules.holds(name, at: wall)
                var members = [
                    JSONValue.Member("rule", .string(name)), .init("ok", .bool(isOK)),
                ]
                if !isOK, let at = rules.earliest([name], from: wall) {
                    members.append(.init("at", .integer(at)))
                }
                return .object(members)
            })
    }

    private func pendingTerm(_ key: AppKey) -> Expected.Term {
        guard let waiting = pending[key] else { return .json(.null) }
        let left = waiting.phase == .asking ? 0 : max(0, waiting.due - steady)
        return .json(
            .object([
                .init("token", .string(waiting.token)),
                .init("version", .string(waiting.version.string)),
                .init("fires_in_ms", .integer(left)),
            ]))
    }

    /// Nothing is kept of it but its time.
    private func isForgotten(_ grant: Grant, _ key: AppKey) -> Bool {
        grant.isForgotten && !isAwaited(grant, key)
    }

    private func label(_ grant: Grant, _ key: AppKey) -> String? {
        if let outcome = grant.outcome { return outcome.rawValue }
        return grant.isForgotten || isAwaited(grant, key) ? nil : "unknown"
    }

    func history(_ key: AppKey) -> Expected.Want {
        let rows = (apps[key]?.grants ?? []).reversed().map { grant -> JSONValue in
            func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
            return .object([
                .init("token", text(isForgotten(grant, key) ? nil : grant.token?.string)),
                .init("version", text(grant.version?.string)),
                .init("granted_at", .integer(grant.grantedAt.first.milliseconds)),
                .init("outcome", text(label(grant, key))),
                .init(
                    "outcome_at", grant.outcomeAt.map { .integer($0.first.milliseconds) } ?? .null),
            ])
        }
        return .result(["grants": .json(.array(rows))])
    }

    func list(_ content: Message.Content, _ seat: Seat) -> Expected.Want {
        guard case .apps = content else { return .result([:]) }
        let listed = apps.filter { key, record in
            key.user == seat.user
                && (record.firstSeen != nil || record.grants.contains { !$0.isForgotten })
        }
        let rows = listed.sorted { $0.key.app.string < $1.key.app.string }.map { key, record in
            JSONValue.object([
                .init("app", .string(key.app.string)),
                .init("sessions", .integer(record.sessions.value)),
                .init("events", .integer(record.events.entries.reduce(0) { $0 + $1.count.value })),
                .init(
                    "last_seen", record.lastSeen.map { .integer($0.first.milliseconds) } ?? .null),
                .init("prompts_in_window", .integer(promptsInWindow(key))),
            ])
        }
        return .result(["apps": .json(.array(rows))])
    }
}
