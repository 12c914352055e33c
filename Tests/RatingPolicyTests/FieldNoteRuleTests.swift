import RatingPolicy
import Testing

/// What went wrong in other software's rules and arithmetic.
struct FieldNoteRuleTests {
    private let day: Milliseconds = 86_400_000

    @Test func `an update after nine of ten days does not start the days anew`() {
        var app = App(.open([.daysUntilPrompt: 10]))
        app.session()
        app.pass(9 * day)
        app.version = "2.0"
        app.session()
        #expect(app.refusals == [.days])
        #expect(app.nextEligible == .start + 10 * day)
        app.pass(day)
        #expect(app.refusals == [])
    }

    @Test func `a new version and later do not ask at every start`() {
        var app = App(.open([.daysAfterLater: 14, .oncePerVersion: true]))
        app.prompt()
        app.version = "2.0"
        app.pass(100 * day)
        app.prompt()
        app.report(.final(.later))
        for _ in 0..<10 {
            app.version = "3.0"
            app.session()
            #expect(app.request() == .refused([.later]))
            app.pass(day)
        }
        #expect(app.prompts == 2)
    }

    @Test func `versions have no order`() {
        var app = App(.open([.oncePerVersion: true]))
        for version in ["4.9.10", "4.9.9", "1.0", "1.0.0", "01.0", "1.0 "] as [Version] {
            app.version = version
            app.pass(day)
            #expect(app.prompt() == true)
            app.pass(day)
            #expect(app.refusals == [.version])
        }
    }

    @Test(arguments: [24, 25, 50, 365, 36_500] as [Int64])
    func `an interval of days does not overflow and ask at once`(days: Int64) {
        var app = App(.open([.minIntervalDays: .integer(days)]))
        app.prompt()
        let granted = app.now.wall
        for elapsed in [1, 3_600_000, 2_134_967_296, 2_147_483_648, 4_294_967_296, days * day - 1]
        where elapsed < days * day {
            app.now.wall = granted + elapsed
            #expect(app.refusals.contains(.interval))
            #expect(app.nextEligible == granted + days * day)
        }
        #expect(PolicyKey.minIntervalDays.value(from: "36501") == nil)
    }

    @Test func `thirty days are no timer of a millisecond`() {
        var app = App(.open([.minIntervalDays: 30]))
        app.prompt()
        let granted = app.now.wall
        app.pass(3_600_000)
        #expect(app.nextEligible == granted + 2_592_000_000)
        let wait = 36_500 * day
        let now = SteadyTime(nanoseconds: 1 << 60)
        #expect(now.adding(wait).millisecondsLeft(from: now) == wait)
    }

    @Test func `a developer learns the quota and when it is free again`() {
        var app = App(.open([.promptsPerYear: 2]))
        app.prompt()
        let first = app.now.wall
        app.pass(day)
        app.prompt()
        app.pass(day)
        #expect(app.request() == .refused([.annualCap]))
        #expect(app.nextEligible == first + 365 * day)
    }

    @Test func `after a series of date jumps it still fires`() {
        var app = App(.open([.sessionsUntilPrompt: 7, .daysUntilPrompt: 6]))
        for step in 0..<7 {
            app.session()
            #expect((app.refusals == []) == (step == 6))
            app.now = app.now.clockStepped(by: day)
        }
    }

    @Test func `days of 23 or 25 local hours are days of 24`() {
        // 2026-10-25 and 2027-03-28, in whose nights clocks in Berlin change.
        for change in [1_792_890_000_000, 1_806_195_600_000] as [Int64] {
            var app = App(.open([.daysUntilPrompt: 7]))
            app.now.wall = WallTime(milliseconds: change - 3 * day)
            app.session()
            app.now.wall = WallTime(milliseconds: change + 4 * day - 1)
            #expect(app.refusals == [.days])
            app.now.wall = WallTime(milliseconds: change + 4 * day)
            #expect(app.refusals == [])
        }
    }

    @Test func `every outcome and none at all leaves its trace`() {
        for outcome in [nil] + Outcome.allCases.map(Optional.some) {
            var app = App(.standard([.daysUntilPrompt: 0, .sessionsUntilPrompt: 0]))
            app.event(count: 10)
            app.prompt()
            if let outcome { app.report(.final(outcome)) }
            app.pass(600_000)
            #expect(app.prompts == 1)
            #expect(
                app.state.record.grants[0].reading(timeout: 600_000, at: app.now.wall)
                    == outcome.map { .ended($0) } ?? .unknown)
            #expect(app.refusals.contains(.version) && app.refusals.contains(.interval))
        }
    }

    @Test func `closing with X is remembered`() {
        var app = App(.open([.minIntervalDays: 7, .oncePerVersion: true, .outcomeTimeoutSec: 600]))
        app.prompt()
        app.pass(600_000)
        for _ in 0..<4 {
            #expect(app.request() == .refused([.version, .interval]))
            app.pass(6 * 3_600_000)
        }
    }

    @Test func `a veto costs nothing`() {
        var app = App.confirming(
            .standard([
                .daysUntilPrompt: 0, .sessionsUntilPrompt: 0, .eventsUntilPrompt: 0,
            ]))
        _ = app.answer(false)
        #expect(app.state.record == AppRecord())
        #expect(app.request() == .pending(superseded: nil))
    }

    @Test func `one of the thresholds at zero does not switch off the other`() {
        var app = App(.open([.sessionsUntilPrompt: 0, .eventsUntilPrompt: 5]))
        for _ in 0..<5 {
            #expect(app.refusals == [.events])
            app.event()
        }
        #expect(app.refusals == [])
    }

    @Test func `all conditions must hold, not one of them`() {
        let conditions: [(Rule, (inout App) -> Void)] = [
            (.sessions, { $0.state.record.sessions = 3 }),
            (.events, { $0.state.record.events[.significant] = 10 }),
            (.event("saved"), { $0.state.record.events["saved"] = 1 }),
            (.days, { $0.state.record.firstSeen = Stamp(.start - 7 * .day) }),
        ]
        for mask in 0..<16 {
            var app = App(.standard(needs: ["saved": 1]))
            var missing: [Rule] = []
            for (bit, condition) in conditions.enumerated() {
                if mask >> bit & 1 == 1 { condition.1(&app) } else { missing.append(condition.0) }
            }
            #expect(app.refusals == missing)
        }
    }

    @Test func `no wish of a request skips a rule`() {
        for debounce in [nil, 0, 600_000] as [Milliseconds?] {
            for reaction in [nil, OnActivity.cancel, .restart] {
                for confirm in [false, true] {
                    for delivery in [Delivery.requester, .agent] {
                        var app = App(.open([.promptsPerYear: 0]))
                        app.wish.debounce = debounce
                        app.wish.onActivity = reaction
                        app.wish.asksConfirm = confirm
                        app.wish.delivery = delivery
                        #expect(app.request() == .refused([.annualCap]))
                        #expect(app.state == AppState())
                    }
                }
            }
        }
    }

    @Test func `no hello frees what files forbid`() {
        var wishes = HelloPolicy([
            .enabled: true, .userEnabled: true, .oncePerVersion: false, .minIntervalDays: 0,
            .promptsPerYear: 12, .daysAfterLater: 0, .daysAfterDeclined: 0, .daysAfterRated: 0,
            .userMinIntervalDays: 0, .userPromptsPerYear: 365, .allowDebug: true,
        ])
        wishes.needs = ["saved": 0]
        let files = PolicyLayer(
            [.enabled: false, .userEnabled: false, .promptsPerYear: 1], needs: ["saved": 1])
        let policy = Policy(general: files, hello: wishes)
        #expect(!policy.isEnabled && !policy.isUserEnabled && policy.isOncePerVersion)
        #expect(policy.promptsPerYear == 1)
        #expect(policy.minIntervalDays == 7)
        #expect(policy.needs.map(\.need.value) == [1])
        #expect(!policy.allowsDebug)
        #expect(policy.clamped(wishes).count == 12)
    }

    @Test func `switching windows for five minutes is one session`() {
        var app = App()
        for _ in 0..<40 {
            app.session()
            app.pass(7_500)
        }
        #expect(app.state.record.sessions == 1)
    }

    @Test func `sessions at 0, 5:59 and 12:00 under a gap of six hours are two`() {
        var app = App(.standard([.sessionGapSec: 21_600]))
        for minutes in [0, 359, 720] as [Int64] {
            app.now.wall = .start + minutes * 60_000
            app.session()
        }
        #expect(app.state.record.sessions == 2)
    }

    @Test func `a dialog opened during the wait costs nothing`() throws {
        var app = App.waiting()
        let record = app.state.record
        let pending = try #require(app.state.pending)
        let well = app.policy
        app.policy = .open([.enabled: false])
        app.pass(2_000)
        #expect(app.timePassed() == .cancelled(pending, .ineligible([.disabled])))
        #expect(app.state.record == record)
        app.policy = well
        #expect(app.prompt() == true)
    }

    @Test(arguments: [PolicyKey.enabled, .userEnabled])
    func `switched off means no prompt at all, and counters go on`(key: PolicyKey) {
        var app = App(.open([key: false]))
        for _ in 0..<20 {
            app.session()
            app.event()
            app.pass(day)
            #expect(app.request() == .refused([.disabled]))
        }
        #expect(app.state.record.sessions == 20)
        #expect(app.state.record.eventsTotal == 20)
        #expect(app.nextEligible == nil)
    }

    @Test func `a thousand looks change nothing`() {
        var app = App()
        app.session()
        app.event(count: 4)
        let before = app.state
        let refusals = app.refusals
        let next = app.nextEligible
        for _ in 0..<1_000 {
            _ = app.eligibility.checks(at: app.now.wall)
            _ = app.state.record.outstanding(timeout: 1, at: app.now.wall)
        }
        #expect(app.state == before)
        #expect(app.refusals == refusals)
        #expect(app.nextEligible == next)
    }
}
