import RatingPolicy
import RatingStore
import RatingWire

/// For the people who look after the daemon.
extension Core {
    /// The daemon's own user and uid 0, whose processes another user's daemon cannot look into.
    private func permitAdministration(_ client: Client) throws(Failure) {
        let isOwn = client.user.id == surroundings.user && !client.peer.identity.isSandboxed
        guard isOwn || client.user.id == 0 else {
            throw notPermitted("this is for the daemon's user and uid 0", client)
        }
    }

    func reload(from client: Client) throws(Failure) -> Reply {
        try permitAdministration(client)
        turn.replaced = turn.replaced ?? (configuration, configurationProblem)
        switch reload() {
        case .loaded(_, let warnings): return .reloaded(true, warnings: warnings, reason: nil)
        case .kept(let reason): return .reloaded(false, warnings: [], reason: reason)
        }
    }

    /// Reads the configuration anew; all of it is in force, or nothing of it.
    @discardableResult
    func reload() -> ReloadResult {
        let (result, entries) = surroundings.reload()
        if case .loaded(let configuration, _) = result { use(configuration, problem: nil) }
        noteReload(entries)
        return result
    }

    func use(_ configuration: Configuration, problem: String?) {
        endStreak()
        self.configuration = configuration
        configurationProblem = problem
        for app in apps.values { app.policy = nil }
    }

    /// Makes stored times that lie in the future count as now (SPEC 3.4).
    func repairClock(from client: Client) throws(Failure) -> Reply {
        try permitAdministration(client)
        if let repaired = turn.stored.repaired, failure != nil {
            // A turn that is played again does not repair again.
            turn.stored.repaired = nil
            return repairedReply(repaired, to: client)
        }
        if let failure { throw .storageUnavailable(detail: failure.description) }
        guard mayBeAhead else {
            try trustStored()
            return .repaired(0)
        }
        // What is known in memory only has to be in the store before it is mended there.
        try stored { () throws(StoreError) in try commit() }
        let repaired = try stored { () throws(StoreError) in
            try storage.repairStamps(at: now.wall)
        }
        epoch = storage.epoch
        repairedAt = (now.wall, epoch)
        turn.stored.repaired = repaired
        return repairedReply(repaired, to: client)
    }

    /// Whether a stored time may lie in the future: not if the clock has only gone forward since the
    /// last repair.
    private var mayBeAhead: Bool {
        guard let repairedAt else { return true }
        return repairedAt.epoch != epoch || repairedAt.latest > now.wall
    }

    private func repairedReply(_ repaired: Int, to client: Client) -> Reply {
        guard repaired > 0 else { return .repaired(0) }
        note(
            .clockRepaired, "\(repaired) stored times lay in the future and count as now",
            [
                (.stamps, String(repaired)), (.user, String(client.user.id)),
                (.process, String(client.peer.process.number)),
            ])
        return .repaired(repaired)
    }
}
