import RatingPolicy

/// Lets some entries of a kind through now and then, and counts the others.
struct LogLimiter {
    struct Topic: Hashable {
        var kind: LogKind
        var user: UserID
        var detail: String
    }

    /// How many topics are remembered; past that the oldest knowledge is dropped.
    static let topicsMax = 1_000

    struct Span {
        var end: SteadyTime
        var passed = 1
        var suppressed = 0
    }

    private(set) var topics: [Topic: Span] = [:]

    /// Lets `burst` through in each span of this length.
    ///
    /// Returns how many were held back in the span before, for the first one that passes after it,
    /// and 0 for the others; nil if this one is held back too.
    mutating func pass(
        _ topic: Topic, every length: Milliseconds, burst: Int = 1, at now: SteadyTime
    ) -> Int? {
        if var span = topics[topic], now < span.end {
            defer { topics[topic] = span }
            guard span.passed < burst else {
                span.suppressed += 1
                return nil
            }
            span.passed += 1
            return 0
        }
        if topics.count >= Self.topicsMax { topics = topics.filter { $0.value.end > now } }
        if topics.count >= Self.topicsMax { topics = [:] }
        let suppressed = topics[topic]?.suppressed ?? 0
        topics[topic] = Span(end: now.adding(length))
        return suppressed
    }
}
