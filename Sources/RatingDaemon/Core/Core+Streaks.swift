import RatingPolicy
import RatingWire

/// The same event of a client right behind itself, as an app reports it that waits for no answers.
///
/// What was found out for the one before holds for it as well: nothing else has happened in between.
/// So it is only counted and answered here, and what else it changes is made up for when the streak
/// ends: before the turn does, and before anything else happens in it.
struct Streak {
    let client: Client
    let line: KnownLine
    let app: LiveApp
    /// How many more there may be: what the rates let pass, and no more than can be counted.
    fileprivate var room: Int64
    /// Where the ids begin in `Turn.ids`.
    fileprivate let start: Int
    /// How many events each reports, and how many there are with them.
    fileprivate let count: Int64
    fileprivate var ofName: Int64
    fileprivate var ofAll: Int64

    /// Counts one more, and returns how many there are; nil if it is another, or one too many.
    @inline(__always)
    fileprivate mutating func next(
        _ line: KnownLine, of client: Client
    ) -> (ofName: Int64, ofAll: Int64)? {
        guard line === self.line, client === self.client, room > 0 else { return nil }
        room -= 1
        ofName += count
        ofAll += count
        return (ofName, ofAll)
    }
}

extension Core {
    /// A line came that is like one before.
    func received(_ call: KnownCall, from client: Client) {
        if goOn(with: call, from: client) { return }
        let known = (line: ObjectIdentifier(call.line), client: ObjectIdentifier(client))
        if let last = turn.last, last == known, beginStreak(of: call.line, from: client),
            goOn(with: call, from: client)
        {
            return
        }
        take(call.element, from: client)
        turn.last = known
    }

    @inline(__always)
    private func goOn(with call: KnownCall, from client: Client) -> Bool {
        guard let total = turn.streak?.next(call.line, of: client) else { return false }
        statistics.messages += 1
        turnCost += 1
        turn.ids.append(call.id)
        guard let id = call.id else { return true }
        let before = client.output.count
        client.output.append {
            MessageWriter.appendEvent(
                id, events: total.ofAll, nameTotal: total.ofName, to: &$0)
        }
        spend(bytes: client.output.count - before)
        return true
    }

    /// False if something else may have to be done for the event than to count it.
    private func beginStreak(of line: KnownLine, from client: Client) -> Bool {
        guard case .success(.event(app: nil, let name, let count)) = line.request,
            let app = client.content.app, client.content.greeting?.isKept == true,
            app.epoch == epoch, app.content.isDirty, app.user.content.subscribers.isEmpty,
            failure == nil, !isShuttingDown, let ofName = app.record.events[name]
        else { return false }
        endStreak()
        list(client)
        let ofAll = app.record.events.total
        let room = min(room(of: client), (Count.max - ofAll.value) / count)
        turn.streak = Streak(
            client: client, line: line, app: app, room: room, start: turn.ids.count,
            count: count, ofName: ofName.value, ofAll: ofAll.value)
        return true
    }

    /// Whatever else happens ends it.
    func endStreak() {
        turn.last = nil
        guard let streak = turn.streak else { return }
        turn.streak = nil
        let places = streak.start..<turn.ids.count
        guard !places.isEmpty, case .success(.event(_, let name, let count)) = streak.line.request
        else { return }
        let number = Int64(places.count)
        _ = charge(streak.client, price: number, cost: 0)
        _ = streak.app.content.state.eventReported(
            name, count: number * count, namesMax: bounds.eventNames, at: now.wall)
        turn.inputs.append(.again(streak.client, streak.line.request, places))
    }
}
