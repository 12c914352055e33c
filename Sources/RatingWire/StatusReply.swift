package import RatingPolicy

/// What `status` tells of one app (SPEC 3.3).
package struct StatusReply: Sendable {
    package var app: AppID
    package var sessions: Count = 0
    package var events: Count = 0
    package var eventsByName = EventCounts()
    package var firstSeen: WallTime?
    package var lastSeen: WallTime?
    package var version: Version?
    package var promptsInWindow = 0
    package var cap: Int64 = 0
    package var lastPrompt: WallTime?
    package var promptedVersions: [Version] = []
    /// Of the last grant.
    package var outcome: OutcomeLabel?
    package var outstanding: Token?
    package var isOptedOut = false
    package var pending: PendingRow?
    package var isEligible = false
    package var reasons: [Rule] = []
    package var nextEligible: WallTime?
    package var isClockBehind = false
    /// Why no request can be answered whatever the rules say; nil if it can.
    package var unavailable: String?
    package var explain: Explanation?

    package init(app: AppID) {
        self.app = app
    }

    /// The request that waits.
    package struct PendingRow: Sendable {
        package var token: Token
        package var version: Version
        package var firesIn: Milliseconds

        package init(token: Token, version: Version, firesIn: Milliseconds) {
            self.token = token
            self.version = version
            self.firesIn = firesIn
        }
    }

    /// What `explain` adds: the policy in force and every rule.
    package struct Explanation: Sendable {
        package var policy: Policy
        package var rules: [RuleCheck]

        package init(policy: Policy, rules: [RuleCheck]) {
            self.policy = policy
            self.rules = rules
        }
    }
}
