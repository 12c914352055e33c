import RatingPolicy
import Testing

struct PendingRequestTests {
    private func pending(
        _ wish: RequestWish = RequestWish(), _ policy: Policy = .standard()
    ) -> PendingRequest {
        PendingRequest(
            token: "t", version: "1.0", requester: ClientID(7),
            of: ProcessID(number: 1), wish: wish, policy: policy, at: .start)
    }

    @Test func `without wishes it is as the policy says`() {
        let request = pending(
            RequestWish(), .standard([.debounceMs: 3_000, .onActivity: .onActivity(.restart)]))
        #expect(request.debounce == 3_000)
        #expect(request.onActivity == .restart)
        #expect(!request.asksConfirm)
        #expect(request.delivery == .requester)
        #expect(request.firesIn(at: .start) == 3_000)
    }

    @Test func `what the request says of its own wins`() {
        var wish = RequestWish()
        wish.debounce = 600_000
        wish.onActivity = .cancel
        wish.asksConfirm = true
        wish.delivery = .agent
        let request = pending(
            wish, .standard([.debounceMs: 3_000, .onActivity: .onActivity(.restart)]))
        #expect(request.debounce == 600_000)
        #expect(request.onActivity == .cancel)
        #expect(request.asksConfirm)
        #expect(request.delivery == .agent)
    }

    @Test(arguments: [0, 1, 2_000, 3_000, 600_000] as [Int64])
    func `the quiet time ends exactly after DebounceMs`(debounce: Int64) {
        var app = App.waiting(.open([.debounceMs: .integer(debounce)]))
        if debounce > 0 {
            app.pass(debounce - 1)
            #expect(app.state.pending?.firesIn(at: app.now) == 1)
            #expect(app.timePassed() == .nothing)
            app.pass(1)
        }
        #expect(app.state.pending?.nextDeadline == app.now.monotonic)
        app.timePassed()
        #expect(app.prompts == 1)
    }

    /// With restarts every second the quiet time of 2 s would end at `last` + 2 s.
    @Test(arguments: [(last: 7, prompts: 1), (8, 1), (9, 0)])
    func `restarts keep it waiting for PendingMaxSec and no longer`(last: Int, prompts: Int) {
        var wish = RequestWish()
        wish.onActivity = .restart
        var app = App.waiting(.open([.pendingMaxSec: 10]), wish: wish)
        for _ in 0..<last {
            app.pass(1_000)
            #expect(app.activity() == .restarted)
        }
        let wait = Int64(min(last + 2, 10) - last) * 1_000
        app.pass(wait - 1)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        let pending = app.state.pending
        let progress = app.timePassed()
        if prompts == 0 { #expect(progress == pending.map { .cancelled($0, .stale) }) }
        #expect(app.state.pending == nil)
        #expect(app.prompts == prompts)
    }

    @Test func `a quiet time that ends before the lapse counts even if seen after both`() {
        var wish = RequestWish()
        wish.onActivity = .restart
        var app = App.waiting(.open([.pendingMaxSec: 10]), wish: wish)
        app.pass(7_000)
        _ = app.activity()
        app.pass(4_000)
        app.timePassed()
        #expect(app.prompts == 1)
    }

    @Test func `without a restart a long quiet time does not lapse`() {
        var app = App.waiting(.open([.pendingMaxSec: 1, .debounceMs: 600_000]))
        app.pass(599_999)
        #expect(app.timePassed() == .nothing)
        app.pass(1)
        app.timePassed()
        #expect(app.prompts == 1)
    }

    @Test func `a restart out of confirm past the lapse is stale at once`() {
        var app = App.confirming(.open([.pendingMaxSec: 3]), onActivity: .restart)
        app.pass(1_500)
        _ = app.activity()
        let pending = app.state.pending
        #expect(app.timePassed() == pending.map { .cancelled($0, .stale) })
        #expect(app.prompts == 0)
    }

    @Test(arguments: [-1, 0, 1] as [Int64])
    func `milliseconds left are rounded up and never negative`(nanoseconds: Int64) {
        let now = SteadyTime(nanoseconds: 5_000_000)
        #expect(
            SteadyTime(nanoseconds: 6_000_000 + nanoseconds).millisecondsLeft(from: now)
                == (nanoseconds > 0 ? 2 : 1))
        #expect(
            SteadyTime(nanoseconds: 5_000_000 + nanoseconds).millisecondsLeft(from: now)
                == max(0, nanoseconds))
    }

    @Test func `steady times stop at the end of the range`() {
        let end = SteadyTime(nanoseconds: .max)
        #expect(SteadyTime(nanoseconds: 1).adding(.max) == end)
        #expect(end.adding(1) == end)
        #expect(end.millisecondsLeft(from: SteadyTime(nanoseconds: .min)) == .max)
    }

    @Test func `every reason has its name on the wire, and only ineligible has rules`() {
        let reasons: [(CancelReason, String)] = [
            (.activity, "activity"), (.superseded, "superseded"), (.cancelled, "cancelled"),
            (.disconnected, "disconnected"), (.ineligible([.days]), "ineligible"),
            (.declinedByApp, "declined_by_app"), (.confirmTimeout, "confirm_timeout"),
            (.stale, "stale"), (.noAgent, "no_agent"),
            (.storageUnavailable, "storage_unavailable"), (.shuttingDown, "shutting_down"),
        ]
        for (reason, name) in reasons {
            #expect(reason.name == name)
            #expect(reason.rules == (name == "ineligible" ? [.days] : []))
        }
    }
}
