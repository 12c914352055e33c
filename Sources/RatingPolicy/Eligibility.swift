/// Whether an app may prompt, as a function of what is stored, what is asked, and the time.
package struct Eligibility: Sendable {
    package var record: AppRecord
    package var user: UserRecord
    package var policy: Policy
    /// The version asked for; nil where nothing is known of it.
    package var version: Version?
    /// Whether an agent would take the prompt; nil if none is wanted.
    package var agentIsThere: Bool?

    package init(
        record: AppRecord, user: UserRecord, policy: Policy, version: Version?,
        agentIsThere: Bool? = nil
    ) {
        self.record = record
        self.user = user
        self.policy = policy
        self.version = version
        self.agentIsThere = agentIsThere
    }

    /// Every rule that applies, in the order of SPEC 3.3.
    package var rules: [Rule] {
        var rules: [Rule] = [.disabled, .optedOut, .outstanding, .sessions, .events]
        rules += policy.needs.map { Rule.event($0.name) }
        rules += [
            .days, .version, .interval, .annualCap, .userInterval, .userCap, .later, .declined,
            .rated,
        ]
        if agentIsThere != nil { rules.append(.noAgent) }
        return rules
    }

    /// The rules that do not hold; none means eligible.
    package func refusals(at now: WallTime) -> [Rule] {
        rules.filter { !holds($0, at: now) }
    }

    package func holds(_ rule: Rule, at now: WallTime) -> Bool {
        earliest(rule, from: now) == now
    }

    /// The earliest time at which every rule holds, if counters, version and outcomes stay.
    ///
    /// Now if all hold; nil if waiting alone will not do. Rules need not stay true once they are
    /// (a repaired stamp starts to age anew), hence the loop.
    package func nextEligible(from now: WallTime) -> WallTime? {
        var time = now
        while true {
            var latest = time
            for rule in rules {
                guard let holds = earliest(rule, from: time) else { return nil }
                latest = max(latest, holds)
            }
            if latest == time { return time }
            time = latest
        }
    }

    /// The grant whose final outcome is still waited for.
    package func outstanding(at now: WallTime) -> Grant? {
        record.outstanding(timeout: policy.outcomeTimeout, at: now)
    }

    /// The earliest time, not before `start`, at which the rule holds; nil if time will not do.
    package func earliest(_ rule: Rule, from start: WallTime) -> WallTime? {
        switch rule {
        case .disabled: start.if(policy.isEnabled && policy.isUserEnabled)
        case .optedOut: start.if(!isOptedOut)
        case .outstanding:
            record.awaitedSince.earliestAll(ofAge: policy.outcomeTimeout, from: start)
        case .sessions: start.if(record.sessions.value >= policy.sessionsUntilPrompt)
        case .events: start.if(record.eventsTotal.value >= policy.eventsUntilPrompt)
        case .event(let name): start.if(count(of: name) >= need(of: name))
        case .days: firstWeekEnds(from: start)
        case .version: start.if(!(policy.isOncePerVersion && isPrompted))
        case .interval:
            record.grantTimes.earliestAll(ofAge: policy.minIntervalDays * .day, from: start)
        case .annualCap:
            record.grantTimes.earliest(
                with: Int(policy.promptsPerYear), youngerThan: .window, from: start)
        case .userInterval:
            user.grants.earliestAll(ofAge: policy.userMinIntervalDays * .day, from: start)
        case .userCap:
            user.grants.earliest(
                with: Int(policy.userPromptsPerYear), youngerThan: .window, from: start)
        case .later:
            record.outcomeTimes(.later, .dismissed)
                .earliestAll(ofAge: policy.daysAfterLater * .day, from: start)
        case .declined:
            record.outcomeTimes(.declined)
                .earliestAll(ofAge: policy.daysAfterDeclined * .day, from: start)
        case .rated: ratingIsOld(from: start)
        case .noAgent: start.if(agentIsThere != false)
        }
    }

    private func firstWeekEnds(from start: WallTime) -> WallTime? {
        guard policy.daysUntilPrompt > 0 else { return start }
        return record.firstSeen?.earliest(ofAge: policy.daysUntilPrompt * .day, from: start)
    }

    /// Strictly more than the days since every rating, and another version than each rated one.
    private func ratingIsOld(from start: WallTime) -> WallTime? {
        let ratings = record.grants.filter { $0.outcome == .rated }
        guard !ratings.isEmpty else { return start }
        guard policy.daysAfterRated >= 0, !ratings.contains(where: { $0.version == version })
        else { return nil }
        return ratings.compactMap(\.outcomeAt)
            .earliestAll(ofAge: policy.daysAfterRated * .day + 1, from: start)
    }

    package var isOptedOut: Bool { record.isOptedOut || user.isOptedOutOfAll }

    /// True if the version asked for has had a prompt.
    var isPrompted: Bool {
        guard let version else { return false }
        return record.grants.contains { $0.version == version }
    }

    func count(of name: EventName) -> Int64 {
        record.events[name]?.value ?? 0
    }

    func need(of name: EventName) -> Int64 {
        policy.needs.first { $0.name == name }?.need.value ?? 0
    }
}

extension WallTime {
    /// This time if the condition holds, else nil.
    fileprivate func `if`(_ condition: Bool) -> WallTime? {
        condition ? self : nil
    }
}
