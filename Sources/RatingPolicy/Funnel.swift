/// What the funnel of `report` counts, per app and UTC day.
package enum FunnelStep: Hashable, Sendable {
    /// A request that was answered with a decision.
    case request
    /// A request that was refused, whatever for.
    case refusedTotal
    /// A refusal that gave this reason (a rule's name, which may hold an event's).
    case refused(ExactText)
    case pending
    /// A pending request that was cancelled for this reason.
    case cancelled(String)
    case granted
    case manualReview

    /// The longest time the funnel is kept.
    package static let daysKept: Int64 = 400

    /// The name in the store: `request`, `refused:version`.
    package var key: String {
        switch self {
        case .request: "request"
        case .refusedTotal: "refused"
        case .refused(let reason): "refused:" + reason.string
        case .pending: "pending"
        case .cancelled(let reason): "cancelled:" + reason
        case .granted: "granted"
        case .manualReview: "manual_review"
        }
    }

    package init?(key: String) {
        switch key {
        case "request": self = .request
        case "refused": self = .refusedTotal
        case "pending": self = .pending
        case "granted": self = .granted
        case "manual_review": self = .manualReview
        default:
            if key.hasPrefix("refused:") {
                self = .refused(ExactText(String(key.dropFirst("refused:".count))))
            } else if key.hasPrefix("cancelled:") {
                self = .cancelled(String(key.dropFirst("cancelled:".count)))
            } else {
                return nil
            }
        }
    }
}

/// One line of the funnel.
package struct FunnelCell: Hashable, Sendable {
    package var key: AppKey
    /// UTC day, day 0 being 1970-01-01.
    package var day: Int64
    package var step: FunnelStep

    package init(key: AppKey, day: Int64, step: FunnelStep) {
        self.key = key
        self.day = day
        self.step = step
    }
}
