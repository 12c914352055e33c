import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// A connection as the witness knows it, from what was said over it.
final class Seat {
    struct Greeting {
        var app: AppID
        var version: Version
        var wishes: HelloPolicy?
        var isKept = false
    }

    struct Subscription {
        var topics: Set<String>
        var app: AppID?
        var isAgent: Bool
    }

    let id: ClientID
    let user: UserID
    var greeting: Greeting?
    var subscription: Subscription?
    /// The number of the last news told, and how many were missed since.
    var sequence: Int64 = 0
    var missed: Int64 = 0
    var pendingCount = 0
    var confirms: [(id: String, key: AppKey, token: String)] = []
    var isInputEnded = false
    var isClosing = false
    var isGone = false
    var expected: [Expected] = []

    init(_ id: ClientID, user: UserID) {
        self.id = id
        self.user = user
    }

    var isDone: Bool { isClosing || isInputEnded && pendingCount == 0 && subscription == nil }

    func wants(_ topic: String, of app: AppID) -> Bool {
        guard let subscription, !isClosing else { return false }
        return subscription.topics.contains(topic) && (subscription.app ?? app) == app
    }
}

/// A request that waits, as the witness knows it.
struct Waiting {
    enum Phase {
        case quiet
        case asking
    }

    var token: String
    var version: Version
    var requester: ClientID
    var toAgent: Bool
    var confirms: Bool
    var restarts: Bool
    var debounce: Int64
    var phase = Phase.quiet
    /// In milliseconds of CLOCK_MONOTONIC and of CLOCK_BOOTTIME.
    var due: Int64
    var dueBoot: Int64
    var lapses: Int64
    /// Of requests due at the same time, which waits longer.
    var order = 0
    var isRestarted = false

    /// Restarts have kept it waiting too long.
    var lapsesFirst: Bool { phase == .quiet && isRestarted && lapses < due }
    var next: Int64 { lapsesFirst ? lapses : due }
}

/// A line as a client wrote it, and what its parts mean.
struct Line {
    struct Part {
        /// Nil: a notification.
        var id: Int?
        var content: Message.Content?
        /// The token the message names.
        var token: String?
        /// The id of the `confirm` this answers.
        var confirm: String?
        var isYes = false
    }

    var text: String
    var parts: [Part]
    var isBatch = false
}
