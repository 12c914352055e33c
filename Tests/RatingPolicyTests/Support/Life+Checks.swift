import RatingPolicy
import TestSupport

extension Life {
    /// What `status` and `explain` say now, against the whole history.
    mutating func checkStatus(_ app: Int) throws(Mismatch) {
        let reading = oracle.reading(of: app)
        let expected = refusals(of: app, reading)
        let eligibility = eligibility(of: app)
        try expect(eligibility.refusals(at: now.wall).map(\.name), expected, "reasons")
        try expect(apps[app].record.sessions.value, reading.sessions, "sessions")
        try expect(apps[app].record.eventsTotal.value, reading.events, "events")
        try expect(
            apps[app].record.promptsInWindow(at: now.wall),
            reading.prompts.filter { $0.granted.age(clock) < 31_536_000_000 }.count, "in window")
        try expect(
            apps[app].pending?.token.string ?? "none",
            waiting[app].map { "t\($0.token)" } ?? "none", "pending")
        // The rest takes most of the time.
        guard random.isTrue(oneIn: 3) else { return }
        try checkNextEligible(app, reading, eligibility.nextEligible(from: now.wall))
        let checks = eligibility.checks(at: now.wall)
        try expect(checks.filter { !$0.holds }.map(\.rule.name), expected, "rules")
        for check in checks {
            if let time = check.at { try checkRule(check.rule.name, app, reading, time) }
        }
    }

    /// A rule holds from the time `explain` tells, and not a millisecond before.
    private func checkRule(
        _ rule: String, _ app: Int, _ reading: Oracle.Reading, _ time: WallTime
    ) throws(Mismatch) {
        let then = refusals(of: app, reading, at: time.milliseconds)
        let before = refusals(of: app, reading, at: time.milliseconds - 1)
        guard !then.contains(rule), before.contains(rule) else {
            throw mismatch("\(rule) does not begin to hold at \(time.milliseconds)")
        }
    }

    /// At `next_eligible` all rules hold, and at no earlier time at which one begins to hold.
    private func checkNextEligible(
        _ app: Int, _ reading: Oracle.Reading, _ next: WallTime?
    ) throws(Mismatch) {
        if refusals(of: app, reading).isEmpty {
            return try expect(next, now.wall as WallTime?, "next eligible")
        }
        let searched = Oracle.candidates(reading, rules).filter { $0 > clock }.sorted()
            .first { refusals(of: app, reading, at: $0).isEmpty }
        try expect(next?.milliseconds, searched, "next eligible")
        guard let next else { return }
        guard !refusals(of: app, reading, at: next.milliseconds - 1).isEmpty else {
            throw mismatch("eligible a millisecond before \(next)")
        }
    }

    /// P1 and its neighbours once more, straight from the list of grants.
    func checkPromise(_ app: Int, _ request: Waiting) throws(Mismatch) {
        var own: [Int64] = []
        var all: [Int64] = []
        var versions: [Int] = []
        for fact in oracle.facts {
            if fact.app == app, case .forgotten(ledger: true) = fact.what { versions = [] }
            guard case .granted(_, let version) = fact.what else { continue }
            all.append(fact.clock)
            if fact.app == app {
                own.append(fact.clock)
                versions.append(version)
            }
        }
        if rules.oncePerVersion, versions.contains(request.version) {
            throw mismatch("a second prompt for version \(request.version)")
        }
        // A grant may have left the future by a repair; without one each of them counts.
        let hasRepairs = oracle.facts.contains {
            if case .clockRepaired = $0.what { true } else { false }
        }
        let year: Int64 = 31_536_000_000
        let inWindow = own.filter { clock - $0 < year && (!hasRepairs || $0 <= clock) }.count
        guard inWindow < rules.promptsPerYear else { throw mismatch("over the annual cap") }
        let ofUser = all.filter { clock - $0 < year && (!hasRepairs || $0 <= clock) }.count
        guard ofUser < rules.userPromptsPerYear else { throw mismatch("over the user's cap") }
    }
}
