import RatingPolicy
import RatingStore
import RatingWire

/// What the core has counted since it started, for `stats`.
struct Statistics {
    var messages: Int64 = 0
    var connections: Int64 = 0
    var refusedConnections: Int64 = 0
    var grants: Int64 = 0
    var commits: Int64 = 0
    var failedCommits: Int64 = 0
    /// Notifications that a slow subscriber missed.
    var lagged: Int64 = 0
    /// Notifications of clients that had to be refused, and so without an answer.
    var refusedNotifications: Int64 = 0
    var errors: [Failure.Reason: Int64] = [:]
    /// Goes back to what was counted before a turn that could not be stored; connections and
    /// commits were there all the same.
    mutating func takeBack(to earlier: Statistics) {
        let now = self
        self = earlier
        connections = now.connections
        refusedConnections = now.refusedConnections
        commits = now.commits
        failedCommits = now.failedCommits
    }

    mutating func count(_ failure: Failure, isNotification: Bool) {
        errors[failure.reason, default: 0] += 1
        if isNotification { refusedNotifications += 1 }
    }
}

extension Core {
    /// How old figures of the process may be: to count descriptors takes a while if there are many.
    static let figuresAgeMax: Milliseconds = 1_000

    private func processFigures() -> [(name: String, value: Int64)] {
        if let figures, now.monotonic < figures.at.adding(Self.figuresAgeMax) {
            return figures.values
        }
        let values = surroundings.processFigures()
        figures = (now.monotonic, values)
        return values
    }

    /// Takes note of how much waits to be written to a client.
    func countOutput(of client: Client) {
        let count = client.content.isConnected ? client.output.count : 0
        queuedBytes += count - client.countedOutput
        client.countedOutput = count
    }

    private var subscriptionCount: Int {
        users.values.reduce(0) { $0 + $1.content.subscribers.count }
    }

    func stats() -> StatsReply {
        var reply = StatsReply()
        reply.add("server", surroundings.serverName)
        reply.add("messages", statistics.messages)
        reply.add("connections", Int64(clients.count))
        reply.add("connections_total", statistics.connections)
        reply.add("connections_refused", statistics.refusedConnections)
        reply.add("subscriptions", Int64(subscriptionCount))
        reply.add("pending", Int64(pendingTotal))
        reply.add("apps_in_memory", Int64(apps.count))
        reply.add("output_bytes_queued", Int64(queuedBytes))
        reply.add("grants", statistics.grants)
        reply.add("commits", statistics.commits)
        reply.add("commits_failed", statistics.failedCommits)
        reply.add("lagged", statistics.lagged)
        reply.add("notifications_refused", statistics.refusedNotifications)
        if let problem = ledgerProblem { reply.add("unavailable", problem) }
        for figure in processFigures() { reply.add(figure.name, figure.value) }
        var errors = StatsReply()
        for reason in Failure.Reason.allCases {
            errors.add(reason.rawValue, statistics.errors[reason] ?? 0)
        }
        reply.add("errors", errors)
        reply.add("limits", limits)
        return reply
    }
}
