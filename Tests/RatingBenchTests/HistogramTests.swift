import Testing

@testable import RatingBench

struct HistogramTests {
    @Test func `nothing recorded has no percentile`() {
        #expect(Histogram().percentile(0.5) == nil)
    }

    @Test func `short times are kept exactly`() {
        var histogram = Histogram()
        for time in 1...200 { histogram.record(Int64(time)) }
        #expect(histogram.total == 200)
        #expect(histogram.percentile(0.5) == 100)
        #expect(histogram.percentile(0.99) == 198)
        #expect(histogram.percentile(1) == 200)
        #expect(histogram.percentile(0) == 1)
    }

    @Test func `a percentile is never too short and at most 0.8 percent too long`() {
        for time in [255, 256, 257, 1_000, 65_535, 65_536, 1_234_567, 89_000_000_000] as [Int64] {
            var histogram = Histogram()
            histogram.record(time)
            // So that the worst does not cut it.
            histogram.record(.max)
            let median = histogram.percentile(0.5) ?? 0
            #expect(median >= time)
            #expect(Double(median) <= Double(time) * 1.008)
        }
    }

    @Test func `the worst is exact, and no percentile is longer`() {
        var histogram = Histogram()
        histogram.record(10)
        histogram.record(1_000_001)
        #expect(histogram.worst == 1_000_001)
        #expect(histogram.percentile(0.999) == 1_000_001)
    }

    @Test func `a clock that seems to go backwards counts as no time`() {
        var histogram = Histogram()
        histogram.record(-5)
        #expect(histogram.percentile(1) == 0)
    }
}
