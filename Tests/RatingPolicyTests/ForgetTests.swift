import RatingPolicy
import Testing

struct ForgetTests {
    /// A well-used app with a concluded and, the last, an outstanding grant.
    private func used() -> App {
        var app = App(.open([.outcomeTimeoutSec: 600, .promptsPerYear: 2]))
        app.session()
        app.event("saved", count: 5)
        app.state.record.helloPolicy = HelloPolicy([.promptsPerYear: 2])
        app.prompt()
        app.report(.final(.later))
        app.pass(.day)
        app.version = "2.0"
        app.prompt()
        return app
    }

    @Test func `counters go, wishes and grants stay`() {
        var app = used()
        let grants = app.state.record.grants
        app.state.record.isOptedOut = true
        _ = app.forget(ledger: false)
        var expected = AppRecord()
        expected.helloPolicy = HelloPolicy([.promptsPerYear: 2])
        expected.isOptedOut = true
        expected.grants = grants
        #expect(app.state.record == expected)
    }

    @Test func `with the ledger only times stay, and the token of an outstanding grant`() {
        var app = used()
        let times = app.state.record.grantTimes
        _ = app.forget(ledger: true)
        let record = app.state.record
        #expect(record.grantTimes == times)
        #expect(record.promptedVersions == [])
        #expect(record.outcomeTimes(.later) == [])
        #expect(record.grants.map(\.token) == [nil, "t2"])
        #expect(app.refusals == [.outstanding, .annualCap])
    }

    @Test func `it never frees a cap`() {
        var app = used()
        _ = app.forget(ledger: true)
        app.pass(600_000)
        #expect(app.refusals == [.annualCap])
        app.now.wall = .start + 2_000 + .window - 1
        #expect(app.refusals == [.annualCap])
        app.now.wall = .start + 2_000 + .window
        #expect(app.refusals == [])
    }

    @Test func `never of a forgotten outstanding grant still opts out`() {
        var app = used()
        _ = app.forget(ledger: true)
        #expect(app.report(.final(.never)) == .accepted(.final(.never)))
        #expect(app.state.record.isOptedOut)
        #expect(app.state.record.grants.map(\.token) == [nil, nil])
        #expect(app.state.record.grants.allSatisfy { $0.outcome == nil && $0.outcomeAt == nil })
    }

    @Test(arguments: [Outcome.rated, .later, .declined, .dismissed, .failed])
    func `another outcome of it ends the wait and leaves no trace`(outcome: Outcome) {
        var app = used()
        app.policy = .open([.outcomeTimeoutSec: 600])
        _ = app.forget(ledger: true)
        #expect(app.refusals == [.outstanding])
        #expect(app.report(.final(outcome)) == .accepted(.final(outcome)))
        #expect(app.refusals == [])
        #expect(app.state.record.grants.allSatisfy { $0.outcome == nil && $0.token == nil })
    }

    @Test func `shown of it prolongs the wait`() {
        var app = used()
        app.policy = .open([.outcomeTimeoutSec: 600])
        _ = app.forget(ledger: true)
        app.pass(599_999)
        #expect(app.report(.shown) == .accepted(.shown))
        app.pass(599_999)
        #expect(app.refusals == [.outstanding])
        app.pass(1)
        #expect(app.refusals == [])
    }

    @Test func `after the time-out its token is not found`() {
        var app = used()
        _ = app.forget(ledger: true)
        app.pass(600_000)
        let before = app.state
        #expect(app.report(.final(.never)) == .notFound)
        #expect(app.report(.shown) == .notFound)
        #expect(app.state == before)
    }

    @Test func `forgetting again after the time-out takes the token as well`() {
        var app = used()
        _ = app.forget(ledger: true)
        _ = app.forget(ledger: true)
        #expect(app.state.record.grants.map(\.token) == [nil, "t2"])
        app.pass(600_000)
        _ = app.forget(ledger: true)
        #expect(app.state.record.grants.map(\.token) == [nil, nil])
    }

    @Test func `the version is free again but the interval is not`() {
        var app = App(.open([.oncePerVersion: true, .minIntervalDays: 7]))
        app.prompt()
        app.report(.final(.failed))
        #expect(app.refusals == [.version, .interval])
        _ = app.forget(ledger: true)
        #expect(app.refusals == [.interval])
    }
}
