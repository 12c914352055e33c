extension AppState {
    package enum OutcomeEffect: Hashable, Sendable {
        case accepted(OutcomeReport)
        /// Another final outcome stands.
        case conflict(Outcome)
        /// No grant has this token, or none any more.
        case notFound
    }

    /// An app told what became of a prompt.
    ///
    /// The same outcome again changes nothing. Late ones are accepted, but for a late `shown`.
    /// `never` opts the app out.
    package mutating func outcomeReported(
        _ report: OutcomeReport, token: Token, timeout: Milliseconds, at now: WallTime
    ) -> OutcomeEffect {
        guard let index = record.grants.firstIndex(where: { $0.token == token }) else {
            return .notFound
        }
        let isAwaited = record.grants[index].isAwaited(timeout: timeout, at: now)
        guard isAwaited || !record.grants[index].isForgotten else { return .notFound }
        switch (report, record.grants[index].outcome) {
        case (.shown, nil):
            if isAwaited, record.grants[index].shownAt == nil {
                record.grants[index].shownAt = Stamp(now)
            }
        case (.shown, let standing?):
            return .conflict(standing)
        case (.final(let outcome), nil):
            conclude(index, with: outcome, at: now)
        case (.final(let outcome), let standing?):
            guard outcome == standing else { return .conflict(standing) }
        }
        return .accepted(report)
    }

    private mutating func conclude(_ index: Int, with outcome: Outcome, at now: WallTime) {
        if outcome == .never { record.isOptedOut = true }
        record.grants[index].outcome = outcome
        record.grants[index].outcomeAt = Stamp(now)
        if record.grants[index].isForgotten { record.grants[index].forgetContents() }
    }

    /// Forgets the counters, with `ledger` also what the grants were for; never their times.
    ///
    /// The wishes of `hello` and an opt-out stay. A grant that is outstanding keeps its token
    /// until its outcome or its time-out. Returns the pending request that this ends.
    package mutating func forgotten(
        ledger: Bool, timeout: Milliseconds, at now: WallTime
    ) -> PendingRequest? {
        var kept = AppRecord()
        kept.helloPolicy = record.helloPolicy
        kept.isOptedOut = record.isOptedOut
        kept.grants = record.grants
        if ledger {
            for index in kept.grants.indices {
                let isAwaited = kept.grants[index].isAwaited(timeout: timeout, at: now)
                kept.grants[index].isForgotten = true
                kept.grants[index].version = nil
                if !isAwaited { kept.grants[index].forgetContents() }
            }
        }
        record = kept
        return endPending()
    }
}

extension Grant {
    /// Leaves the time of the grant and nothing else.
    mutating func forgetContents() {
        token = nil
        version = nil
        shownAt = nil
        outcome = nil
        outcomeAt = nil
    }
}
