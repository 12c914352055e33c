import RatingPolicy
import Testing

@testable import RatingDaemon

struct LogLimiterTests {
    private let refused = LogLimiter.Topic(
        kind: .requestRefused, user: UserID(1_000), detail: "org.example.Notes")

    private func at(_ milliseconds: Int64) -> SteadyTime {
        SteadyTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func entry(_ text: String) -> LogEntry { LogEntry(.requestRefused, text) }

    @Test func `a burst passes, one more does not`() {
        var limiter = LogLimiter()
        func pass(at time: Int64) -> LogLimiter.Verdict {
            limiter.pass(refused, every: 60_000, burst: 3, at: at(time))
        }
        for _ in 0..<3 { #expect(pass(at: 0) == .passed(suppressed: 0)) }
        #expect(pass(at: 0) == .heldBack(isFirst: true))
        #expect(pass(at: 59_999) == .heldBack(isFirst: false))
        #expect(pass(at: 60_000) == .passed(suppressed: 2))
        #expect(pass(at: 60_000) == .passed(suppressed: 0))
    }

    @Test func `another app, user or kind has its own count`() {
        var limiter = LogLimiter()
        #expect(limiter.pass(refused, every: 10_000, at: at(0)) == .passed(suppressed: 0))
        for change in [
            LogLimiter.Topic(kind: .forgot, user: refused.user, detail: refused.detail),
            LogLimiter.Topic(kind: refused.kind, user: UserID(1_001), detail: refused.detail),
            LogLimiter.Topic(kind: refused.kind, user: refused.user, detail: "org.example.Other"),
        ] {
            #expect(limiter.pass(change, every: 10_000, at: at(0)) == .passed(suppressed: 0))
        }
        #expect(limiter.pass(refused, every: 10_000, at: at(0)) == .heldBack(isFirst: true))
    }

    @Test func `what was held back is owed at the end of its span, once`() {
        var limiter = LogLimiter()
        let other = LogLimiter.Topic(kind: .forgot, user: refused.user, detail: "a")
        for topic in [refused, other] {
            _ = limiter.pass(topic, every: topic == other ? 20_000 : 10_000, at: at(0))
        }
        #expect(limiter.owedAt == nil)
        for number in 1...3 {
            _ = limiter.pass(other, every: 20_000, at: at(1))
            limiter.keep(entry("other"), of: other)
            _ = limiter.pass(refused, every: 10_000, at: at(1))
            if number == 1 { limiter.keep(entry("first"), of: refused) }
        }
        #expect(limiter.owedAt == at(10_000))
        #expect(limiter.takeOwed(until: at(9_999)).isEmpty)
        let owed = limiter.takeOwed(until: at(10_000))
        #expect(owed.map(\.text) == ["first"])
        #expect(owed.first?.fields.first { $0.field == .suppressed }?.value == "2")
        #expect(limiter.owedAt == at(20_000))
        #expect(limiter.takeOwed(until: at(30_000)).map(\.text) == ["other"])
        #expect(limiter.owedAt == nil)
        #expect(limiter.takeOwed(until: at(90_000)).isEmpty)
    }

    @Test func `what the next entry tells is not owed any more`() {
        var limiter = LogLimiter()
        for _ in 0..<2 { _ = limiter.pass(refused, every: 10_000, at: at(0)) }
        limiter.keep(entry("first"), of: refused)
        #expect(limiter.pass(refused, every: 10_000, at: at(10_000)) == .passed(suppressed: 1))
        #expect(limiter.takeOwed(until: at(90_000)).isEmpty)
        #expect(limiter.owedAt == nil)
    }

    @Test func `no number of topics makes the limiter grow without bound`() {
        var limiter = LogLimiter()
        for user in 0..<5_000 {
            let topic = LogLimiter.Topic(kind: .limitHit, user: UserID(user), detail: "x")
            #expect(limiter.pass(topic, every: 10_000, at: at(0)) == .passed(suppressed: 0))
        }
        #expect(limiter.topicCount <= LogLimiter.topicsMax)
    }
}
