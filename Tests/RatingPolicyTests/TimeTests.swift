import RatingPolicy
import Testing

struct TimeTests {
    @Test func `a day is 86,400 s and the window 365 of them`() {
        #expect(Milliseconds.day == 86_400_000)
        #expect(Milliseconds.window == 31_536_000_000)
    }

    @Test func `sums and spans stop at the ends of the range`() {
        let first = WallTime(milliseconds: .min)
        let last = WallTime(milliseconds: .max)
        #expect(last.adding(1) == last)
        #expect(first.adding(-1) == first)
        #expect(last.since(first) == .max)
        #expect(first.since(last) == .min)
        #expect(last.since(last) == 0)
        #expect(last.adding(-1).since(last) == -1)
    }

    @Test(
        arguments: [
            (0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1),
            (-86_400_001, -2),
        ] as [(Int64, Int64)])
    func `a day begins at midnight UTC, before 1970 as well`(time: Int64, day: Int64) {
        #expect(WallTime(milliseconds: time).day == day)
    }
}
