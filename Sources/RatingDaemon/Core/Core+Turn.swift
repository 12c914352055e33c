import RatingPolicy
import RatingStore
import RatingWire

extension Core {
    /// Starts a turn; all that happens in it happens at this moment.
    func beginTurn(at moment: Moment) {
        now = moment
        epoch = storage.epoch
        hasAccepted = false
        if let repairedAt, repairedAt.latest < moment.wall {
            self.repairedAt?.latest = moment.wall
        }
    }

    /// The clients that have something to be written since this was last asked.
    func takeFlushable() -> [Client] {
        defer { toFlush = [] }
        return toFlush
    }

    /// Stores what the turn has changed, then releases what it has to tell.
    func endTurn() {
        endStreak()
        do throws(StoreError) {
            if try !storeStreaks() {
                recordStreaks()
                try commit()
            }
        } catch {
            playAgain(after: error)
        }
        settleLeft()
        sweepIfCrowded()
    }

    /// Does one input, and remembers it in case the turn cannot be stored.
    func take(_ input: consuming Input) {
        recordStreaks()
        isPerforming = true
        perform(input)
        remember(input)
    }

    /// Does the same as `take` with a message that stands alone, and sooner.
    @inline(__always)
    func take(_ element: consuming Incoming.Element, from client: Client) {
        recordStreaks()
        isPerforming = true
        answer(element, from: client)
        tellFollowUps()
        remember(.element(client, element))
    }

    private func remember(_ input: consuming Input) {
        isPerforming = false
        batch = nil
        if let rest = turn.rest {
            turn.rest = nil
            turn.inputs.append(rest)
        } else {
            turn.inputs.append(input)
        }
    }

    func perform(_ input: Input) {
        switch input {
        case .element(let client, let element): answer(element, from: client)
        case .streak(let number):
            let streak = turn.streaks[number]
            for id in turn.ids[streak.ids] {
                answer(
                    .call(id: id.map(RequestID.integer), streak.line.request), from: streak.client)
            }
        case .batch(let client, let progress): answer(progress, from: client)
        case .further(let client): answerFurther(client)
        case .failure(let client, let failure): refuse(failure, to: client)
        case .inputEnded(let client): endInput(of: client)
        case .closed(let client): remove(client)
        case .deadline(let entry): deadlineReached(entry)
        case .shutdown: endEverything()
        }
        tellFollowUps()
    }

    /// Stores all changes in one transaction; on an error nothing is stored and nothing released.
    func commit() throws(StoreError) {
        var changes = StoreChanges()
        changes.apps.reserveCapacity(turn.apps.count)
        for app in turn.apps where app.content.isDirty {
            let before = app.readSaved { $0?.isStored == true ? $0?.state.record : nil }
            changes.apps.append(.init(app.place, before: before, after: app.record))
        }
        for user in turn.users where user.content.isDirty {
            changes.optedOutOfAll[user.id] = user.content.record.isOptedOutOfAll
        }
        changes.grantChecks = turn.checks
        changes.forgottenFunnels = turn.forgottenFunnels
        if !changes.apps.isEmpty || !changes.optedOutOfAll.isEmpty {
            let cells = funnelToStore
            if !cells.isEmpty { changes.funnel = Dictionary(uniqueKeysWithValues: cells) }
            let goesAlong = funnel.count + turn.funnel.count <= Self.funnelCellsAtOnce
            if goesAlong, !turn.funnel.isEmpty {
                changes.funnel.merge(turn.funnel, uniquingKeysWith: +)
            }
            try storage.commit(changes, turn.isSynced ? .synced : .relaxed, at: now.wall)
            statistics.commits += 1
            for (cell, _) in cells { funnel[cell] = nil }
            if goesAlong { turn.funnel = [:] }
        }
        addToFunnel(turn.funnel)
        release()
    }

    /// Tells what the turn has to tell, now that it is stored, and begins it anew.
    func release() {
        for app in turn.apps {
            app.content.isDirty = false
            app.keep()
            if !turn.forgottenFunnels.isEmpty, turn.forgottenFunnels.contains(app.key),
                app.record == AppRecord()
            {
                // Nothing is kept of it any more, so the store has taken it away.
                app.content.isStored = false
                makeRoom(of: app)
            }
        }
        for user in turn.users {
            user.content.isDirty = false
            user.keep()
        }
        for process in turn.processes { process.keep() }
        for client in turn.clients {
            client.output.release()
            client.keep()
        }
        if toFlush.isEmpty { swap(&toFlush, &turn.clients) } else { toFlush += turn.clients }
        log += turn.log
        before = (statistics, limiter)
        // In the middle of an input, what follows its answer is still to come.
        let followUps = turn.followUps
        turn.renew()
        turn.followUps = followUps
        guard isPerforming else { return }
        turn.rest = batch
        turn.stored.followUps = followUps
    }

    /// Undoes the turn and answers its inputs as a daemon whose store fails.
    private func playAgain(after error: StoreError) {
        statistics.failedCommits += 1
        let inputs = turn.inputs
        let (ids, streaks) = (turn.ids, turn.streaks)
        let stored = turn.stored
        undo()
        turn.ids = ids
        turn.streaks = streaks
        turn.recordedStreaks = streaks.count
        turn.followUps = stored.followUps
        turn.stored = stored
        epoch = storage.epoch
        failure = error
        for input in inputs { take(input) }
        // What was ended by something that now was refused may be due.
        passTime()
        failure = nil
        do throws(StoreError) {
            try commit()
        } catch {
            preconditionFailure("a turn against a failing store has nothing to store")
        }
    }

    private func undo() {
        for app in turn.apps { app.undo() }
        for user in turn.users { user.undo() }
        for process in turn.processes { process.undo() }
        for client in turn.clients {
            client.undo()
            client.output.takeBack()
            clients[client.id] = client
        }
        for streak in turn.streaks { streak.app.streak = nil }
        if turn.beganEnd { isShuttingDown = false }
        if let replaced = turn.replaced { use(replaced.configuration, problem: replaced.problem) }
        turn = Turn()
        statistics.takeBack(to: before.statistics)
        limiter = before.limiter
        pendingTotal = 0
        for user in users.values {
            pendingTotal += user.content.pending.count
            for id in user.content.pending {
                let key = AppKey(user: user.id, app: id)
                if let pending = apps[key]?.pending { deadlines.push(pending.nextDeadline, key) }
            }
        }
    }

    func touch(_ app: LiveApp) {
        if app.touch() { turn.apps.append(app) }
    }

    func touch(_ user: LiveUser) {
        if user.touch() { turn.users.append(user) }
    }

    /// The same where nothing but the bucket is about to change.
    func list(_ user: LiveUser) {
        if user.list() { turn.users.append(user) }
    }

    func touch(_ process: LiveProcess) {
        if process.touch() { turn.processes.append(process) }
    }

    /// The same where nothing but the bucket is about to change.
    func list(_ process: LiveProcess) {
        if process.list() { turn.processes.append(process) }
    }

    func touch(_ client: Client) {
        if client.touch() { turn.clients.append(client) }
    }

    /// The same where nothing but the bucket or the output is about to change.
    func list(_ client: Client) {
        if client.list() { turn.clients.append(client) }
    }
}
