import RatingPolicy
import TestSupport

/// One user with three apps, driven through years at random, beside the oracle.
struct Life {
    struct Mismatch: Error, CustomStringConvertible {
        var description: String
    }

    var random: Seeded
    var oracle = Oracle()
    var rules: Oracle.Rules
    var policy: Policy
    var apps = [AppState](repeating: AppState(), count: 3)
    var user = UserRecord()
    var now: Moment = .start
    var waiting: [Waiting?] = [nil, nil, nil]
    var versions = [1, 1, 1]
    var agents: [Bool?] = [nil, nil, nil]
    var grants: [(token: Int, app: Int)] = []
    var tokens = 0
    /// What was done, for the report of a mismatch; kept only where `tells`, since it takes time.
    private var story: [String] = []
    private let tells: Bool
    /// False once somebody set the clock.
    var isClockTrue = true

    init(seed: UInt64, tells: Bool = false) {
        random = Seeded(seed)
        self.tells = tells
        rules = Oracle.Rules()
        policy = Policy()
        changeRules()
    }

    /// Fifty steps; one that fails is played again to tell the story of it.
    static func live(seed: UInt64) throws(Mismatch) -> Life {
        do {
            return try lived(seed: seed, tells: false)
        } catch {
            return try lived(seed: seed, tells: true)
        }
    }

    private static func lived(seed: UInt64, tells: Bool) throws(Mismatch) -> Life {
        var life = Life(seed: seed, tells: tells)
        for _ in 0..<50 { try life.step() }
        return life
    }

    mutating func tell(_ line: @autoclosure () -> String) {
        if tells { story.append("\(clock) " + line()) }
    }

    var clock: Int64 { now.wall.milliseconds }

    var clocks: Waiting.Clocks {
        Waiting.Clocks(
            monotonic: now.monotonic.nanoseconds / 1_000_000,
            boottime: now.boottime.nanoseconds / 1_000_000)
    }

    static func token(_ number: Int) -> Token { Token(stringLiteral: "t\(number)") }

    static func version(_ number: Int) -> Version { Version(stringLiteral: "\(number)") }

    /// The error that ends a run if the policy did not do what SPEC says.
    func expect<Value: Equatable>(
        _ actual: Value, _ expected: Value, _ what: String
    ) throws(Mismatch) {
        guard actual != expected else { return }
        throw mismatch("\(what): the policy says \(actual), SPEC says \(expected)")
    }

    func mismatch(_ text: String) -> Mismatch {
        Mismatch(description: text + "\n" + story.suffix(60).joined(separator: "\n"))
    }

    func eligibility(of app: Int) -> Eligibility {
        Eligibility(
            record: apps[app].record, user: user, policy: policy,
            version: Self.version(versions[app]), agentIsThere: agents[app])
    }

    func refusals(
        of app: Int, _ reading: Oracle.Reading? = nil, at time: Int64? = nil
    ) -> [String] {
        Oracle.refusals(
            reading ?? oracle.reading(of: app), rules, version: versions[app], agent: agents[app],
            at: time ?? clock)
    }

    mutating func happened(_ what: Oracle.What, app: Int) {
        tell("app \(app): \(what)")
        oracle.happened(what, app: app, clock: clock, rules: rules)
    }

    // MARK: - Rules

    /// Other rules from here on, as after a reload.
    mutating func changeRules() {
        var new = Oracle.Rules()
        new.enabled = !random.isTrue(oneIn: 40)
        new.userEnabled = !random.isTrue(oneIn: 40)
        new.sessions = random.pick([0, 0, 0, 1, 2])
        new.events = random.pick([0, 0, 0, 1, 3])
        new.days = random.pick([0, 0, 0, 1, 7, 400])
        new.sessionGapSec = random.pick([0, 1, 1_800, 86_400])
        new.oncePerVersion = random.isTrue(oneIn: 3)
        new.minIntervalDays = random.pick([0, 0, 0, 1, 7, 30, 365])
        new.promptsPerYear = random.pick([1, 2, 3, 3, 3, 5, 12, 12, 12, 0])
        new.daysAfterLater = random.pick([0, 1, 14, 400])
        new.daysAfterDeclined = random.pick([0, 1, 90, 365])
        new.daysAfterRated = random.pick([-1, 0, 0, 1, 30, 365])
        new.outcomeTimeoutSec = random.pick([1, 600, 86_400])
        new.userMinIntervalDays = random.pick([0, 0, 1, 30])
        new.userPromptsPerYear = random.pick([1, 4, 12, 365, 365, 365, 365, 0])
        rules = new
        policy = .standard([
            .enabled: .flag(new.enabled), .userEnabled: .flag(new.userEnabled),
            .sessionsUntilPrompt: .integer(new.sessions), .eventsUntilPrompt: .integer(new.events),
            .daysUntilPrompt: .integer(new.days), .sessionGapSec: .integer(new.sessionGapSec),
            .oncePerVersion: .flag(new.oncePerVersion),
            .minIntervalDays: .integer(new.minIntervalDays),
            .promptsPerYear: .integer(new.promptsPerYear),
            .daysAfterLater: .integer(new.daysAfterLater),
            .daysAfterDeclined: .integer(new.daysAfterDeclined),
            .daysAfterRated: .integer(new.daysAfterRated),
            .outcomeTimeoutSec: .integer(new.outcomeTimeoutSec),
            .userMinIntervalDays: .integer(new.userMinIntervalDays),
            .userPromptsPerYear: .integer(new.userPromptsPerYear),
            .pendingMaxSec: .integer(random.number(1...8)),
        ])
        tell("\(new)")
    }
}
