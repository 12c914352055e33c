extension AppRecord {
    /// The times of all grants, forgotten ones too.
    package var grantTimes: [Stamp] {
        grants.map(\.grantedAt)
    }

    /// When each of these outcomes was reported.
    package func outcomeTimes(_ outcomes: Outcome...) -> [Stamp] {
        grants.compactMap { grant in
            guard let outcome = grant.outcome, outcomes.contains(outcome) else { return nil }
            return grant.outcomeAt
        }
    }

    /// How many grants lie in the last 365 days.
    package func promptsInWindow(at now: WallTime) -> Int {
        grantTimes.count(youngerThan: .window, at: now)
    }

    /// The newest grant whose final outcome is still waited for.
    ///
    /// Not only the last one: behind it an unconcluded one is awaited again when the clock is set
    /// back or the time-out is prolonged.
    package func outstanding(timeout: Milliseconds, at now: WallTime) -> Grant? {
        grants.last { $0.isAwaited(timeout: timeout, at: now) }
    }

    /// From when each grant without a final outcome is awaited.
    var awaitedSince: [Stamp] {
        grants.filter(\.isUnconcluded).map(\.awaitedSince)
    }

    /// The versions that had a prompt, in the order they had it, each once.
    package var promptedVersions: [Version] {
        var seen: Set<Version> = []
        return grants.compactMap(\.version).filter { seen.insert($0).inserted }
    }

    /// True if a stored time of this app lies in the future.
    package func isAhead(of now: WallTime) -> Bool {
        let stamps = [lastSession, firstSeen, lastSeen].compactMap { $0 }
        return stamps.contains { $0.isAhead(of: now) }
            || grants.contains { $0.stamps.contains { $0.isAhead(of: now) } }
    }
}

extension Grant {
    /// True if no final outcome came; never of a grant without its token.
    var isUnconcluded: Bool { outcome == nil && token != nil }

    /// What the time-out of the outcome is measured from.
    var awaitedSince: Stamp { shownAt ?? grantedAt }

    /// True while a final outcome may still come in time.
    package func isAwaited(timeout: Milliseconds, at now: WallTime) -> Bool {
        isUnconcluded && awaitedSince.age(at: now) < timeout
    }

    package var stamps: [Stamp] {
        [grantedAt, shownAt, outcomeAt].compactMap { $0 }
    }

    /// What is known of a grant's end.
    package enum Reading: Hashable, Sendable {
        case awaited
        case ended(Outcome)
        /// None came in time.
        case unknown
        /// Nothing is known of it any more but its time.
        case forgotten
    }

    package func reading(timeout: Milliseconds, at now: WallTime) -> Reading {
        if let outcome { return .ended(outcome) }
        if token == nil { return .forgotten }
        if isAwaited(timeout: timeout, at: now) { return .awaited }
        // The token of one that was forgotten while it was awaited is kept until now (SPEC 2).
        return isForgotten ? .forgotten : .unknown
    }
}
