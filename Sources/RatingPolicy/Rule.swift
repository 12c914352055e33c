/// A rule that must hold before a prompt, in the one order in which rules are listed (SPEC 3.3).
package enum Rule: Hashable, Sendable {
    case disabled
    case optedOut
    case outstanding
    case sessions
    case events
    case event(EventName)
    case days
    case version
    case interval
    case annualCap
    case userInterval
    case userCap
    case later
    case declined
    case rated
    case noAgent

    /// The name on the wire; also the reason of a refusal.
    package var name: String {
        switch self {
        case .disabled: "disabled"
        case .optedOut: "opted_out"
        case .outstanding: "outstanding"
        case .sessions: "sessions"
        case .events: "events"
        case .event(let name): "event:" + name.string
        case .days: "days"
        case .version: "version"
        case .interval: "interval"
        case .annualCap: "annual_cap"
        case .userInterval: "user_interval"
        case .userCap: "user_cap"
        case .later: "later"
        case .declined: "declined"
        case .rated: "rated"
        case .noAgent: "no_agent"
        }
    }
}

/// What a rule compares.
package enum Figure: Hashable, Sendable {
    case count(Int64)
    case flag(Bool)
    /// There is nothing yet to compare, such as the days since a grant that never was.
    case nothing
}

/// How one rule stands at one time.
package struct RuleCheck: Hashable, Sendable {
    package var rule: Rule
    package var holds: Bool
    package var have: Figure
    package var need: Figure
    /// When a rule about time will hold; nil for other rules and where time alone will not do.
    package var at: WallTime?

    package init(_ rule: Rule, holds: Bool, have: Figure, need: Figure, at: WallTime? = nil) {
        self.rule = rule
        self.holds = holds
        self.have = have
        self.need = need
        self.at = at
    }
}
