import RatingPolicy
import Testing

/// What wrong clocks did to other software.
struct FieldNoteTimeTests {
    private let day: Milliseconds = 86_400_000
    private let year: Milliseconds = 365 * 86_400_000

    /// An app that was prompted once, as often as a year allows.
    private func prompted() -> App {
        var app = App(.open([.promptsPerYear: 1]))
        app.prompt()
        app.pass(60_000)
        return app
    }

    @Test func `a prompt under a clock two years ahead still counts after it is set back`() {
        var app = App(.open([.promptsPerYear: 1]))
        app.now = app.now.clockStepped(by: 2 * year)
        app.prompt()
        let granted = app.now.wall
        app.now = app.now.clockStepped(by: -2 * year)
        #expect(app.state.record.isAhead(of: app.now.wall))
        #expect(app.refusals == [.outstanding, .annualCap])
        #expect(app.nextEligible == granted + year)
        #expect(app.state.record.promptsInWindow(at: app.now.wall) == 1)
        _ = app.eligibility.checks(at: app.now.wall)
    }

    @Test func `set back two years and forward again: the cap is neither reset nor stuck`() {
        var app = prompted()
        let granted = app.state.record.grants[0].grantedAt.first
        app.now = app.now.clockStepped(by: -2 * year)
        #expect(app.refusals.contains(.annualCap))
        app.now = app.now.clockStepped(by: 2 * year)
        #expect(app.refusals == [.annualCap])
        #expect(app.nextEligible == granted + year)
        app.now.wall = granted + year
        #expect(app.refusals == [])
    }

    @Test func `a clock set back never frees anything it held`() {
        var app = App(.standard([.sessionsUntilPrompt: 0, .eventsUntilPrompt: 0]))
        app.session()
        app.pass(8 * day)
        app.prompt()
        app.report(.final(.declined))
        app.pass(day)
        let held = Set(app.refusals)
        for step in [1, day, 8 * day, year, 50 * year] {
            var back = app
            back.now = back.now.clockStepped(by: -step)
            #expect(held.isSubset(of: back.refusals))
        }
    }

    @Test func `after a repair a prompt of the future counts as one of now`() {
        var app = App(.open([.promptsPerYear: 1]))
        app.now = app.now.clockStepped(by: 10 * year)
        app.prompt()
        app.now = app.now.clockStepped(by: -10 * year)
        app.repairClock()
        let repaired = app.now.wall
        #expect(!app.state.record.isAhead(of: repaired))
        #expect(app.nextEligible == repaired + year)
        app.now.wall = repaired + year - 1
        #expect(app.refusals == [.annualCap])
        app.now.wall = repaired + year
        #expect(app.refusals == [])
    }

    @Test func `a repair under a wrong clock frees nothing`() {
        var app = prompted()
        let granted = app.state.record.grants[0].grantedAt.first
        let truth = app.now
        app.now = app.now.clockStepped(by: -5 * year)
        app.repairClock()
        #expect(app.refusals == [.outstanding, .annualCap])
        app.now = truth
        #expect(app.refusals == [.annualCap])
        #expect(app.nextEligible == granted + year)
    }

    @Test func `sleep in the quiet time makes the request stale, not late`() throws {
        var app = App.waiting()
        let pending = try #require(app.state.pending)
        app.pass(1_000)
        app.now = app.now.slept(8 * 3_600_000)
        #expect(app.timePassed() == .nothing)
        app.pass(1_000)
        #expect(app.timePassed() == .cancelled(pending, .stale))
        #expect(app.prompts == 0)
    }
}
