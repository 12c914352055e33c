extension Eligibility {
    /// How every rule stands now, in order: what `explain` shows.
    package func checks(at now: WallTime) -> [RuleCheck] {
        rules.map { check($0, at: now) }
    }

    private func check(_ rule: Rule, at now: WallTime) -> RuleCheck {
        let earliest = earliest(rule, from: now)
        let figures = figures(rule, at: now)
        let holds = earliest == now
        return RuleCheck(
            rule, holds: holds, have: figures.have, need: figures.need,
            at: holds ? nil : earliest)
    }

    /// What there is and what is needed; days are whole days.
    private func figures(_ rule: Rule, at now: WallTime) -> (have: Figure, need: Figure) {
        switch rule {
        case .disabled: (.flag(policy.isEnabled && policy.isUserEnabled), .flag(true))
        case .optedOut: (.flag(isOptedOut), .flag(false))
        case .outstanding: (.flag(outstanding(at: now) != nil), .flag(false))
        case .sessions: (.count(record.sessions.value), .count(policy.sessionsUntilPrompt))
        case .events: (.count(record.eventsTotal.value), .count(policy.eventsUntilPrompt))
        case .event(let name): (.count(count(of: name)), .count(need(of: name)))
        case .days:
            (.count((record.firstSeen?.age(at: now) ?? 0) / .day), .count(policy.daysUntilPrompt))
        case .version: (.flag(isPrompted), .flag(false))
        case .interval: (days(since: record.grantTimes, at: now), .count(policy.minIntervalDays))
        case .annualCap:
            (
                .count(Int64(record.grantTimes.count(youngerThan: .window, at: now))),
                .count(policy.promptsPerYear)
            )
        case .userInterval: (days(since: user.grants, at: now), .count(policy.userMinIntervalDays))
        case .userCap:
            (
                .count(Int64(user.grants.count(youngerThan: .window, at: now))),
                .count(policy.userPromptsPerYear)
            )
        case .later:
            (
                days(since: record.outcomeTimes(.later, .dismissed), at: now),
                .count(policy.daysAfterLater)
            )
        case .declined:
            (days(since: record.outcomeTimes(.declined), at: now), .count(policy.daysAfterDeclined))
        case .rated:
            (days(since: record.outcomeTimes(.rated), at: now), .count(policy.daysAfterRated))
        case .noAgent: (.flag(agentIsThere == true), .flag(true))
        }
    }

    private func days(since stamps: [Stamp], at now: WallTime) -> Figure {
        stamps.youngestAge(at: now).map { .count($0 / .day) } ?? .nothing
    }
}
