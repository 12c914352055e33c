/// The limits on what clients can grow, as `hello` and `stats` report them (SPEC 5).
///
/// Each has its name on the wire as raw value; errors carry it as `data.limit`.
package enum Limit: String, CaseIterable, Hashable, Sendable {
    case lineBytes = "line_bytes"
    case batch = "batch"
    case connections = "connections"
    case connectionsPerUid = "connections_per_uid"
    case connectionsPerApp = "connections_per_app"
    case outputBytes = "output_bytes"
    case ratePerSec = "rate_per_sec"
    case rateBurst = "rate_burst"
    case appsPerUid = "apps_per_uid"
    case eventNamesPerApp = "event_names_per_app"
    case pendingPerUid = "pending_per_uid"
    case subscriptionsPerUid = "subscriptions_per_uid"

    /// The key in `[Daemon]`; nil where the limit is fixed.
    package var key: String? {
        switch self {
        case .lineBytes, .batch: nil
        case .connections: "ConnectionsMax"
        case .connectionsPerUid: "ConnectionsPerUidMax"
        case .connectionsPerApp: "ConnectionsPerAppMax"
        case .outputBytes: "OutputBytesMax"
        case .ratePerSec: "RateLimitPerSec"
        case .rateBurst: "RateLimitBurst"
        case .appsPerUid: "AppsPerUidMax"
        case .eventNamesPerApp: "EventNamesPerAppMax"
        case .pendingPerUid: "PendingPerUidMax"
        case .subscriptionsPerUid: "SubscriptionsPerUidMax"
        }
    }

    /// Rates may be 0, which turns them off.
    package var range: ClosedRange<Int64> {
        switch self {
        case .ratePerSec, .rateBurst: 0...1_000_000_000
        default: 1...1_000_000_000
        }
    }
}

/// The value of every limit.
package struct Limits: Hashable, Sendable {
    package static let lineBytesMax = 65_536
    package static let batchMax = 100
    package static let connectionsCeiling: Int64 = 16_384

    private var values: [Int64]

    /// The defaults, for a process that may have this many descriptors open.
    package init(descriptors: Int) {
        // Beyond twice the ceiling more descriptors change nothing, and cannot overflow.
        let usable = Swift.min(Int64(descriptors), 2 * Self.connectionsCeiling)
        let connections = Swift.max(1, Swift.min(usable * 3 / 4, Self.connectionsCeiling))
        values = Limit.allCases.map { limit in
            switch limit {
            case .lineBytes: Int64(Self.lineBytesMax)
            case .batch: Int64(Self.batchMax)
            case .connections: connections
            case .connectionsPerUid: Swift.max(1, connections / 2)
            case .connectionsPerApp: 64
            case .outputBytes: 1 << 20
            case .ratePerSec: 1_000
            case .rateBurst: 10_000
            case .appsPerUid: 10_000
            case .eventNamesPerApp: 100
            case .pendingPerUid: 100
            case .subscriptionsPerUid: 32
            }
        }
    }

    package subscript(limit: Limit) -> Int64 {
        get { values[Self.index(limit)] }
        set {
            precondition(limit.range.contains(newValue), "a limit stays in its range")
            values[Self.index(limit)] = newValue
        }
    }

    private static func index(_ limit: Limit) -> Int {
        switch limit {
        case .lineBytes: 0
        case .batch: 1
        case .connections: 2
        case .connectionsPerUid: 3
        case .connectionsPerApp: 4
        case .outputBytes: 5
        case .ratePerSec: 6
        case .rateBurst: 7
        case .appsPerUid: 8
        case .eventNamesPerApp: 9
        case .pendingPerUid: 10
        case .subscriptionsPerUid: 11
        }
    }
}

/// How much the log holds, from least to most.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case error
    case warning
    case notice
    case info
    case debug

    /// The syslog priority of a line of this level.
    package var priority: Int {
        switch self {
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug: 7
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.priority < right.priority
    }
}

/// The `[Daemon]` section as it is in force.
package struct DaemonSettings: Hashable, Sendable {
    /// For how long counters may be in memory of the kernel only; 0: every commit is synced.
    package var syncSec: Int64 = 5
    /// After how long without a client the daemon ends; 0: never.
    package var idleExitSec: Int64 = 0
    package var appSockets = true
    package var logLevel: LogLevel = .info
    package var limits: Limits

    package static let syncSecRange: ClosedRange<Int64> = 0...60
    package static let idleExitSecRange: ClosedRange<Int64> = 0...1_000_000_000

    package init(descriptors: Int) {
        limits = Limits(descriptors: descriptors)
    }
}
