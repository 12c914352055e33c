import RatingPolicy
import Testing

/// Every input while the app is asked for `confirm`, for which it has 2 s.
struct AppStateConfirmTests {
    @Test func `sessions and events do not disturb it`() {
        var app = App.confirming()
        let pending = app.state.pending
        app.session()
        app.event()
        #expect(app.state.pending == pending)
    }

    @Test func `yes is granted`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.pass(1_999)
        #expect(app.answer(true) == .granted(pending))
        #expect(app.state.pending == nil)
        #expect(app.state.record.grants.map(\.grantedAt) == [Stamp(app.now.wall)])
        #expect(app.answer(true) == .nothing)
        #expect(app.prompts == 1)
    }

    @Test func `no ends it and consumes nothing`() throws {
        var app = App.confirming()
        let record = app.state.record
        let pending = try #require(app.state.pending)
        #expect(app.answer(false) == .cancelled(pending, .declinedByApp))
        #expect(app.state.pending == nil)
        #expect(app.state.record == record)
    }

    @Test func `yes under rules that hold no longer is ineligible`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.state.record.isOptedOut = true
        #expect(app.answer(true) == .cancelled(pending, .ineligible([.optedOut])))
        #expect(app.prompts == 0)
    }

    @Test func `no under rules that hold no longer is still no`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.state.record.isOptedOut = true
        #expect(app.answer(false) == .cancelled(pending, .declinedByApp))
    }

    @Test func `yes after the last agent left is no_agent`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.agentIsThere = false
        #expect(app.answer(true) == .cancelled(pending, .noAgent))
    }

    @Test(arguments: [true, false])
    func `an answer at the time-out is too late`(isYes: Bool) throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.pass(2_000)
        #expect(app.answer(isYes) == .cancelled(pending, .confirmTimeout))
        #expect(app.prompts == 0)
    }

    @Test(arguments: [true, false])
    func `an answer after a sleep is stale`(isYes: Bool) throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.pass(1_000)
        app.now = app.now.slept(1_000 + 5_001)
        #expect(app.answer(isYes) == .cancelled(pending, .stale))
    }

    @Test func `yes after a sleep of five seconds is in time`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.pass(1_000)
        app.now = app.now.slept(1_000 + 5_000)
        #expect(app.answer(true) == .granted(pending))
    }

    @Test func `one millisecond before the time-out nothing happens`() {
        var app = App.confirming()
        let before = app.state
        app.pass(1_999)
        #expect(app.timePassed() == .nothing)
        #expect(app.state == before)
    }

    @Test func `no answer in time is no`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.pass(2_000)
        #expect(app.timePassed() == .cancelled(pending, .confirmTimeout))
        #expect(app.state.pending == nil)
        #expect(app.prompts == 0)
    }

    @Test func `a sleep past the time-out is stale`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        app.pass(2_000)
        app.now = app.now.slept(5_001)
        #expect(app.timePassed() == .cancelled(pending, .stale))
    }

    @Test(arguments: [100, 60_000] as [Int64])
    func `the time-out is the one of the policy`(timeout: Int64) {
        var app = App.confirming(.open([.confirmTimeoutMs: .integer(timeout)]))
        app.pass(timeout - 1)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        app.timePassed()
        #expect(app.state.pending == nil)
    }

    @Test func `activity cancels it`() throws {
        var app = App.confirming()
        let pending = try #require(app.state.pending)
        #expect(app.activity() == .cancelled(pending))
        #expect(app.answer(true) == .nothing)
        #expect(app.prompts == 0)
    }

    @Test func `activity restarts the quiet time, and the old question counts no more`() {
        var app = App.confirming(onActivity: .restart)
        app.pass(1_000)
        #expect(app.activity() == .restarted)
        #expect(app.answer(true) == .nothing)
        app.pass(1_999)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        guard case .asksConfirm = app.timePassed() else {
            Issue.record("confirm was not asked again")
            return
        }
        #expect(app.prompts == 0)
    }

    @Test func `a newer request supersedes it`() throws {
        var app = App.confirming()
        let older = try #require(app.state.pending)
        #expect(app.request() == .pending(superseded: older))
        #expect(app.answer(true) == .nothing)
        #expect(app.prompts == 0)
    }

    @Test func `a refused request leaves it as it is`() {
        var app = App.confirming()
        let pending = app.state.pending
        app.policy = .open([.userEnabled: false])
        #expect(app.request() == .refused([.disabled]))
        #expect(app.state.pending == pending)
    }

    @Test func `it can be ended from outside or forgotten`() {
        var app = App.confirming()
        var forgotten = app
        let pending = app.state.pending
        #expect(app.state.endPending() == pending)
        #expect(forgotten.forget(ledger: false) == pending)
        #expect(app.state.pending == nil && forgotten.state.pending == nil)
    }

    @Test func `steps of the wall clock do not touch the time-out`() {
        var app = App.confirming()
        app.now = app.now.clockStepped(by: 3 * .window)
        #expect(app.timePassed() == .nothing)
        app.pass(1_999)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        #expect(app.timePassed() != .nothing)
    }
}
