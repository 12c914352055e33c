import RatingPolicy
import TestSupport

extension Life {
    /// One thing happens at random, and the policy is asked about it.
    mutating func step() throws(Mismatch) {
        let app = Int(random.number(0...2))
        switch random.number(0...39) {
        case 0...9: try passTime(app)
        case 10: now = now.slept(random.pick([1, 4_000, 5_001, 3_600_000]))
        case 11: stepClock()
        case 12...14: try session(app)
        case 15...17: try events(app)
        case 18...20: try request(app)
        case 21...25: try prompt(app)
        case 26: activity(app)
        case 27...28: try answer(app)
        case 29...33: try report(app)
        case 34: optOut(app)
        case 35: forget(app)
        case 36: repairClock()
        case 37:
            if random.isTrue(oneIn: 3) { changeRules() }
        case 38: versions[app] = Int(random.number(1...4))
        default: agents[app] = random.pick([nil, nil, true, true, false])
        }
        for other in 0...2 { try timePassed(other) }
        try checkStatus(app)
    }

    // MARK: - Time

    /// A while passes: milliseconds, days, or until something may just change.
    private mutating func passTime(_ app: Int) throws(Mismatch) {
        var span: Int64
        switch random.number(0...6) {
        case 0: span = random.number(0...3_000)
        case 1: span = random.pick([1_999, 2_000, 2_001, 600_000])
        case 2: span = random.number(0...40) * .day
        case 3: span = random.number(0...2) * .window / 4
        case 4:
            guard let next = eligibility(of: app).nextEligible(from: now.wall) else { return }
            span = next.since(now.wall) + random.number(-1...0)
        default:
            let coming = Oracle.candidates(oracle.reading(of: app), rules).filter { $0 > clock }
            guard !coming.isEmpty else { return }
            span = random.pick(coming) - clock + random.number(-1...1)
        }
        span = min(max(span, 0), 3 * .window)
        now = now + span
        tell("after \(span) ms")
    }

    private mutating func stepClock() {
        let step = random.pick([1, 60_000, .day, 100 * .day, .window, 3 * .window] as [Int64])
        now = now.clockStepped(by: random.isTrue(oneIn: 2) ? step : -step)
        isClockTrue = false
        tell("after the clock was set by \(step)")
    }

    private mutating func repairClock() {
        guard !isClockTrue else { return }
        for app in apps.indices { apps[app].record.repairStamps(at: now.wall) }
        user.grants = user.grants.map { $0.repaired(at: now.wall) }
        happened(.clockRepaired, app: -1)
    }

    private mutating func timePassed(_ app: Int) throws(Mismatch) {
        guard let request = waiting[app] else {
            let progress = apps[app].timePassed(eligibility: eligibility(of: app), at: now)
            return try expect(progress, AppState.Progress.nothing, "time without a request")
        }
        let expected = request.timePassed(clocks, refusals: waitingRefusals(app, request))
        let progress = apps[app].timePassed(eligibility: waitingEligibility(app, request), at: now)
        try follow(progress, expected, app, request)
    }

    // MARK: - Counters

    private mutating func session(_ app: Int) throws(Mismatch) {
        let before = oracle.reading(of: app).sessions
        let counted = apps[app].sessionReported(
            version: Self.version(versions[app]), gap: policy.sessionGap, at: now.wall)
        happened(.session, app: app)
        try expect(counted, oracle.reading(of: app).sessions > before, "session counted")
    }

    private mutating func events(_ app: Int) throws(Mismatch) {
        let count: Int64 = random.number(1...3)
        let name: EventName = random.pick(["a", "b"])
        let accepted = apps[app].eventReported(name, count: count, namesMax: 2, at: now.wall)
        try expect(accepted != nil, true, "event accepted")
        happened(.events(count), app: app)
    }

    // MARK: - A request's life

    private mutating func request(_ app: Int) throws(Mismatch) {
        tokens += 1
        var wish = RequestWish()
        wish.debounce = random.pick([0, 1, 2_000, nil])
        wish.onActivity = random.pick([.restart, .cancel, nil])
        wish.asksConfirm = random.isTrue(oneIn: 4)
        let refusals = refusals(of: app)
        let request = PendingRequest(
            token: Self.token(tokens), version: Self.version(versions[app]),
            requester: ClientID(1), of: ProcessID(number: 1), wish: wish, policy: policy, at: now)
        let older = apps[app].pending
        let decision = apps[app].requested(
            request, eligibility: eligibility(of: app), at: now.wall)
        let number = tokens
        let version = versions[app]
        tell("app \(app): request t\(number) \(wish), version \(version)")
        switch decision {
        case .refused(let rules):
            try expect(rules.map(\.name), refusals, "request refused")
            try expect(apps[app].pending, older, "older request after a refusal")
        case .pending(let superseded):
            try expect([String](), refusals, "request pending")
            try expect(superseded, older, "superseded")
            let request = Waiting(
                token: tokens, version: versions[app], asked: clocks, quiet: clocks,
                debounce: wish.debounce ?? 2_000, restarts: wish.onActivity == .restart,
                confirms: wish.asksConfirm, pendingMax: policy.pendingMax, confirmTimeout: 2_000)
            waiting[app] = request
        }
    }

    /// The first prompt there can be: all that happens between is checked as ever.
    private mutating func prompt(_ app: Int) throws(Mismatch) {
        if eligibility(of: app).nextEligible(from: now.wall) == nil {
            try session(app)
            try events(app)
            versions[app] = Int(random.number(1...9))
            agents[app] = nil
        }
        if let next = eligibility(of: app).nextEligible(from: now.wall) {
            now = now + min(next.since(now.wall), 3 * .window)
        }
        for other in 0...2 { try timePassed(other) }
        try request(app)
        now = now + random.pick([1_999, 2_000, 2_000, 2_000, 7_000])
    }

    private mutating func activity(_ app: Int) {
        _ = apps[app].activityReported(at: now)
        tell("app \(app): activity")
        if waiting[app]?.restarts == true {
            let now = clocks
            waiting[app]?.quiet = now
            waiting[app]?.wasRestarted = true
            waiting[app]?.confirm = nil
        } else {
            waiting[app] = nil
        }
    }

    private mutating func answer(_ app: Int) throws(Mismatch) {
        guard let request = waiting[app] else { return }
        let isYes = !random.isTrue(oneIn: 4)
        let expected = request.answered(
            isYes, clocks, refusals: waitingRefusals(app, request))
        let progress = apps[app].confirmAnswered(
            isYes, eligibility: waitingEligibility(app, request), at: now)
        try follow(progress, expected, app, request)
    }

    /// A request that waits keeps the version it was made with.
    private func waitingEligibility(_ app: Int, _ request: Waiting) -> Eligibility {
        var eligibility = eligibility(of: app)
        eligibility.version = Self.version(request.version)
        return eligibility
    }

    private func waitingRefusals(_ app: Int, _ request: Waiting) -> [String] {
        Oracle.refusals(
            oracle.reading(of: app), rules, version: request.version, agent: agents[app],
            at: clock)
    }

    private mutating func follow(
        _ progress: AppState.Progress, _ expected: String, _ app: Int, _ request: Waiting
    ) throws(Mismatch) {
        switch progress {
        case .nothing:
            try expect("nothing", expected, "progress")
        case .asksConfirm:
            try expect("confirm", expected, "progress")
            let now = clocks
            waiting[app]?.confirm = now
        case .cancelled(let ended, let reason):
            let rules = reason.rules.map(\.name).joined(separator: ",")
            try expect(
                rules.isEmpty ? reason.name : reason.name + " " + rules, expected, "progress")
            try expect(ended.token.string, "t\(request.token)", "ended token")
            tell("app \(app): cancelled \(expected)")
            waiting[app] = nil
        case .granted(let granted):
            try expect("granted", expected, "progress")
            try expect(granted.token.string, "t\(request.token)", "granted token")
            try checkPromise(app, request)
            grants.append((request.token, app))
            user.grants.append(Stamp(now.wall))
            happened(.granted(token: request.token, version: request.version), app: app)
            waiting[app] = nil
        }
    }

    // MARK: - What comes after

    private mutating func report(_ app: Int) throws(Mismatch) {
        guard !grants.isEmpty else { return }
        let grant = random.isTrue(oneIn: 3) ? random.pick(grants) : grants[grants.count - 1]
        let name = random.pick(
            [
                "shown", "shown", "shown", "rated", "rated", "later", "later", "declined",
                "dismissed", "failed", "failed", random.pick(["failed", "later", "never"]),
            ])
        guard let report = OutcomeReport(name: name) else { return }
        let expected = expectedEffect(of: name, grant)
        let effect = apps[grant.app].outcomeReported(
            report, token: Self.token(grant.token), timeout: policy.outcomeTimeout, at: now.wall)
        happened(
            name == "shown" ? .shown(token: grant.token) : .final(token: grant.token, name),
            app: grant.app)
        let seen =
            switch effect {
            case .accepted(let report): "accepted " + report.name
            case .conflict(let outcome): "conflict " + outcome.rawValue
            case .notFound: "not found"
            }
        try expect(seen, expected, "outcome")
    }

    private func expectedEffect(of name: String, _ grant: (token: Int, app: Int)) -> String {
        let prompts = oracle.reading(of: grant.app).prompts
        guard let prompt = prompts.first(where: { $0.token == grant.token }),
            !prompt.isForgotten || prompt.isOutstanding(rules, clock)
        else { return "not found" }
        if let outcome = prompt.outcome, outcome != name { return "conflict " + outcome }
        return "accepted " + name
    }

    private mutating func optOut(_ app: Int) {
        let isOut = random.isTrue(oneIn: 4)
        if random.isTrue(oneIn: 4) {
            user.isOptedOutOfAll = isOut
            happened(.optedOutOfAll(isOut), app: -1)
        } else {
            apps[app].record.isOptedOut = isOut
            happened(.optedOut(isOut), app: app)
        }
    }

    private mutating func forget(_ app: Int) {
        guard random.isTrue(oneIn: 2) else { return }
        let ledger = random.isTrue(oneIn: 2)
        _ = apps[app].forgotten(ledger: ledger, timeout: policy.outcomeTimeout, at: now.wall)
        waiting[app] = nil
        happened(.forgotten(ledger: ledger), app: app)
    }
}
