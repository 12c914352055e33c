import RatingPolicy
import Testing

struct RateBucketTests {
    private func time(_ nanoseconds: Int64) -> SteadyTime {
        SteadyTime(nanoseconds: nanoseconds)
    }

    /// How many of a flood pass at one time.
    private func passed(
        _ bucket: inout RateBucket, perSec: Int64, burst: Int64, at now: SteadyTime
    ) -> Int64 {
        var count: Int64 = 0
        while bucket.take(perSec: perSec, burst: burst, at: now) == nil { count += 1 }
        return count
    }

    @Test(arguments: [1, 7, 10_000] as [Int64])
    func `the burst passes at once and not one more`(burst: Int64) {
        var bucket = RateBucket()
        #expect(passed(&bucket, perSec: 10, burst: burst, at: time(5)) == burst)
    }

    @Test func `after a second the rate passes again, after long quiet the burst`() {
        var bucket = RateBucket()
        _ = passed(&bucket, perSec: 10, burst: 100, at: time(0))
        #expect(passed(&bucket, perSec: 10, burst: 100, at: time(999_999_999)) == 9)
        #expect(passed(&bucket, perSec: 10, burst: 100, at: time(1_000_000_000)) == 1)
        #expect(passed(&bucket, perSec: 10, burst: 100, at: time(3_000_000_000)) == 20)
        #expect(passed(&bucket, perSec: 10, burst: 100, at: time(.max)) == 100)
    }

    @Test(arguments: [(0, 5), (5, 0), (0, 0)] as [(Int64, Int64)])
    func `a rate or a burst of 0 lets everything pass`(perSec: Int64, burst: Int64) {
        var bucket = RateBucket()
        for _ in 0..<1_000 {
            #expect(bucket.take(perSec: perSec, burst: burst, at: time(0)) == nil)
        }
    }

    @Test(arguments: [1, 3, 7, 999, 1_000, 1_001, 1_000_000_000] as [Int64])
    func `after the wait it tells one passes, and a millisecond before not`(perSec: Int64) throws {
        for used in 0..<60 as Range<Int64> {
            var bucket = RateBucket()
            _ = bucket.take(perSec: perSec, burst: 1, at: time(0))
            let now = used * 333_000
            guard let wait = bucket.take(perSec: perSec, burst: 1, at: time(now)) else { continue }
            #expect(wait >= 1)
            var early = bucket
            #expect(
                bucket.take(perSec: perSec, burst: 1, at: time(now + wait * 1_000_000)) == nil)
            if wait > 1 {
                let before = now + (wait - 1) * 1_000_000
                #expect(early.take(perSec: perSec, burst: 1, at: time(before)) != nil)
            }
        }
    }

    @Test func `time too short to count is not lost under a flood`() {
        var bucket = RateBucket()
        _ = passed(&bucket, perSec: 1_000, burst: 10, at: time(0))
        var count = 0
        // A try every 1.5 µs for 30 ms.
        for turn in 1...20_000 as ClosedRange<Int64> {
            if bucket.take(perSec: 1_000, burst: 10, at: time(turn * 1_500)) == nil { count += 1 }
        }
        #expect(count == 30)
    }

    @Test func `a clock that stands or goes back gives nothing and takes nothing`() {
        var bucket = RateBucket()
        _ = passed(&bucket, perSec: 10, burst: 5, at: time(10_000_000_000))
        #expect(bucket.take(perSec: 10, burst: 5, at: time(9_000_000_000)) != nil)
        #expect(passed(&bucket, perSec: 10, burst: 5, at: time(10_100_000_000)) == 1)
    }

    @Test func `the largest rate and burst do not trap`() {
        var bucket = RateBucket()
        for now in [0, 1, .max / 2, .max] as [Int64] {
            #expect(bucket.take(perSec: .max, burst: .max, at: time(now)) == nil)
        }
    }
}
