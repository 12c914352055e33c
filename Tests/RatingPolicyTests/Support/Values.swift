import RatingPolicy

extension PolicyValue: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    public init(booleanLiteral value: Bool) {
        self = .flag(value)
    }
}

extension Version: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let version = Version(text) else { preconditionFailure("\(text) is no version") }
        self = version
    }
}

extension EventName: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let name = EventName(text) else { preconditionFailure("\(text) is no event name") }
        self = name
    }
}

extension AppID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let app = AppID(text) else { preconditionFailure("\(text) is no app id") }
        self = app
    }
}

extension Token: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let token = Token(text) else { preconditionFailure("\(text) is no token") }
        self = token
    }
}

extension Milliseconds {
    static let minute = 60 * second
    static let hour = 60 * minute
}

extension WallTime {
    /// A time far from both ends of the range.
    static let start = WallTime(milliseconds: 1_800_000_000_000)

    static func + (time: WallTime, span: Milliseconds) -> WallTime {
        time.adding(span)
    }

    static func - (time: WallTime, span: Milliseconds) -> WallTime {
        time.adding(-span)
    }
}

extension Moment {
    static let start = Moment(
        wall: .start, monotonic: SteadyTime(nanoseconds: 7_000_000_000),
        boottime: SteadyTime(nanoseconds: 9_000_000_000))

    /// The moment after a span in which all clocks ran.
    static func + (moment: Moment, span: Milliseconds) -> Moment {
        Moment(
            wall: moment.wall + span, monotonic: moment.monotonic.adding(span),
            boottime: moment.boottime.adding(span))
    }

    /// The moment after the machine slept: CLOCK_MONOTONIC stood still.
    func slept(_ span: Milliseconds) -> Moment {
        Moment(wall: wall + span, monotonic: monotonic, boottime: boottime.adding(span))
    }

    /// The moment after somebody set the wall clock.
    func clockStepped(by span: Milliseconds) -> Moment {
        Moment(wall: wall + span, monotonic: monotonic, boottime: boottime)
    }
}

extension PolicyLayer {
    /// What one file sets.
    init(
        _ values: [PolicyKey: PolicyValue], needs: [EventName: Int64] = [:],
        file: String = "ratingd.conf"
    ) {
        self.init()
        self.values = values.mapValues { Sourced($0, from: .file(file)) }
        self.needs = needs.mapValues { Sourced($0, from: .file(file)) }
    }
}

extension HelloPolicy {
    init(_ values: [PolicyKey: PolicyValue], needs: [EventName: Int64] = [:]) {
        self.init()
        self.values = values
        self.needs = needs
    }
}

extension Policy {
    /// The defaults but for some keys.
    static func standard(
        _ changed: [PolicyKey: PolicyValue] = [:], needs: [EventName: Int64] = [:]
    ) -> Policy {
        Policy(general: PolicyLayer(changed, needs: needs))
    }

    /// A policy that lets everything pass but for some keys, to see one rule alone.
    static func open(
        _ changed: [PolicyKey: PolicyValue] = [:], needs: [EventName: Int64] = [:]
    ) -> Policy {
        let open: [PolicyKey: PolicyValue] = [
            .sessionsUntilPrompt: 0, .eventsUntilPrompt: 0, .daysUntilPrompt: 0,
            .oncePerVersion: false, .minIntervalDays: 0, .promptsPerYear: 12, .daysAfterLater: 0,
            .daysAfterDeclined: 0, .daysAfterRated: 0, .outcomeTimeoutSec: 1,
            .userMinIntervalDays: 0, .userPromptsPerYear: 365,
        ]
        return .standard(open.merging(changed) { _, new in new }, needs: needs)
    }
}

extension Grant {
    /// A grant with its final outcome, reported at once or later.
    static func made(
        at time: WallTime, version: Version = "1.0", outcome: Outcome? = nil,
        reportedAt: WallTime? = nil, token: Token = "old"
    ) -> Grant {
        var grant = Grant(grantedAt: Stamp(time), token: token, version: version)
        grant.outcome = outcome
        grant.outcomeAt = outcome.map { _ in Stamp(reportedAt ?? time) }
        return grant
    }
}
