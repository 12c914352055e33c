import RatingPolicy
import TestSupport
import Testing

/// What went wrong in other software that asks for ratings, as far as the rules alone can show it.
struct FieldNotePromptTests {
    @Test func `increments while the alert is up raise no further alert`() {
        var app = App(.standard([.daysUntilPrompt: 0, .sessionsUntilPrompt: 0]))
        app.event(count: 10)
        app.prompt()
        for _ in 0..<20 {
            app.event()
            app.pass(10)
            app.prompt()
        }
        #expect(app.prompts == 1)
    }

    @Test func `two finishing tasks ask 0.3 s apart and one prompt comes`() {
        var app = App(.open([.outcomeTimeoutSec: 600]))
        app.request()
        app.pass(300)
        app.request()
        for _ in 0..<50 {
            app.pass(100)
            app.timePassed()
        }
        #expect(app.state.record.grants.map(\.token) == ["t2"])
    }

    @Test(arguments: [Outcome.rated, .later, .declined, .never, .dismissed])
    func `an outcome counts for a request in the same instant`(outcome: Outcome) {
        let rule: [Outcome: Rule] = [
            .rated: .rated, .later: .later, .declined: .declined, .never: .optedOut,
            .dismissed: .later,
        ]
        var app = App(
            .open([.daysAfterLater: 14, .daysAfterDeclined: 90, .daysAfterRated: 365]))
        app.prompt()
        app.report(.final(outcome))
        #expect(app.request() == .refused(rule[outcome].map { [$0] } ?? []))
    }

    @Test func `eight windows that start together make one prompt`() {
        var app = App(.standard([.daysUntilPrompt: 0, .eventsUntilPrompt: 0]))
        app.state.record.sessions = 2
        var superseded = 0
        for _ in 0..<8 {
            app.session()
            if case .pending(.some) = app.request() { superseded += 1 }
        }
        app.pass(2_000)
        app.timePassed()
        #expect(app.state.record.sessions == 3)
        #expect(app.prompts == 1)
        #expect(superseded == 7)
    }

    @Test func `two windows with fifty launches each are a hundred`() {
        var app = App(.standard([.sessionGapSec: 0]))
        for _ in 0..<100 { app.session() }
        #expect(app.state.record.sessions == 100)
    }

    @Test func `coming back after a pause sees the prompt already shown`() {
        var app = App(.open([.outcomeTimeoutSec: 600]))
        app.prompt()
        app.pass(300_000)
        var back = App(app.policy)
        back.state = AppState(record: app.state.record)
        back.now = app.now
        #expect(back.request() == .refused([.outstanding]))
    }

    @Test func `changing the configuration ten times raises no alert`() {
        var app = App.waiting()
        for change in 0..<10 as Range<Int64> {
            app.pass(100)
            app.policy = .open([.debounceMs: .integer(change), .sessionGapSec: .integer(change)])
            #expect(app.timePassed() == .nothing)
        }
        app.pass(1_000)
        app.timePassed()
        app.timePassed()
        #expect(app.prompts == 1)
    }

    @Test func `three increments are three, ten thousand are ten thousand`() {
        var app = App()
        for _ in 0..<3 { app.event() }
        #expect(app.state.record.eventsTotal == 3)
        for _ in 0..<10_000 { app.event() }
        #expect(app.state.record.eventsTotal == 10_003)
    }

    @Test func `whatever the interleaving, the total is the sum of what was accepted`() {
        var random = Seeded(Seeded.seed(of: "interleaving"))
        var app = App(.standard([.sessionGapSec: 0]))
        var sums: [EventName: Int64] = [:]
        var sessions: Int64 = 0
        for _ in 0..<2_000 {
            app.pass(random.number(0...10_000))
            if random.isTrue(oneIn: 3) {
                app.session()
                sessions += 1
            } else {
                let name: EventName = random.pick(["a", "b", "é", "e\u{301}"])
                let count: Int64 = random.number(1...10_000)
                app.event(name, count: count)
                sums[name, default: 0] += count
            }
            if random.isTrue(oneIn: 20) { app.state = AppState(record: app.state.record) }
        }
        let counted = app.state.record.events.entries.map { ($0.name, $0.count.value) }
        #expect(Dictionary(uniqueKeysWithValues: counted) == sums)
        #expect(app.state.record.eventsTotal.value == sums.values.reduce(0, +))
        #expect(app.state.record.sessions.value == sessions)
    }

    @Test func `every path to a prompt goes through the ledger`() {
        for delivery in [Delivery.requester, .agent] {
            for confirm in [false, true] {
                var app = App(.open())
                app.agentIsThere = delivery == .agent ? true : nil
                app.wish.delivery = delivery
                app.wish.asksConfirm = confirm
                app.prompt()
                #expect(app.prompts == (confirm ? 0 : 1))
                if confirm { _ = app.answer(true) }
                #expect(app.state.record.grants.map(\.token) == ["t1"])
            }
        }
    }
}
