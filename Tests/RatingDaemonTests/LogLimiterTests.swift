import RatingPolicy
import Testing

@testable import RatingDaemon

struct LogLimiterTests {
    private let refused = LogLimiter.Topic(
        kind: .requestRefused, user: UserID(1_000), detail: "org.example.Notes")

    private func at(_ milliseconds: Int64) -> SteadyTime {
        SteadyTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `a burst passes, one more does not`() {
        var limiter = LogLimiter()
        for _ in 0..<3 { #expect(limiter.pass(refused, every: 60_000, burst: 3, at: at(0)) == 0) }
        #expect(limiter.pass(refused, every: 60_000, burst: 3, at: at(0)) == nil)
        #expect(limiter.pass(refused, every: 60_000, burst: 3, at: at(60_000)) == 1)
        #expect(limiter.pass(refused, every: 60_000, burst: 3, at: at(60_000)) == 0)
    }

    @Test func `another app, user or kind has its own count`() {
        var limiter = LogLimiter()
        #expect(limiter.pass(refused, every: 10_000, at: at(0)) == 0)
        for change in [
            LogLimiter.Topic(kind: .forgot, user: refused.user, detail: refused.detail),
            LogLimiter.Topic(kind: refused.kind, user: UserID(1_001), detail: refused.detail),
            LogLimiter.Topic(kind: refused.kind, user: refused.user, detail: "org.example.Other"),
        ] {
            #expect(limiter.pass(change, every: 10_000, at: at(0)) == 0)
        }
        #expect(limiter.pass(refused, every: 10_000, at: at(0)) == nil)
    }
}
