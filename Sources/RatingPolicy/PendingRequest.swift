/// One connection, as long as the daemon runs; numbers are never used again.
package struct ClientID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    package static func < (left: ClientID, right: ClientID) -> Bool {
        left.number < right.number
    }
}

/// A request that waits: for quiet, then perhaps for the app's `confirm`.
///
/// Only the state; what each input does to it is in `AppState`.
package struct PendingRequest: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// Until nothing has happened for the debounce time.
        case quiet(until: Deadline)
        /// Until the app has answered `confirm`.
        case confirming(until: Deadline)
    }

    package var token: Token
    package var version: Version
    package var requester: ClientID
    /// The process of the requester, which may have gone since.
    package var process: ProcessID
    package var delivery: Delivery
    package var asksConfirm: Bool
    package var onActivity: OnActivity
    package var debounce: Milliseconds
    package var phase: Phase
    /// When a request that is restarted again and again lapses.
    package var lapsesAt: SteadyTime
    package var isRestarted = false

    /// Starts the quiet time of a request.
    package init(
        token: Token, version: Version, requester: ClientID, of process: ProcessID,
        wish: RequestWish, policy: Policy, at now: Moment
    ) {
        self.token = token
        self.version = version
        self.requester = requester
        self.process = process
        delivery = wish.delivery
        asksConfirm = wish.asksConfirm
        onActivity = wish.onActivity ?? policy.onActivity
        debounce = wish.debounce ?? policy.debounce
        phase = .quiet(until: Deadline(after: debounce, from: now))
        lapsesAt = now.monotonic.adding(policy.pendingMax)
    }

    /// True if restarts have kept the request waiting too long for the quiet time to end first.
    package var lapsesFirst: Bool {
        guard case .quiet(let deadline) = phase else { return false }
        return isRestarted && lapsesAt < deadline.monotonic
    }

    /// When something is to be done if nothing happens before.
    package var nextDeadline: SteadyTime {
        switch phase {
        case .quiet(let deadline): lapsesFirst ? lapsesAt : deadline.monotonic
        case .confirming(let deadline): deadline.monotonic
        }
    }

    package mutating func restart(at now: Moment) {
        isRestarted = true
        phase = .quiet(until: Deadline(after: debounce, from: now))
    }

    /// How long until the prompt, if nothing happens before; 0 while `confirm` is awaited.
    package func firesIn(at now: Moment) -> Milliseconds {
        switch phase {
        case .quiet(let deadline): deadline.monotonic.millisecondsLeft(from: now.monotonic)
        case .confirming: 0
        }
    }
}

/// What a request may say of its own; nil leaves it to the policy.
package struct RequestWish: Hashable, Sendable {
    package var debounce: Milliseconds?
    package var onActivity: OnActivity?
    package var asksConfirm = false
    package var delivery: Delivery = .requester

    package init() {}
}
