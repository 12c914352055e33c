import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// Watches a run from outside and says what each line of the daemon has to be, by SPEC alone.
///
/// It is told what the daemon was given, in that order, and at the end of each turn what it said.
/// Whether a turn was stored it knows from the disk; tokens it learns from the answers.
final class Witness {
    enum Input {
        case line(Seat, Line)
        case ended(Seat)
        case closed(Seat)
        case shutDown
    }

    /// What the world knows of a turn beside what was said.
    struct Circumstances {
        var now: Moment
        /// The turn's changes could not be stored.
        var isFailed = false
        /// The store has failed at something in this turn, or had before.
        var isTroubled = false
        var readsFail = false
        /// The sync after the commit failed, so that all is stored and nothing acknowledged.
        var isStoredUnasked = false
        /// A clock repair got as far as the disk.
        var triedRepair = false
        var image: Disk.Image
        /// What no power cut can take away.
        var durable: Disk.Image
        /// Which clients have more than they may leave unread.
        var crowded: Set<ClientID> = []
        /// False if the process dies before it has told anything.
        var isDelivered = true
    }

    var files: Files
    var nextFiles: Files
    var isSetAside = false
    var apps: [AppKey: AppRecord] = [:]
    var optedOutOfAll: [UserID: Bool] = [:]
    var pending: [AppKey: Waiting] = [:]
    var seats: [ClientID: Seat] = [:]
    var subscribers: [UserID: [Seat]] = [:]
    let history = History()
    /// What is wrong; the first that was found.
    private(set) var complaint: String?
    /// `next_eligible` as it was told last.
    var lastEligible: Int64?

    var inputs: [Input] = []
    var turn: Circumstances
    /// The answers of this turn by client and id, all other lines by client.
    var told: [ClientID: [Int: JSONValue]] = [:]
    var lines: [ClientID: [JSONValue]] = [:]
    var followUps: [() -> Void] = []
    /// True from where on nothing of the turn was stored.
    var isFailing = false
    /// Something was acknowledged that has to be durable by then.
    var mustBeSynced = false
    var forgotten: Set<AppKey> = []
    var lastOrder = 0
    var orders: [AppKey: [Int64: Int]] = [:]
    private var group: Int?
    private var groups = 0
    private var groupTime: Int64?

    init(_ files: Files, at now: Moment) {
        self.files = files
        nextFiles = files
        turn = Circumstances(now: now, image: Disk.Image(), durable: Disk.Image())
    }

    var wall: Int64 { turn.now.wall.milliseconds }
    var steady: Int64 { turn.now.monotonic.nanoseconds / 1_000_000 }
    var boot: Int64 { turn.now.boottime.nanoseconds / 1_000_000 }

    func complain(_ text: String) {
        if complaint == nil { complaint = text }
    }

    // MARK: - A turn

    func endTurn(_ turn: Circumstances, told lines: [ClientID: [JSONValue]]) {
        self.turn = turn
        self.lines = lines
        told = lines.mapValues { lines in
            let answers = lines.flatMap { $0.array ?? [$0] }.filter { $0["method"] == nil }
            return Dictionary(
                answers.compactMap { answer in
                    answer["id"]?.integer.map { (Int($0), answer) }
                }, uniquingKeysWith: { first, _ in first })
        }
        mustBeSynced = false
        isFailing = false
        forgotten = []
        let stored = turn.isFailed ? storedInputs : inputs.count
        for (index, input) in inputs.enumerated() {
            if index == stored { beginFailing() }
            perform(input)
        }
        if turn.isFailed, !isFailing { beginFailing() }
        passTime()
        inputs = []
        compareStored()
        for (id, seat) in seats { compare(seat, lines[id] ?? []) }
        for (id, seat) in seats where seat.isGone { seats[id] = nil }
    }

    /// From here on the turn was played again, on what is stored.
    private func beginFailing() {
        isFailing = true
        if turn.isStoredUnasked { adopt(turn.image) }
    }

    /// How many inputs of a failed turn were not played again: those before a clock repair that
    /// got as far as the disk, and that repair if it was answered.
    private var storedInputs: Int {
        for (index, input) in inputs.enumerated().reversed() {
            guard case .line(let seat, let line) = input, !line.isBatch,
                seat.user == .daemon, case .repairClock? = line.parts.first?.content,
                let id = line.parts.first?.id
            else { continue }
            if told[seat.id]?[id]?["result"] != nil { return index + 1 }
            return turn.triedRepair ? index : 0
        }
        return 0
    }

    private func perform(_ input: Input) {
        switch input {
        case .line(let seat, let line): perform(line, of: seat)
        case .ended(let seat): seat.isInputEnded = true
        case .closed(let seat): close(seat)
        case .shutDown: shutDown()
        }
        flush()
    }

    func flush() {
        let due = followUps
        followUps = []
        for tell in due { tell() }
    }

    private func perform(_ line: Line, of seat: Seat) {
        guard !line.parts.isEmpty else {
            seat.expected.append(Expected(content: .answer(nil, .error("parse_error"))))
            return
        }
        var answers: [(id: Int?, want: Expected.Want)] = []
        for part in line.parts {
            if let confirm = part.confirm {
                confirmAnswered(confirm, part.isYes, by: seat)
            } else if let content = part.content {
                let want = respond(to: content, part, seat)
                if let id = part.id { answers.append((id, want)) }
            }
        }
        if line.isBatch {
            if !answers.isEmpty { seat.expected.append(Expected(content: .batch(answers))) }
        } else if let answer = answers.first {
            seat.expected.append(Expected(content: .answer(answer.id, answer.want)))
        }
    }

    // MARK: - What is to be told

    func tell(_ seat: Seat, _ method: String, _ fields: Expected.Fields) {
        guard !seat.isGone else { return }
        seat.expected.append(Expected(content: .notice(method, fields), group: group))
    }

    func publish(_ key: AppKey, _ topic: String, _ fields: Expected.Fields) {
        var fields = fields
        fields["time"] = .time(wall)
        fields["app"] = .text(key.app.string)
        let method = topic == "decisions" ? "decision" : "counter"
        for seat in subscribers[key.user] ?? [] where seat.wants(topic, of: key.app) {
            seat.expected.append(Expected(content: .news(method, fields), group: group))
        }
    }

    /// What follows the answer.
    func publishLater(_ key: AppKey, _ topic: String, _ fields: Expected.Fields) {
        guard subscribers[key.user]?.isEmpty == false else { return }
        followUps.append { [unowned self] in publish(key, topic, fields) }
    }

    /// At once, but not before what began earlier in the same batch.
    private func publishInOrder(_ key: AppKey, _ topic: String, _ fields: Expected.Fields) {
        guard !followUps.isEmpty else { return publish(key, topic, fields) }
        let group = group
        followUps.append { [unowned self] in
            self.group = group
            publish(key, topic, fields)
            self.group = nil
        }
    }

    /// Several things of no particular order: what happens in one call, or was due at one time.
    func inAnyOrder(as time: Int64? = nil, _ happen: () -> Void) {
        if time == nil || time != groupTime { groups += 1 }
        groupTime = time
        group = groups
        happen()
        group = nil
    }

    /// Ends a pending request without a prompt.
    func end(_ key: AppKey, _ reason: String, _ reasons: [String] = []) {
        guard let waiting = pending[key] else { return }
        pending[key] = nil
        leave(waiting)
        var fields: Expected.Fields = [
            "token": .text(waiting.token), "app": .text(key.app.string), "reason": .text(reason),
        ]
        fields["reasons"] = reasons.isEmpty ? .missing : .texts(reasons)
        if let seat = seats[waiting.requester] { tell(seat, "cancelled", fields) }
        fields["decision"] = .text("cancelled")
        fields["version"] = .text(waiting.version.string)
        publishInOrder(key, "decisions", fields)
    }

    func leave(_ waiting: Waiting) {
        guard let seat = seats[waiting.requester] else { return }
        seat.pendingCount -= 1
        seat.confirms.removeAll { $0.token == waiting.token }
    }

    // MARK: - Coming and going

    func connected(_ id: ClientID, user: UserID) -> Seat {
        let seat = Seat(id, user: user)
        seats[id] = seat
        return seat
    }

    private func close(_ seat: Seat) {
        seat.isGone = true
        unsubscribe(seat)
        inAnyOrder {
            for (key, waiting) in pending where waiting.requester == seat.id {
                if waiting.toAgent, !waiting.confirms { continue }
                end(key, "disconnected")
            }
        }
    }

    func unsubscribe(_ seat: Seat) {
        seat.subscription = nil
        subscribers[seat.user]?.removeAll { $0 === seat }
    }

    private func shutDown() {
        inAnyOrder { for key in pending.keys { end(key, "shutting_down") } }
        for seat in seats.values where !seat.isGone && !seat.isClosing {
            tell(seat, "bye", ["reason": .text("shutting_down")])
            seat.isClosing = true
        }
    }

    /// The process is gone; what is stored is what there is.
    func restarted(_ image: Disk.Image, afterPowerCut isCut: Bool) {
        seats = [:]
        subscribers = [:]
        pending = [:]
        inputs = []
        followUps = []
        orders = [:]
        if isCut { apps = [:] }
        adopt(image)
        history.keepOnly(image)
    }

    func adopt(_ image: Disk.Image) {
        for (key, record) in image.apps {
            if record.grants.count < apps[key]?.grants.count ?? 0 {
                complain("\(key): a grant is gone from the ledger")
            }
            for grant in record.grants { history.adopt(grant, of: key) }
            let forgotten = record.grants.count { $0.isForgotten }
            if forgotten > 0 { history.forgot(key, first: forgotten) }
        }
        apps = image.apps
        optedOutOfAll = image.optedOutOfAll
    }
}
