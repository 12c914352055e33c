import RatingPolicy
import Testing

/// What a report does to a grant that is awaited, late, concluded or forgotten.
struct OutcomeTests {
    /// An app that has just been prompted, with ten minutes for the outcome.
    private func prompted() -> App {
        var app = App(.open([.outcomeTimeoutSec: 600]))
        app.prompt()
        return app
    }

    @Test(arguments: Outcome.allCases)
    func `a final outcome is kept with its time, in time or late`(outcome: Outcome) {
        for wait in [0, 599_999, 600_000, 3 * .window] as [Milliseconds] {
            var app = prompted()
            app.pass(wait)
            #expect(app.report(.final(outcome)) == .accepted(.final(outcome)))
            let grant = app.state.record.grants[0]
            #expect(grant.outcome == outcome)
            #expect(grant.outcomeAt == Stamp(app.now.wall))
            #expect(grant.reading(timeout: 600_000, at: app.now.wall) == .ended(outcome))
            #expect(app.state.record.isOptedOut == (outcome == .never))
            #expect(app.state.record.outstanding(timeout: 600_000, at: app.now.wall) == nil)
        }
    }

    @Test(arguments: Outcome.allCases)
    func `the same again changes nothing, another is a conflict`(first: Outcome) {
        var app = prompted()
        app.report(.final(first))
        app.pass(1_000)
        let before = app.state
        for second in Outcome.allCases {
            #expect(
                app.report(.final(second))
                    == (second == first ? .accepted(.final(first)) : .conflict(first)))
            #expect(app.state == before)
        }
        #expect(app.report(.shown) == .conflict(first))
        #expect(app.state == before)
    }

    @Test func `a second report of never after opt_in does not opt out again`() {
        var app = prompted()
        app.report(.final(.never))
        app.state.record.isOptedOut = false
        #expect(app.report(.final(.never)) == .accepted(.final(.never)))
        #expect(!app.state.record.isOptedOut)
    }

    @Test func `shown counts once and one final outcome may follow`() {
        var app = prompted()
        app.pass(100_000)
        #expect(app.report(.shown) == .accepted(.shown))
        let shown = Stamp(app.now.wall)
        app.pass(100_000)
        #expect(app.report(.shown) == .accepted(.shown))
        #expect(app.state.record.grants[0].shownAt == shown)
        #expect(app.report(.final(.later)) == .accepted(.final(.later)))
    }

    @Test(arguments: [599_999, 600_000] as [Milliseconds])
    func `shown in time prolongs the wait, late it changes nothing`(wait: Milliseconds) {
        var app = prompted()
        app.pass(wait)
        let before = app.state
        #expect(app.report(.shown) == .accepted(.shown))
        #expect((app.state == before) == (wait == 600_000))
        app.pass(599_999)
        #expect(app.refusals == (wait == 600_000 ? [] : [.outstanding]))
        app.pass(1)
        #expect(app.refusals == [])
    }

    @Test func `without an outcome it reads unknown after the time-out, and null before`() {
        let app = prompted()
        let grant = app.state.record.grants[0]
        #expect(grant.reading(timeout: 600_000, at: app.now.wall + 599_999) == .awaited)
        #expect(grant.reading(timeout: 600_000, at: app.now.wall + 600_000) == .unknown)
    }

    @Test func `a token of another grant concludes that one`() {
        var app = prompted()
        app.pass(600_000)
        app.prompt()
        #expect(
            app.state.outcomeReported(
                .final(.failed), token: "t1", timeout: 600_000, at: app.now.wall)
                == .accepted(.final(.failed)))
        #expect(app.state.record.grants.map(\.outcome) == [.failed, nil])
        #expect(app.refusals == [.outstanding])
    }

    @Test func `an unconcluded grant counts as outstanding even behind a concluded one`() {
        var app = prompted()
        app.pass(600_000)
        app.prompt()
        app.report(.final(.later))
        #expect(app.refusals == [])
        app.policy = .open([.outcomeTimeoutSec: 86_400])
        #expect(app.refusals == [.outstanding])
        #expect(app.eligibility.outstanding(at: app.now.wall)?.token == "t1")
        #expect(app.nextEligible == .start + 2_000 + .day)
    }

    @Test func `every report has a name, and no other name is one`() {
        let names = ["shown", "rated", "later", "declined", "never", "dismissed", "failed"]
        for name in names {
            #expect(OutcomeReport(name: name)?.name == name)
        }
        for name in ["", "unknown", "Rated", "rated ", "null", "true"] {
            #expect(OutcomeReport(name: name) == nil)
        }
    }
}
