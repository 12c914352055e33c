/// One app of one user, live: its record and the one request that may be pending.
///
/// Inputs are facts in the past tense; what they return says what became of it. Nothing here
/// reads a clock, stores, or tells anybody.
package struct AppState: Hashable, Sendable {
    package var record: AppRecord
    private var waiting: Apart<PendingRequest>?

    package init(record: AppRecord = AppRecord()) {
        self.record = record
    }

    package var pending: PendingRequest? {
        get { waiting?.value }
        set { waiting = newValue.map { Apart($0) } }
    }

    // MARK: - Counters

    /// Counts a session, unless it came within the gap after the one before it.
    ///
    /// Returns whether it was counted.
    package mutating func sessionReported(
        version: Version?, gap: Milliseconds, at now: WallTime
    ) -> Bool {
        let isCounted = record.lastSession.map { $0.age(at: now) >= gap } ?? true
        if isCounted { record.sessions += 1 }
        record.lastSession = Stamp(now)
        if let version { record.version = version }
        seen(at: now)
        return isCounted
    }

    /// Counts events of one name.
    ///
    /// Returns what the name has now, and all names together; nil, and counts nothing, if it is
    /// new and there are `namesMax` already.
    package mutating func eventReported(
        _ name: EventName, count: Int64, namesMax: Int, at now: WallTime
    ) -> (ofName: Count, ofAll: Count)? {
        record.add(count, to: name, namesMax: namesMax, at: now)
    }

    private mutating func seen(at now: WallTime) {
        if record.firstSeen == nil { record.firstSeen = Stamp(now) }
        record.lastSeen = Stamp(now)
    }

    // MARK: - A request's life

    package enum Decision: Hashable, Sendable {
        case refused([Rule])
        /// With the older request that this one ended.
        case pending(superseded: PendingRequest?)
    }

    /// A request was made; a refusal leaves an older pending one as it is.
    package mutating func requested(
        _ request: PendingRequest, eligibility: Eligibility, at now: WallTime
    ) -> Decision {
        let refusals = eligibility.refusals(at: now)
        guard refusals.isEmpty else { return .refused(refusals) }
        let superseded = pending
        pending = request
        return .pending(superseded: superseded)
    }

    package enum ActivityEffect: Hashable, Sendable {
        case nothing
        case cancelled(PendingRequest)
        case restarted
    }

    /// The user did something: a pending request is cancelled, or waits anew.
    package mutating func activityReported(at now: Moment) -> ActivityEffect {
        guard var request = pending else { return .nothing }
        switch request.onActivity {
        case .cancel:
            pending = nil
            return .cancelled(request)
        case .restart:
            request.restart(at: now)
            pending = request
            return .restarted
        }
    }

    package enum Progress: Hashable, Sendable {
        case nothing
        /// The app is to be asked whether now is the moment.
        case asksConfirm(PendingRequest)
        case cancelled(PendingRequest, CancelReason)
        /// The grant is in the record; it is to be stored, synced, and only then told.
        case granted(PendingRequest)
    }

    /// Time has passed: what the pending request does at this moment.
    package mutating func timePassed(eligibility: Eligibility, at now: Moment) -> Progress {
        guard let request = pending, request.nextDeadline <= now.monotonic else { return .nothing }
        switch request.phase {
        case .quiet(let deadline):
            guard !deadline.isMissed(at: now), !request.lapsesFirst else { return ended(.stale) }
            return quietEnded(request, eligibility: eligibility, at: now)
        case .confirming(let deadline):
            return ended(deadline.isMissed(at: now) ? .stale : .confirmTimeout)
        }
    }

    /// The app answered `confirm`.
    package mutating func confirmAnswered(
        _ isYes: Bool, eligibility: Eligibility, at now: Moment
    ) -> Progress {
        guard let request = pending, case .confirming(let deadline) = request.phase else {
            return .nothing
        }
        if deadline.isMissed(at: now) { return ended(.stale) }
        if deadline.isDue(at: now) { return ended(.confirmTimeout) }
        guard isYes else { return ended(.declinedByApp) }
        if let reason = Self.reason(eligibility.refusals(at: now.wall)) { return ended(reason) }
        return granted(request, at: now.wall)
    }

    private mutating func quietEnded(
        _ request: PendingRequest, eligibility: Eligibility, at now: Moment
    ) -> Progress {
        if let reason = Self.reason(eligibility.refusals(at: now.wall)) { return ended(reason) }
        guard request.asksConfirm else { return granted(request, at: now.wall) }
        var asking = request
        asking.phase = .confirming(
            until: Deadline(after: eligibility.policy.confirmTimeout, from: now))
        pending = asking
        return .asksConfirm(asking)
    }

    private mutating func granted(_ request: PendingRequest, at now: WallTime) -> Progress {
        pending = nil
        record.version = request.version
        record.grants.append(
            Grant(grantedAt: Stamp(now), token: request.token, version: request.version))
        return .granted(request)
    }

    private mutating func ended(_ reason: CancelReason) -> Progress {
        guard let request = pending else { return .nothing }
        pending = nil
        return .cancelled(request, reason)
    }

    /// A missing agent has a reason of its own where it is all that is wrong.
    private static func reason(_ refusals: [Rule]) -> CancelReason? {
        switch refusals {
        case []: nil
        case [.noAgent]: .noAgent
        default: .ineligible(refusals)
        }
    }

    /// Ends the pending request, if there is one, and returns it.
    package mutating func endPending() -> PendingRequest? {
        defer { pending = nil }
        return pending
    }
}
