import Testing

@testable import RatingBench

struct HistogramTests {
    @Test func `nothing recorded has no percentile`() {
        #expect(Histogram().percentile(0.5) == nil)
    }
}
