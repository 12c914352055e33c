/// Who shows the prompt.
package enum Delivery: String, Hashable, Sendable {
    /// The connection that asked.
    case requester = "self"
    /// The newest agent whose apps fit.
    case agent
}

/// What `outcome` reports of a prompt: that it was shown, or how it ended.
package enum OutcomeReport: Hashable, Sendable {
    case shown
    case final(Outcome)

    package init?(name: String) {
        if name == "shown" {
            self = .shown
        } else if let outcome = Outcome(rawValue: name) {
            self = .final(outcome)
        } else {
            return nil
        }
    }

    package var name: String {
        switch self {
        case .shown: "shown"
        case .final(let outcome): outcome.rawValue
        }
    }
}
