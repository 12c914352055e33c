internal import RatingWire

/// What was sent and what came back, over all connections.
struct Tally: Sendable {
    /// Answers that were no errors, and how long each took.
    private(set) var latencies = Histogram()
    /// What was let go, by load.
    private(set) var sent = [Int](repeating: 0, count: Load.allCases.count)
    /// How many answers were errors, by their reason.
    private(set) var errors: [String: Int] = [:]
    /// The first error, as it came.
    private(set) var firstError: JSONValue?

    var answers: Int { latencies.total }
    var errorCount: Int { errors.values.reduce(0, +) }
    var notifications: Int { sent[Load.notify.index] }
    /// How much the events of all apps together should have grown.
    var counted: Int { Load.allCases.filter(\.isCounted).reduce(0) { $0 + sent[$1.index] } }

    @inline(__always)
    mutating func letGo(_ load: Load) {
        sent[load.index] += 1
    }

    @inline(__always)
    mutating func answered(after nanoseconds: Int64) {
        latencies.record(nanoseconds)
    }

    mutating func failed(_ error: JSONValue) {
        let reason = error["data"]?["reason"]?.string ?? error["message"]?.string ?? "?"
        errors[reason, default: 0] += 1
        if firstError == nil { firstError = error }
    }
}

extension Load {
    /// Its place among all.
    @inline(__always)
    var index: Int {
        switch self {
        case .event: 0
        case .notify: 1
        case .session: 2
        case .activity: 3
        case .status: 4
        case .ping: 5
        }
    }
}
