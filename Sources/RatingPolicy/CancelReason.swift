/// Why a pending request ended without a grant (SPEC 3.2); none of them consumes anything.
package enum CancelReason: Hashable, Sendable {
    case activity
    case superseded
    case cancelled
    case disconnected
    case ineligible([Rule])
    case declinedByApp
    case confirmTimeout
    case stale
    case noAgent
    case storageUnavailable
    case shuttingDown

    package var name: String {
        switch self {
        case .activity: "activity"
        case .superseded: "superseded"
        case .cancelled: "cancelled"
        case .disconnected: "disconnected"
        case .ineligible: "ineligible"
        case .declinedByApp: "declined_by_app"
        case .confirmTimeout: "confirm_timeout"
        case .stale: "stale"
        case .noAgent: "no_agent"
        case .storageUnavailable: "storage_unavailable"
        case .shuttingDown: "shutting_down"
        }
    }

    /// The rules that did not hold any more; only `ineligible` has some.
    package var rules: [Rule] {
        if case .ineligible(let rules) = self { rules } else { [] }
    }
}
