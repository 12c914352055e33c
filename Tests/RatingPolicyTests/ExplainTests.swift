import RatingPolicy
import Testing

/// What `explain` shows of the rules.
struct ExplainTests {
    private let day: Milliseconds = 86_400_000

    @Test func `rules stand in one order, with events by name and the agent last`() {
        var app = App(.open(needs: ["z": 1, "e\u{301}": 1, "\u{E9}": 1, "B": 1]))
        let names = [
            "disabled", "opted_out", "outstanding", "sessions", "events", "event:B",
            "event:e\u{301}", "event:z", "event:\u{E9}", "days", "version", "interval",
            "annual_cap", "user_interval", "user_cap", "later", "declined", "rated",
        ]
        #expect(
            app.eligibility.rules.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
        #expect(app.eligibility.checks(at: .start).map(\.rule) == app.eligibility.rules)
        app.agentIsThere = true
        #expect(app.eligibility.rules.map(\.name) == names + ["no_agent"])
    }

    @Test func `an app never seen has zeros, and nothing where nothing was`() {
        let app = App(.standard(needs: ["saved": 2]))
        #expect(
            app.eligibility.checks(at: .start) == [
                RuleCheck(.disabled, holds: true, have: .flag(true), need: .flag(true)),
                RuleCheck(.optedOut, holds: true, have: .flag(false), need: .flag(false)),
                RuleCheck(.outstanding, holds: true, have: .flag(false), need: .flag(false)),
                RuleCheck(.sessions, holds: false, have: .count(0), need: .count(3)),
                RuleCheck(.events, holds: false, have: .count(0), need: .count(10)),
                RuleCheck(.event("saved"), holds: false, have: .count(0), need: .count(2)),
                RuleCheck(.days, holds: false, have: .count(0), need: .count(7)),
                RuleCheck(.version, holds: true, have: .flag(false), need: .flag(false)),
                RuleCheck(.interval, holds: true, have: .nothing, need: .count(7)),
                RuleCheck(.annualCap, holds: true, have: .count(0), need: .count(3)),
                RuleCheck(.userInterval, holds: true, have: .nothing, need: .count(1)),
                RuleCheck(.userCap, holds: true, have: .count(0), need: .count(12)),
                RuleCheck(.later, holds: true, have: .nothing, need: .count(14)),
                RuleCheck(.declined, holds: true, have: .nothing, need: .count(90)),
                RuleCheck(.rated, holds: true, have: .nothing, need: .count(365)),
            ])
    }

    @Test func `time rules say when they will hold, in whole days what there is`() {
        var app = App(.standard([.promptsPerYear: 1, .userPromptsPerYear: 1]))
        app.session()
        app.state.record.grants = [.made(at: .start, outcome: .later)]
        app.user.grants = [Stamp(.start)]
        app.now.wall = .start + day - 1
        let checks = app.eligibility.checks(at: app.now.wall)
        #expect(
            checks.filter { $0.at != nil } == [
                RuleCheck(
                    .days, holds: false, have: .count(0), need: .count(7), at: .start + 7 * day),
                RuleCheck(
                    .interval, holds: false, have: .count(0), need: .count(7),
                    at: .start + 7 * day),
                RuleCheck(
                    .annualCap, holds: false, have: .count(1), need: .count(1),
                    at: .start + 365 * day),
                RuleCheck(
                    .userInterval, holds: false, have: .count(0), need: .count(1),
                    at: .start + day),
                RuleCheck(
                    .userCap, holds: false, have: .count(1), need: .count(1),
                    at: .start + 365 * day),
                RuleCheck(
                    .later, holds: false, have: .count(0), need: .count(14),
                    at: .start + 14 * day),
            ])
        app.now.wall = .start + day
        let check = app.eligibility.checks(at: app.now.wall)[9]
        #expect(
            check == RuleCheck(.userInterval, holds: true, have: .count(1), need: .count(1)))
    }

    @Test func `an outstanding prompt says until when`() {
        var app = App(.open([.outcomeTimeoutSec: 600]))
        app.prompt()
        #expect(
            app.eligibility.checks(at: app.now.wall)[2]
                == RuleCheck(
                    .outstanding, holds: false, have: .flag(true), need: .flag(false),
                    at: app.now.wall + 600_000))
    }

    @Test func `rated with too little time or the same version`() {
        var app = App(.open([.daysAfterRated: 30]))
        app.state.record.grants = [.made(at: .start, version: "1.0", outcome: .rated)]
        app.now.wall = .start + 30 * day
        app.version = "2.0"
        #expect(
            app.eligibility.checks(at: app.now.wall).last
                == RuleCheck(
                    .rated, holds: false, have: .count(30), need: .count(30),
                    at: .start + 30 * day + 1))
        app.version = "1.0"
        #expect(
            app.eligibility.checks(at: app.now.wall).last
                == RuleCheck(.rated, holds: false, have: .count(30), need: .count(30)))
        app.policy = .open([.daysAfterRated: -1])
        #expect(
            app.eligibility.checks(at: app.now.wall).last
                == RuleCheck(.rated, holds: false, have: .count(30), need: .count(-1)))
    }

    @Test func `flags that block have no time`() {
        var app = App(.open([.enabled: false]))
        app.state.record.isOptedOut = true
        app.agentIsThere = false
        let blocked = app.eligibility.checks(at: .start).filter { !$0.holds }
        #expect(
            blocked == [
                RuleCheck(.disabled, holds: false, have: .flag(false), need: .flag(true)),
                RuleCheck(.optedOut, holds: false, have: .flag(true), need: .flag(false)),
                RuleCheck(.noAgent, holds: false, have: .flag(false), need: .flag(true)),
            ])
    }

    @Test func `a version that had its prompt blocks, unless once per version is off`() {
        var app = App(.open([.oncePerVersion: true]))
        app.state.record.grants = [.made(at: .start, outcome: .failed)]
        let check = app.eligibility.checks(at: .start)[6]
        #expect(check == RuleCheck(.version, holds: false, have: .flag(true), need: .flag(false)))
        app.policy = .open()
        #expect(app.eligibility.checks(at: .start)[6].holds)
    }

    @Test func `versions that had a prompt are listed once, in order`() {
        var record = AppRecord()
        record.grants = ["2", "1", "2", "3"].map {
            .made(at: .start, version: Version(stringLiteral: $0))
        }
        record.grants[3].version = nil
        #expect(record.promptedVersions == ["2", "1"])
    }

    @Test func `prompts in the window leave at exactly 365 days`() {
        var record = AppRecord()
        record.grants = [.made(at: .start), .made(at: .start + 1), .made(at: .start + 9)]
        #expect(record.promptsInWindow(at: .start + 365 * day - 1) == 3)
        #expect(record.promptsInWindow(at: .start + 365 * day) == 2)
        #expect(record.promptsInWindow(at: .start + 365 * day + 1) == 1)
        #expect(record.promptsInWindow(at: .start - 365 * day) == 3)
    }

    @Test func `where a value comes from`() {
        #expect(PolicySource.standard.text == "default")
        #expect(PolicySource.hello.text == "hello")
        #expect(PolicySource.file("/etc/x.conf").text == "/etc/x.conf")
    }
}
