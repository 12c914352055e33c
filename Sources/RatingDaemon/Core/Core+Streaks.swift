import RatingPolicy
import RatingStore
import RatingWire

/// Events of one client in lines like one before, right behind each other, or one alone.
///
/// All that they change is how many events there are and when the app was last seen. So they are
/// only counted and answered as they come. Where nothing else happens in a turn, as is the rule
/// with many clients, no record is copied, changed and compared for them either: the store is told
/// what they have come to. Whatever else happens first makes up for it, and finds each event as if
/// it had been taken by itself.
struct Streak {
    let client: Client
    let line: KnownLine
    let app: LiveApp
    /// Where their ids are in `Turn.ids`.
    fileprivate(set) var ids: Range<Int>
    /// How many more there may be: what the rates let pass, and no more than can be counted.
    fileprivate var room: Int64
    /// How many events each reports, and what the app's have come to with them.
    fileprivate let count: Int64
    fileprivate var standing: EventStanding

    /// How many events they have reported.
    fileprivate var total: Int64 { Int64(ids.count) * count }

    /// Counts one more; nil if it is another, or one too many.
    @inline(__always)
    fileprivate mutating func next(_ line: KnownLine, of client: Client) -> EventStanding? {
        guard line === self.line, client === self.client, room > 0 else { return nil }
        room -= 1
        standing.ofName += count
        standing.ofAll += count
        return standing
    }
}

extension Core {
    /// A line came that is like one before.
    func received(_ call: KnownCall, from client: Client) {
        if goOn(with: call, from: client) { return }
        if beginStreak(of: call.line, from: client), goOn(with: call, from: client) { return }
        take(call.element, from: client)
    }

    @inline(__always)
    private func goOn(with call: KnownCall, from client: Client) -> Bool {
        guard let standing = turn.streak?.next(call.line, of: client) else { return false }
        statistics.messages += 1
        turnCost += 1
        turn.ids.append(call.id)
        guard let id = call.id else { return true }
        let before = client.output.count
        client.output.append {
            MessageWriter.appendEvent(
                id, events: standing.ofAll, nameTotal: standing.ofName, to: &$0)
        }
        spend(bytes: client.output.count - before)
        return true
    }

    /// False if something else may have to be done for the event than to count it.
    private func beginStreak(of line: KnownLine, from client: Client) -> Bool {
        guard let event = line.event, let app = client.content.app,
            client.content.greeting?.isKept == true, app.epoch == epoch, app.content.isStored,
            app.user.content.subscribers.isEmpty, failure == nil, !isShuttingDown
        else { return false }
        endStreak()
        guard let standing = standing(of: event.name, in: app) else { return false }
        list(client)
        app.isRecent = true
        turn.streak = Streak(
            client: client, line: line, app: app, ids: turn.ids.count..<turn.ids.count,
            room: min(room(of: client), (Count.max - standing.ofAll) / event.count),
            count: event.count, standing: standing)
        return true
    }

    /// What the events of a name have come to; nil if one more would change something besides.
    private func standing(of name: EventName, in app: LiveApp) -> EventStanding? {
        guard let streak = app.streak else {
            return app.content.state.record.standing(of: name, at: now.wall)
        }
        return turn.streaks[streak].line.event?.name == name
            ? turn.streaks[streak].standing : nil
    }

    /// What comes next is not like what came last.
    func endStreak() {
        guard var streak = turn.streak.take() else { return }
        streak.ids = streak.ids.lowerBound..<turn.ids.count
        guard !streak.ids.isEmpty else { return }
        _ = charge(streak.client, price: Int64(streak.ids.count), cost: 0)
        turn.inputs.append(.streak(turn.streaks.count))
        streak.app.streak = turn.streaks.count
        turn.streaks.append(consume streak)
    }

    /// Puts the events of all streaks into the records.
    func recordStreaks() {
        endStreak()
        guard turn.recordedStreaks < turn.streaks.count else { return }
        for number in turn.recordedStreaks..<turn.streaks.count {
            let app = turn.streaks[number].app
            touch(app)
            app.content.isDirty = true
            record(number)
        }
        turn.recordedStreaks = turn.streaks.count
    }

    private func record(_ number: Int) {
        let app = turn.streaks[number].app
        app.streak = nil
        app.content.state.record.add(
            turn.streaks[number].total, atPlace: turn.streaks[number].standing.place, at: now.wall)
    }

    /// Stores a turn of nothing but streaks; false, and does nothing, if it has to be committed as
    /// others are.
    func storeStreaks() throws(StoreError) -> Bool {
        guard turn.isOfStreaksOnly, funnel.isEmpty,
            try storage.commit(rises(), at: now.wall)
        else { return false }
        statistics.commits += 1
        for number in turn.streaks.indices { record(number) }
        release()
        return true
    }

    private func rises() -> [Rise] {
        var rises: [Rise] = []
        rises.reserveCapacity(turn.streaks.count)
        for number in turn.streaks.indices {
            let app = turn.streaks[number].app
            guard app.streak == number else { continue }
            let standing = turn.streaks[number].standing
            rises.append(
                Rise(
                    of: app.place, record: app.record, name: standing.place, to: standing.ofName))
        }
        return rises
    }
}

extension Turn {
    /// True if all that has changed is what the events of its streaks have come to.
    fileprivate var isOfStreaksOnly: Bool {
        !streaks.isEmpty && apps.isEmpty && checks.isEmpty && forgottenFunnels.isEmpty
            && funnel.isEmpty && !isSynced && users.allSatisfy { !$0.content.isDirty }
    }
}
