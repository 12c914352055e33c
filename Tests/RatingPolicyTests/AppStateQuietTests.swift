import RatingPolicy
import Testing

/// Every input while a request waits out its quiet time of 2 s.
struct AppStateQuietTests {
    private static func wish(
        _ reaction: OnActivity = .cancel, confirm: Bool = false, delivery: Delivery = .requester
    ) -> RequestWish {
        var wish = RequestWish()
        wish.onActivity = reaction
        wish.asksConfirm = confirm
        wish.delivery = delivery
        return wish
    }

    @Test func `sessions and events do not disturb it`() {
        var app = App.waiting()
        let pending = app.state.pending
        app.pass(1_999)
        app.session()
        app.event()
        #expect(app.state.pending == pending)
        app.pass(1)
        app.timePassed()
        #expect(app.prompts == 1)
    }

    @Test func `activity cancels it and consumes nothing`() throws {
        var app = App.waiting()
        let record = app.state.record
        let pending = try #require(app.state.pending)
        app.pass(1_999)
        #expect(app.activity() == .cancelled(pending))
        #expect(app.state.pending == nil)
        app.pass(1)
        #expect(app.timePassed() == .nothing)
        #expect(app.state.record == record)
    }

    @Test func `activity restarts it for one more full quiet time`() {
        var app = App.waiting(wish: Self.wish(.restart))
        app.pass(1_999)
        #expect(app.activity() == .restarted)
        #expect(app.state.pending?.firesIn(at: app.now) == 2_000)
        app.pass(1_999)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        app.timePassed()
        #expect(app.prompts == 1)
    }

    @Test func `a newer request supersedes it and waits anew`() throws {
        var app = App.waiting()
        let older = try #require(app.state.pending)
        app.pass(1_999)
        #expect(app.request() == .pending(superseded: older))
        #expect(app.state.pending?.token == "t2")
        app.pass(1_999)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        app.timePassed()
        #expect(app.state.record.grants.map(\.token) == ["t2"])
    }

    @Test func `a refused request leaves it as it is`() {
        var app = App.waiting()
        let pending = app.state.pending
        app.pass(1_000)
        app.policy = .open([.enabled: false])
        #expect(app.request() == .refused([.disabled]))
        #expect(app.state.pending == pending)
    }

    @Test(arguments: [true, false])
    func `an answer before confirm was asked does nothing`(isYes: Bool) {
        var app = App.waiting(wish: Self.wish(confirm: true))
        let before = app.state
        #expect(app.answer(isYes) == .nothing)
        #expect(app.state == before)
    }

    @Test func `one millisecond early nothing happens`() {
        var app = App.waiting()
        app.pass(1_999)
        let before = app.state
        #expect(app.timePassed() == .nothing)
        #expect(app.state == before)
    }

    @Test(arguments: [0, 1])
    func `in time, or a millisecond after, it is granted`(late: Milliseconds) throws {
        var app = App.waiting()
        let pending = try #require(app.state.pending)
        app.pass(2_000 + late)
        #expect(app.timePassed() == .granted(pending))
        #expect(app.state.pending == nil)
        #expect(
            app.state.record.grants
                == [Grant(grantedAt: Stamp(app.now.wall), token: "t1", version: "1.0")])
        #expect(app.state.record.version == "1.0")
        #expect(app.timePassed() == .nothing)
    }

    @Test func `with confirm it asks first and grants nothing yet`() throws {
        var app = App.waiting(.open([.confirmTimeoutMs: 700]), wish: Self.wish(confirm: true))
        app.pass(2_000)
        guard case .asksConfirm(let asking) = app.timePassed() else {
            Issue.record("confirm was not asked")
            return
        }
        #expect(asking == app.state.pending)
        #expect(asking.phase == .confirming(until: Deadline(after: 700, from: app.now)))
        #expect(asking.firesIn(at: app.now) == 0)
        #expect(app.prompts == 0)
        #expect(app.timePassed() == .nothing)
    }

    @Test(arguments: [false, true])
    func `rules that hold no longer end it, before confirm is asked`(confirm: Bool) throws {
        var app = App.waiting(wish: Self.wish(confirm: confirm))
        let pending = try #require(app.state.pending)
        let record = app.state.record
        app.policy = .open([.sessionsUntilPrompt: 1, .enabled: false])
        app.pass(2_000)
        #expect(app.timePassed() == .cancelled(pending, .ineligible([.disabled, .sessions])))
        #expect(app.state.pending == nil)
        #expect(app.state.record == record)
    }

    @Test func `the last agent gone is a reason of its own`() throws {
        var app = App(.open())
        app.wish = Self.wish(delivery: .agent)
        app.agentIsThere = true
        app.request()
        let pending = try #require(app.state.pending)
        app.agentIsThere = false
        app.pass(2_000)
        #expect(app.timePassed() == .cancelled(pending, .noAgent))
        #expect(app.state.pending == nil)
    }

    @Test func `an agent gone and another rule broken are told together`() throws {
        var app = App(.open())
        app.agentIsThere = true
        app.request()
        let pending = try #require(app.state.pending)
        app.agentIsThere = false
        app.user.isOptedOutOfAll = true
        app.pass(2_000)
        #expect(app.timePassed() == .cancelled(pending, .ineligible([.optedOut, .noAgent])))
    }

    @Test func `five seconds late by boottime is in time, a millisecond more is stale`() throws {
        var app = App.waiting()
        let pending = try #require(app.state.pending)
        app.pass(2_000)
        var slept = app
        app.now = app.now.slept(5_000)
        #expect(app.timePassed() == .granted(pending))
        slept.now = slept.now.slept(5_001)
        #expect(slept.timePassed() == .cancelled(pending, .stale))
        #expect(slept.state.pending == nil)
        #expect(slept.prompts == 0)
    }

    @Test func `a stopped process finds it stale as well`() throws {
        var app = App.waiting()
        let pending = try #require(app.state.pending)
        app.pass(2_000 + 5_001)
        #expect(app.timePassed() == .cancelled(pending, .stale))
    }

    @Test(arguments: [-2 * .window, -1, 1, 2 * .window] as [Milliseconds])
    func `steps of the wall clock neither stretch nor cut it`(step: Milliseconds) {
        var app = App.waiting()
        app.pass(1_999)
        app.now = app.now.clockStepped(by: step)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        app.timePassed()
        #expect(app.prompts == 1)
    }

    @Test func `it can be ended from outside`() {
        var app = App.waiting()
        let pending = app.state.pending
        #expect(app.state.endPending() == pending)
        #expect(app.state.pending == nil)
    }

    @Test(arguments: [false, true])
    func `forgetting ends it`(ledger: Bool) {
        var app = App.waiting()
        let pending = app.state.pending
        #expect(pending != nil)
        #expect(app.forget(ledger: ledger) == pending)
        #expect(app.state.pending == nil)
    }

    @Test func `a late outcome of an older prompt leaves it as it is`() {
        var app = App(.open())
        app.prompt()
        app.pass(.day)
        app.request()
        let pending = app.state.pending
        #expect(app.report(.final(.later)) == .accepted(.final(.later)))
        #expect(app.state.pending == pending)
    }
}
