import RatingPolicy
import Testing

/// Every input while no request is pending.
struct AppStateIdleTests {
    @Test func `time does nothing`() {
        var app = App(.open())
        app.pass(365 * .day)
        let before = app.state
        #expect(app.timePassed() == .nothing)
        #expect(app.state == before)
    }

    @Test func `activity does nothing`() {
        var app = App(.open())
        let before = app.state
        #expect(app.activity() == .nothing)
        #expect(app.state == before)
    }

    @Test(arguments: [true, false])
    func `an answer nobody asked for does nothing`(isYes: Bool) {
        var app = App(.open())
        let before = app.state
        #expect(app.answer(isYes) == .nothing)
        #expect(app.state == before)
    }

    @Test func `there is nothing to end`() {
        var app = App(.open())
        #expect(app.state.endPending() == nil)
        #expect(app.forget(ledger: true) == nil)
    }

    @Test func `an eligible request becomes pending and changes no record`() {
        var app = App(.open())
        let record = app.state.record
        #expect(app.request() == .pending(superseded: nil))
        #expect(app.state.pending?.token == "t1")
        #expect(app.state.record == record)
    }

    @Test func `a refused request changes nothing and tells every rule in order`() {
        var app = App(.standard(needs: ["z": 1, "a": 2]))
        let before = app.state
        #expect(
            app.request()
                == .refused([.sessions, .events, .event("a"), .event("z"), .days]))
        #expect(app.state == before)
    }

    @Test func `a session makes the record`() {
        var app = App()
        #expect(app.session() == true)
        let record = app.state.record
        #expect(record.sessions == 1)
        #expect(record.firstSeen == Stamp(.start))
        #expect(record.lastSeen == Stamp(.start))
        #expect(record.version == "1.0")
    }

    @Test func `a session without a version keeps the one that is known`() {
        var app = App()
        app.session()
        _ = app.state.sessionReported(version: nil, gap: 0, at: app.now.wall)
        #expect(app.state.record.version == "1.0")
        _ = app.state.sessionReported(version: "2.0", gap: 0, at: app.now.wall)
        #expect(app.state.record.version == "2.0")
    }

    @Test func `an event makes the record, and later ones leave first seen alone`() {
        var app = App()
        app.event("saved", count: 3)
        app.pass(.day)
        app.event("opened", count: 10_000)
        let record = app.state.record
        #expect(record.events == ["saved": 3, "opened": 10_000])
        #expect(record.eventsTotal == 10_003)
        #expect(record.firstSeen == Stamp(.start))
        #expect(record.lastSeen == Stamp(.start + .day))
        #expect(record.sessions == 0)
    }

    @Test func `one name more than the limit is refused, a known one never`() {
        var state = AppState()
        let first = state.eventReported("a", count: 1, namesMax: 2, at: .start)
        let second = state.eventReported("b", count: 1, namesMax: 2, at: .start)
        #expect(first?.ofName == 1 && second?.ofName == 1 && second?.ofAll == 2)
        let before = state
        let third = state.eventReported("c", count: 1, namesMax: 2, at: .start + 1)
        #expect(third == nil)
        #expect(state == before)
        let known = state.eventReported("b", count: 1, namesMax: 2, at: .start)
        #expect(known?.ofName == 2 && known?.ofAll == 3)
        #expect(state.record.events["b"] == 2)
    }

    @Test func `an outcome of no grant is not found`() {
        var app = App(.open())
        let before = app.state
        #expect(
            app.state.outcomeReported(
                .final(.rated), token: "nobody", timeout: 1, at: .start) == .notFound)
        #expect(app.state == before)
    }
}
