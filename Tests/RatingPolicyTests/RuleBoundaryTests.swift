import RatingPolicy
import Testing

/// Every rule alone, at its threshold, one below and one above.
struct RuleBoundaryTests {
    private let day: Milliseconds = 86_400_000
    private let year: Milliseconds = 365 * 86_400_000

    /// Checks that a rule blocks until exactly `wait` after the start, and says so all along.
    private func expect(
        _ rule: Rule, of app: App, endsAfter wait: Milliseconds,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var app = app
        for (time, holds) in [(0, wait <= 0), (wait - 1, false), (wait, true), (wait + 1, true)]
        where time >= 0 {
            app.now.wall = .start + time
            let eligible = holds ? app.now.wall : .start + wait
            #expect(app.refusals == (holds ? [] : [rule]), sourceLocation: sourceLocation)
            #expect(app.nextEligible == eligible, sourceLocation: sourceLocation)
            #expect(
                app.eligibility.earliest(rule, from: app.now.wall) == eligible,
                sourceLocation: sourceLocation)
        }
    }

    /// An app with grants at these times before or after the start.
    private func app(_ policy: Policy, grants: [Grant] = []) -> App {
        var app = App(policy)
        app.state.record.grants = grants
        app.user.grants = grants.map(\.grantedAt)
        return app
    }

    private func isRefused(_ app: App, by rule: Rule) -> Bool {
        let refusals = app.refusals
        #expect(refusals.isEmpty || refusals == [rule])
        #expect(app.nextEligible == (refusals.isEmpty ? app.now.wall : nil))
        return !refusals.isEmpty
    }

    @Test(arguments: [1, 3, 1_000_000_000] as [Int64])
    func `sessions: one below blocks, at the value and above not`(need: Int64) {
        var app = App(.open([.sessionsUntilPrompt: .integer(need)]))
        for (count, blocks) in [(need - 1, true), (need, false), (need + 1, false)] {
            app.state.record.sessions = Count(count)
            #expect(isRefused(app, by: .sessions) == blocks)
        }
    }

    @Test(arguments: [1, 10, 1_000_000_000] as [Int64])
    func `events: all names together, one below blocks`(need: Int64) {
        var app = App(.open([.eventsUntilPrompt: .integer(need)]))
        for (count, blocks) in [(need - 1, true), (need, false), (need + 1, false)] {
            app.state.record.events = ["a": Count(count / 2), "b": Count(count - count / 2)]
            #expect(isRefused(app, by: .events) == blocks)
        }
    }

    @Test(arguments: [1, 2, 1_000_000_000] as [Int64])
    func `events of a name: only that name counts`(need: Int64) {
        var app = App(.open(needs: ["saved": need]))
        for (count, blocks) in [(need - 1, true), (need, false), (need + 1, false)] {
            app.state.record.events = ["saved": Count(count), "opened": 5_000]
            #expect(isRefused(app, by: .event("saved")) == blocks)
        }
    }

    @Test func `a need of nothing holds for an app that did nothing`() {
        #expect(App(.open(needs: ["saved": 0])).refusals == [])
    }

    @Test(arguments: [1, 7, 24, 25, 50, 365, 36_500] as [Int64])
    func `days since first seen`(days: Int64) {
        var app = App(.open([.daysUntilPrompt: .integer(days)]))
        app.event()
        expect(.days, of: app, endsAfter: days * day)
    }

    @Test func `an app never seen has age 0 and gets no older by waiting`() {
        #expect(isRefused(App(.open([.daysUntilPrompt: 1])), by: .days))
        #expect(!isRefused(App(.open([.daysUntilPrompt: 0])), by: .days))
    }

    @Test(arguments: [1, 7, 24, 25, 50, 365, 36_500] as [Int64])
    func `interval since the last grant, whatever its outcome`(days: Int64) {
        for outcome in [nil, Outcome.failed, .rated] {
            var app = app(
                .open([.minIntervalDays: .integer(days)]),
                grants: [
                    .made(at: .start - 9 * day, outcome: .failed),
                    .made(at: .start, outcome: outcome, reportedAt: .start - 9 * day),
                ])
            app.version = "2.0"
            if outcome == nil { app.state.record.grants[1].token = nil }
            expect(.interval, of: app, endsAfter: days * day)
        }
    }

    @Test func `a grant is outside the annual window at exactly 365 days`() {
        let app = app(
            .open([.promptsPerYear: 1]), grants: [.made(at: .start, outcome: .failed)])
        expect(.annualCap, of: app, endsAfter: year)
    }

    @Test(arguments: 1...12)
    func `annual cap: the grant that fills it has to leave`(cap: Int) {
        let policy = Policy.open([.promptsPerYear: .integer(Int64(cap))])
        let grants = (0..<cap).map {
            Grant.made(at: .start - Int64($0) * 1_000, outcome: .failed)
        }
        expect(
            .annualCap, of: app(policy, grants: grants), endsAfter: year - Int64(cap - 1) * 1_000)
        #expect(app(policy, grants: Array(grants.dropLast())).refusals == [])
        let over = grants + [.made(at: .start, outcome: .failed)]
        // With one more than the cap, two have to leave.
        expect(
            .annualCap, of: app(policy, grants: over),
            endsAfter: year - Int64(max(cap - 2, 0)) * 1_000)
    }

    @Test func `a cap of 0 never lets one pass`() {
        #expect(isRefused(App(.open([.promptsPerYear: 0])), by: .annualCap))
        #expect(isRefused(App(.open([.userPromptsPerYear: 0])), by: .userCap))
    }

    @Test(arguments: [1, 7, 36_500] as [Int64])
    func `user interval counts the grants of all apps`(days: Int64) {
        var app = App(.open([.userMinIntervalDays: .integer(days)]))
        app.user.grants = [Stamp(.start), Stamp(.start - 5 * day)]
        expect(.userInterval, of: app, endsAfter: days * day)
    }

    @Test(arguments: [1, 12, 364, 365])
    func `user cap counts the grants of all apps`(cap: Int) {
        var app = App(.open([.userPromptsPerYear: .integer(Int64(cap))]))
        app.user.grants = (0..<cap).map { Stamp(.start - Int64($0) * 1_000) }
        expect(.userCap, of: app, endsAfter: year - Int64(cap - 1) * 1_000)
        app.user.grants.removeLast()
        #expect(app.refusals == [])
    }

    @Test(arguments: [1, 14, 36_500] as [Int64], [Outcome.later, .dismissed])
    func `later and dismissed count from when they were reported`(days: Int64, outcome: Outcome) {
        let app = app(
            .open([.daysAfterLater: .integer(days)]),
            grants: [.made(at: .start - 100 * day, outcome: outcome, reportedAt: .start)])
        expect(.later, of: app, endsAfter: days * day)
    }

    @Test(arguments: [1, 90, 36_500] as [Int64])
    func `declined counts from when it was reported`(days: Int64) {
        let app = app(
            .open([.daysAfterDeclined: .integer(days)]),
            grants: [.made(at: .start - 100 * day, outcome: .declined, reportedAt: .start)])
        expect(.declined, of: app, endsAfter: days * day)
    }

    @Test(arguments: [0, 1, 365, 36_500] as [Int64])
    func `rated needs strictly more days, by a millisecond`(days: Int64) {
        var app = app(
            .open([.daysAfterRated: .integer(days)]),
            grants: [.made(at: .start - 100 * day, outcome: .rated, reportedAt: .start)])
        app.version = "2.0"
        expect(.rated, of: app, endsAfter: days * day + 1)
    }

    @Test func `rated needs another version however long ago it was`() {
        var app = app(.open(), grants: [.made(at: .start - 9 * year, outcome: .rated)])
        #expect(isRefused(app, by: .rated))
        app.version = "1.0.0"
        #expect(!isRefused(app, by: .rated))
    }

    @Test func `rated needs another version than each one that was rated`() {
        var app = app(
            .open(),
            grants: [
                .made(at: .start - 9 * year, version: "1.0", outcome: .rated),
                .made(at: .start - 5 * year, version: "2.0", outcome: .rated),
            ])
        for (version, blocks) in [("1.0", true), ("2.0", true), ("3.0", false)] {
            app.version = Version(stringLiteral: version)
            #expect(isRefused(app, by: .rated) == blocks)
        }
    }

    @Test func `rated of minus one is never again, whatever the version`() {
        var app = app(
            .open([.daysAfterRated: -1]), grants: [.made(at: .start - 9 * year, outcome: .rated)])
        app.version = "2.0"
        #expect(isRefused(app, by: .rated))
        app.state.record.grants[0].outcome = .declined
        #expect(!isRefused(app, by: .rated))
    }

    @Test func `each kind of outcome is remembered behind newer ones`() {
        var app = app(
            .open([.daysAfterLater: 14, .daysAfterDeclined: 90, .daysAfterRated: 365]),
            grants: [
                .made(at: .start - 3, outcome: .rated, reportedAt: .start),
                .made(at: .start - 2, outcome: .declined, reportedAt: .start),
                .made(at: .start - 1, outcome: .dismissed, reportedAt: .start),
                .made(at: .start, outcome: .failed, reportedAt: .start),
            ])
        app.version = "2.0"
        #expect(app.refusals == [.later, .declined, .rated])
        app.now.wall = .start + 14 * day
        #expect(app.refusals == [.declined, .rated])
        app.now.wall = .start + 90 * day
        #expect(app.refusals == [.rated])
        #expect(app.nextEligible == .start + year + 1)
    }

    @Test func `of two outcomes of a kind the one reported last counts`() {
        let app = app(
            .open([.daysAfterLater: 14]),
            grants: [
                .made(at: .start - 9, outcome: .later, reportedAt: .start),
                .made(at: .start - 5, outcome: .later, reportedAt: .start - 2),
            ])
        expect(.later, of: app, endsAfter: 14 * day)
    }

    @Test(arguments: [1, 600, 86_400] as [Int64])
    func `outstanding until the time-out`(seconds: Int64) {
        var app = app(
            .open([.outcomeTimeoutSec: .integer(seconds)]), grants: [.made(at: .start)])
        expect(.outstanding, of: app, endsAfter: seconds * 1_000)
        app.state.record.grants[0] = .made(at: .start - 999)
        app.state.record.grants[0].shownAt = Stamp(.start)
        expect(.outstanding, of: app, endsAfter: seconds * 1_000)
    }

    @Test func `once per version counts every grant ever, whatever came between`() {
        let grants = ["1.0", "2.0", "3.0"].map {
            Grant.made(at: .start - 9 * year, version: Version(stringLiteral: $0), outcome: .failed)
        }
        var app = app(.open([.oncePerVersion: true]), grants: grants)
        for (version, blocks) in [("1.0", true), ("2.0", true), ("3.0", true), ("3", false)] {
            app.version = Version(stringLiteral: version)
            #expect(isRefused(app, by: .version) == blocks)
        }
        app.policy = .open()
        app.version = "1.0"
        #expect(app.refusals == [])
    }

    @Test func `flags block until somebody changes them`() {
        #expect(isRefused(App(.open([.enabled: false])), by: .disabled))
        #expect(isRefused(App(.open([.userEnabled: false])), by: .disabled))
        var app = App(.open())
        app.state.record.isOptedOut = true
        #expect(isRefused(app, by: .optedOut))
        app.state.record.isOptedOut = false
        app.user.isOptedOutOfAll = true
        #expect(isRefused(app, by: .optedOut))
        app.user.isOptedOutOfAll = false
        #expect(!isRefused(app, by: .optedOut))
    }

    @Test func `an agent is needed only where one is wanted`() {
        var app = App(.open())
        app.agentIsThere = false
        #expect(isRefused(app, by: .noAgent))
        app.agentIsThere = true
        #expect(!isRefused(app, by: .noAgent))
    }

    @Test func `every other app's grants count for the user and not for the app`() {
        var app = App(.open([.promptsPerYear: 1, .minIntervalDays: 7, .userMinIntervalDays: 1]))
        app.user.grants = [Stamp(.start)]
        #expect(app.refusals == [.userInterval])
    }

    @Test func `at the ends of the clock nothing traps and nothing is freed`() {
        for now in [.min, .min + 1, -1, 0, .max - 1, .max] as [Int64] {
            for stamp in [.min, -1, 0, .max] as [Int64] {
                var app = App(.standard())
                app.session()
                app.state.record.firstSeen = Stamp(WallTime(milliseconds: stamp))
                app.state.record.grants = [
                    .made(
                        at: WallTime(milliseconds: stamp), outcome: .rated,
                        reportedAt: WallTime(milliseconds: stamp))
                ]
                app.now.wall = WallTime(milliseconds: now)
                #expect(app.refusals.contains(.rated))
                _ = app.eligibility.checks(at: app.now.wall)
                _ = app.nextEligible
            }
        }
    }
}
