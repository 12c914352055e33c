import RatingPolicy

/// Who may prompt when, read from SPEC 3.1 and 3.4 and from nothing of the daemon's own: every
/// stored time is looked at anew for each question, and "when" is found by trying every moment at
/// which anything could change.
///
/// Records and stamps of the daemon serve as plain data.
struct Rulebook {
    var record: AppRecord
    var userGrants: [Stamp]
    var isOptedOutOfAll: Bool
    var terms: Terms
    var version: Version?
    /// Nil if no agent is wanted.
    var agentIsThere: Bool?

    static let day: Int64 = 86_400_000
    static let window: Int64 = 365 * 86_400_000

    /// How old a stored time is: the future is age 0, a repair stands in while it is.
    static func age(_ stamp: Stamp, at now: Int64) -> Int64 {
        let first = stamp.first.milliseconds
        if first <= now { return now - first }
        guard let repaired = stamp.repaired?.milliseconds, repaired <= now else { return 0 }
        return now - repaired
    }

    /// The names of all rules in the order of SPEC 3.3.
    var names: [String] {
        var names = ["disabled", "opted_out", "outstanding", "sessions", "events"]
        names += terms.needs.map { "event:" + $0.name.string }
        names += [
            "days", "version", "interval", "annual_cap", "user_interval", "user_cap", "later",
            "declined", "rated",
        ]
        return agentIsThere == nil ? names : names + ["no_agent"]
    }

    func broken(at now: Int64) -> [String] { names.filter { !holds($0, at: now) } }

    func holds(_ rule: String, at now: Int64) -> Bool {
        let grants = record.grants
        func all(_ stamps: [Stamp?], atLeast age: Int64) -> Bool {
            stamps.allSatisfy { $0.map { Self.age($0, at: now) >= age } ?? true }
        }
        func young(_ stamps: [Stamp]) -> Int64 {
            Int64(stamps.count { Self.age($0, at: now) < Self.window })
        }
        func ended(_ outcomes: Outcome...) -> [Stamp?] {
            grants.filter { $0.outcome.map(outcomes.contains) ?? false }.map(\.outcomeAt)
        }
        switch rule {
        case "disabled": return terms.flag(.enabled) && terms.flag(.userEnabled)
        case "opted_out": return !record.isOptedOut && !isOptedOutOfAll
        case "outstanding":
            let waiting = grants.filter { $0.token != nil && $0.outcome == nil }
            return all(
                waiting.map { $0.shownAt ?? $0.grantedAt },
                atLeast: terms.number(.outcomeTimeoutSec) * 1_000)
        case "sessions": return record.sessions.value >= terms.number(.sessionsUntilPrompt)
        case "events": return eventsTotal >= terms.number(.eventsUntilPrompt)
        case "days":
            let days = terms.number(.daysUntilPrompt)
            guard let seen = record.firstSeen else { return days == 0 }
            return Self.age(seen, at: now) >= days * Self.day
        case "version":
            return !terms.flag(.oncePerVersion) || !grants.contains { $0.version == version }
                || version == nil
        case "interval":
            return all(
                grants.map(\.grantedAt), atLeast: terms.number(.minIntervalDays) * Self.day)
        case "annual_cap": return young(grants.map(\.grantedAt)) < terms.number(.promptsPerYear)
        case "user_interval":
            return all(userGrants, atLeast: terms.number(.userMinIntervalDays) * Self.day)
        case "user_cap": return young(userGrants) < terms.number(.userPromptsPerYear)
        case "later":
            return all(
                ended(.later, .dismissed), atLeast: terms.number(.daysAfterLater) * Self.day)
        case "declined":
            return all(ended(.declined), atLeast: terms.number(.daysAfterDeclined) * Self.day)
        case "rated": return ratedHolds(at: now)
        case "no_agent": return agentIsThere != false
        default:
            return terms.needs.allSatisfy { need in
                "event:" + need.name.string != rule
                    || (record.events[need.name]?.value ?? 0) >= need.count
            }
        }
    }

    private func ratedHolds(at now: Int64) -> Bool {
        let rated = record.grants.filter { $0.outcome == .rated }
        let days = terms.number(.daysAfterRated)
        return rated.allSatisfy { grant in
            guard days >= 0, let at = grant.outcomeAt else { return false }
            return grant.version != version && Self.age(at, at: now) > days * Self.day
        }
    }

    var eventsTotal: Int64 { record.events.entries.reduce(0) { $0 + $1.count.value } }

    /// The earliest time, now or later, at which all these rules hold; nil if there is none.
    func earliest(_ rules: [String], from now: Int64) -> Int64? {
        moments(from: now).first { time in rules.allSatisfy { holds($0, at: time) } }
    }

    /// Now, and every later moment at which any rule may change its mind.
    private func moments(from now: Int64) -> [Int64] {
        var spans: Set<Int64> = [0, Self.window, terms.number(.outcomeTimeoutSec) * 1_000]
        let keys: [PolicyKey] = [
            .daysUntilPrompt, .minIntervalDays, .userMinIntervalDays, .daysAfterLater,
            .daysAfterDeclined,
        ]
        for key in keys { spans.insert(terms.number(key) * Self.day) }
        spans.insert(max(0, terms.number(.daysAfterRated)) * Self.day + 1)
        var stamps =
            userGrants
            + record.grants.flatMap { [$0.grantedAt, $0.shownAt, $0.outcomeAt] }
            .compactMap { $0 }
        if let seen = record.firstSeen { stamps.append(seen) }
        var moments: Set<Int64> = [now]
        for stamp in stamps {
            for start in [stamp.first, stamp.repaired].compactMap({ $0?.milliseconds }) {
                for span in spans where start + span > now { moments.insert(start + span) }
            }
        }
        return moments.sorted()
    }
}
