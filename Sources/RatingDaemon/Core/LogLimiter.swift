import RatingPolicy

/// Lets some entries of a kind through now and then, and counts the others.
struct LogLimiter {
    struct Topic: Hashable {
        var kind: LogKind
        var user: UserID
        var detail: String
    }

    enum Verdict: Equatable {
        /// It may be logged. So many were held back in the span before, of which nothing has been
        /// said yet.
        case passed(suppressed: Int)
        /// It may not; the first of a span is worth to `keep`.
        case heldBack(isFirst: Bool)
    }

    /// How many topics are remembered; past that the oldest knowledge is dropped.
    static let topicsMax = 1_000

    private struct Span {
        var end: SteadyTime
        var passed = 1
        var suppressed = 0
        /// The first that was held back.
        var kept: LogEntry?
    }

    private var topics: [Topic: Span] = [:]
    /// When `takeOwed` has something.
    private(set) var owedAt: SteadyTime?

    var topicCount: Int { topics.count }

    /// Lets `burst` through in each span of this length.
    mutating func pass(
        _ topic: Topic, every length: Milliseconds, burst: Int = 1, at now: SteadyTime
    ) -> Verdict {
        if var span = topics[topic], now < span.end {
            defer { topics[topic] = span }
            guard span.passed < burst else {
                span.suppressed += 1
                owedAt = earlier(owedAt, span.end)
                return .heldBack(isFirst: span.suppressed == 1)
            }
            span.passed += 1
            return .passed(suppressed: 0)
        }
        if topics.count >= Self.topicsMax { topics = topics.filter { $0.value.end > now } }
        if topics.count >= Self.topicsMax { topics = [:] }
        let suppressed = topics[topic]?.suppressed ?? 0
        topics[topic] = Span(end: now.adding(length))
        return .passed(suppressed: suppressed)
    }

    /// Keeps an entry that was held back, to be told at the end of its span.
    mutating func keep(_ entry: LogEntry, of topic: Topic) {
        topics[topic]?.kept = entry
    }

    /// What was held back in the spans that end by then: of each the first entry, with how many
    /// more there were.
    mutating func takeOwed(until end: SteadyTime) -> [LogEntry] {
        guard let owedAt, owedAt <= end else { return [] }
        self.owedAt = nil
        var entries: [LogEntry] = []
        for (topic, span) in topics where span.suppressed > 0 {
            guard span.end <= end else {
                self.owedAt = earlier(self.owedAt, span.end)
                continue
            }
            if let kept = span.kept { entries.append(kept.suppressing(span.suppressed - 1)) }
            topics[topic] = nil
        }
        return entries
    }
}

extension LogEntry {
    /// The entry, standing for so many more.
    func suppressing(_ count: Int) -> LogEntry {
        var entry = self
        entry.fields.append((.suppressed, String(count)))
        return entry
    }
}
