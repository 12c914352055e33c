import RatingPolicy

/// Lets one entry of a kind through now and then, and counts the others.
struct LogLimiter {
    struct Topic: Hashable {
        var kind: LogKind
        var user: UserID
        var detail: String
    }

    /// How many topics are remembered; past that the oldest knowledge is dropped.
    static let topicsMax = 1_000

    private(set) var topics: [Topic: (next: SteadyTime, suppressed: Int)] = [:]

    /// How many were held back since the last one that passed; nil if this one is held back too.
    mutating func pass(_ topic: Topic, every span: Milliseconds, at now: SteadyTime) -> Int? {
        if let known = topics[topic], now < known.next {
            topics[topic] = (known.next, known.suppressed + 1)
            return nil
        }
        if topics.count >= Self.topicsMax { topics = topics.filter { $0.value.next > now } }
        if topics.count >= Self.topicsMax { topics = [:] }
        let suppressed = topics[topic]?.suppressed ?? 0
        topics[topic] = (now.adding(span), 0)
        return suppressed
    }
}
