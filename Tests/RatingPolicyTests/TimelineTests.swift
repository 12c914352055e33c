import RatingPolicy
import Testing

/// A request's life as drawings; `Timeline` says what the letters mean.
struct TimelineTests {
    /// Seconds, under a policy that lets everything pass but for some keys.
    private func seconds(
        _ drawing: String, quiet: Int64 = 2, _ changed: [PolicyKey: PolicyValue] = [:],
        restart: Bool = false, confirm: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var app = App(
            .open([.debounceMs: .integer(quiet * 1_000)].merging(changed) { _, new in new }))
        app.wish.onActivity = restart ? .restart : .cancel
        app.wish.asksConfirm = confirm
        #expect(
            Timeline.play(drawing, unit: .second, app) == drawing, sourceLocation: sourceLocation)
    }

    /// Long units without a quiet time, so that a prompt comes in its request's column.
    private func days(
        _ drawing: String, unit: Int64, _ changed: [PolicyKey: PolicyValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let app = App(.open(changed.merging([.debounceMs: 0]) { _, new in new }))
        #expect(
            Timeline.play(drawing, unit: unit * .day, app) == drawing,
            sourceLocation: sourceLocation)
    }

    @Test func `thresholds are reached one by one`() {
        let changed: [PolicyKey: PolicyValue] = [.sessionsUntilPrompt: 2, .eventsUntilPrompt: 3]
        seconds("R s R e R e R z R e R e r-P", [.sessionsUntilPrompt: 1, .eventsUntilPrompt: 4])
        seconds("R s e e e R s r-P", changed.merging([.sessionGapSec: 0]) { _, new in new })
    }

    @Test func `activity cancels, and a newer request waits its whole quiet time`() {
        seconds("s e e e r--a r-----P", quiet: 6)
        seconds("r-a   r-a   r--P", quiet: 3)
        seconds("r-r-r--P  ", quiet: 3)
        seconds("ra  ")
    }

    @Test func `events and sessions do not disturb a request`() {
        seconds("s r-e--z-P", quiet: 7)
        seconds("rePrsPrzP", [.outcomeTimeoutSec: 1])
    }

    @Test func `three seconds of quiet are three seconds`() {
        seconds("r--P", quiet: 3)
        seconds("r--a", quiet: 4)
    }

    @Test func `activity restarts the quiet time`() {
        seconds("r-----a------P", quiet: 7, restart: true)
        seconds("raaaaaa-P", restart: true)
    }

    @Test func `restarts lapse`() {
        seconds("raaaaaaaaX ", [.pendingMaxSec: 9], restart: true)
        seconds("raaaaaaa-P ", [.pendingMaxSec: 9], restart: true)
    }

    @Test func `confirm is asked after the quiet time`() {
        seconds("r-?y  ", confirm: true)
        seconds("r-?n  r-?y", confirm: true)
        seconds("r-?-X r-?y", [.confirmTimeoutMs: 2_000], confirm: true)
        seconds("r-?a  ", confirm: true)
        seconds("r-?a-?y", restart: true, confirm: true)
        seconds("r-?r-?y", confirm: true)
    }

    @Test func `one prompt at a time, until its outcome or time-out`() {
        seconds("r-PR R l r-P", [.outcomeTimeoutSec: 60])
        seconds("r-P R R R r-P", [.outcomeTimeoutSec: 8])
        seconds("r-P   w R R R r-P", [.outcomeTimeoutSec: 8])
    }

    @Test func `three prompts in 365 days`() {
        days("GGGRRGGGRRGGGRRG", unit: 73, [.promptsPerYear: 3])
        days("G G G RGR G  GGR", unit: 60, [.promptsPerYear: 3])
        days("GRRRRGRRRRG", unit: 73, [.promptsPerYear: 1])
    }

    @Test func `at least seven days between two prompts`() {
        days("GRRRRRRGRRRRRRG", unit: 1, [.minIntervalDays: 7])
    }

    @Test func `a week after the first session`() {
        days("RsRRRRRRGG", unit: 1, [.daysUntilPrompt: 7])
        days("ReRRsRRRGG", unit: 1, [.daysUntilPrompt: 7])
    }

    @Test func `later, declined, dismissed and never cost what they cost`() {
        days("GlRRRRG", unit: 3, [.daysAfterLater: 14])
        days("GmRRRRG", unit: 3, [.daysAfterLater: 14])
        days("GdRRRRG", unit: 20, [.daysAfterDeclined: 90])
        days("GvRRRRRRRRRR", unit: 1_000, [:])
        days("GfGfG", unit: 1, [.daysAfterDeclined: 90, .daysAfterLater: 14])
    }
}
