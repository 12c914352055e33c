import RatingPolicy
import Testing

/// `SessionGapSec`: measured from the previous message, counted or not.
struct SessionGapTests {
    private func counted(_ gap: Int64, at times: [Milliseconds]) -> [Bool] {
        var app = App(.open([.sessionGapSec: .integer(gap)]))
        return times.map { time in
            app.now.wall = .start + time
            return app.session()
        }
    }

    @Test(arguments: [1, 1_800, 86_400] as [Int64])
    func `closer than the gap is the same session, at the gap a new one`(gap: Int64) {
        let span = gap * 1_000
        #expect(counted(gap, at: [0, span - 1]) == [true, false])
        #expect(counted(gap, at: [0, span]) == [true, true])
        #expect(counted(gap, at: [0, span + 1]) == [true, true])
    }

    @Test func `a gap of 0 counts every message`() {
        #expect(counted(0, at: [0, 0, 0]) == [true, true, true])
    }

    @Test func `the gap slides with messages that are not counted`() {
        #expect(counted(10, at: [0, 9_999, 19_998, 29_998]) == [true, false, false, true])
    }

    @Test func `a clock set back makes it the same session, and the next gap counts again`() {
        #expect(counted(10, at: [.window, 0, 9_999, 19_999]) == [true, false, false, true])
    }
}
