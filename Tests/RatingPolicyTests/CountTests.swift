import RatingPolicy
import Testing

struct CountTests {
    private static let max: Int64 = 9_007_199_254_740_991

    @Test(arguments: [1 << 15, 1 << 16, 1 << 31, 1 << 32, max - 1] as [Int64])
    func `counts are exact below, at and above powers of two`(value: Int64) {
        var count = Count(value - 1)
        #expect(count.value == value - 1)
        count += 1
        #expect(count.value == value)
        count += 1
        #expect(count.value == value + 1)
    }

    @Test func `at two to the 53 less one a count stays`() {
        #expect(Count.max == Self.max)
        var count = Count(Self.max - 1)
        count += 1
        #expect(count.value == Self.max)
        count += 1
        #expect(count.value == Self.max)
        count += .max
        #expect(count.value == Self.max)
        #expect(Count(.max).value == Self.max)
    }

    @Test func `a count is never negative`() {
        #expect(Count(-1).value == 0)
        #expect(Count(.min).value == 0)
        var count: Count = 3
        count += -5
        #expect(count.value == 0)
    }

    @Test func `totals of several names saturate as well`() {
        var record = AppRecord()
        record.events = ["a": Count(Self.max), "b": Count(Self.max)]
        #expect(record.eventsTotal.value == Self.max)
    }

    @Test func `sessions and events of an app saturate`() {
        var app = App(.open([.sessionGapSec: 0]))
        app.state.record.sessions = Count(Self.max)
        app.session()
        #expect(app.state.record.sessions.value == Self.max)
        app.state.record.events = [.significant: Count(Self.max - 9_999)]
        app.event(count: 10_000)
        #expect(app.state.record.eventsTotal.value == Self.max)
        #expect(app.refusals == [])
    }
}
