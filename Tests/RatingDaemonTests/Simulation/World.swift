import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// A daemon's core with everything around it: clients and their sockets, clocks, a disk.
///
/// Does what the event loop does around the core, step by step, and lets the witness judge every
/// turn. The same seed and steps are the same run.
final class World {
    let disk: Disk
    private(set) var storage: MemoryStorage
    private(set) var core: Core
    private(set) var now = Moment.start
    let witness: Witness
    var chairs: [Chair?] = Array(repeating: nil, count: Cast.seats)
    private let outputBytes: Int64
    private var files: Files
    private var parser = MessageParser()
    private var randomNumber: UInt64 = 0
    /// Every token that a user's clients were told, in order.
    var tokens: [UserID: [String]] = [:]

    init(files: Int, outputBytes: Int64, disk: Disk = Disk()) {
        self.disk = disk
        self.files = Wishes.files[files]
        self.outputBytes = outputBytes
        storage = MemoryStorage(disk)
        witness = Witness(self.files, at: now)
        core = Core(
            configuration: self.files.configuration(outputBytes: outputBytes), storage: storage,
            surroundings: Core.Surroundings(
                scope: .user, user: .daemon, serverName: "", random: { _ in [] },
                reload: { (.kept(reason: ""), []) }, processFigures: { [] }), at: now)
        begin()
    }

    deinit {
        core.letGo()
    }

    /// A process begins on what is stored.
    private func begin() {
        core.letGo()
        storage = MemoryStorage(disk)
        witness.nextFiles = files
        witness.files = files
        core = Core(
            configuration: files.configuration(outputBytes: outputBytes), storage: storage,
            surroundings: Core.Surroundings(
                scope: .user, user: .daemon, serverName: "ratingd/0",
                random: { [unowned self] in randomBytes($0) },
                reload: { [unowned self] in
                    (.loaded(files.configuration(outputBytes: outputBytes), warnings: []), [])
                }, processFigures: { [] }), at: now)
    }

    private func randomBytes(_ count: Int) -> [UInt8] {
        randomNumber += 1
        return (0..<count).map { UInt8(truncatingIfNeeded: randomNumber >> UInt64($0 % 8 * 8)) }
    }

    // MARK: - Time

    private func pass(_ span: Milliseconds) {
        now.wall = now.wall.adding(span)
        now.monotonic = now.monotonic.adding(span)
        now.boottime = now.boottime.adding(span)
    }

    /// Time passes, and the timer wakes the daemon at each of its deadlines.
    private func wait(_ span: Milliseconds) {
        let end = now.monotonic.adding(span)
        while let deadline = core.nextDeadline, deadline <= end {
            pass(max(0, (deadline.nanoseconds - now.monotonic.nanoseconds) / 1_000_000))
            turn()
        }
        pass((end.nanoseconds - now.monotonic.nanoseconds) / 1_000_000)
        if span >= 5_000, storage.failure == nil { disk.sync() }
        turn()
    }

    // MARK: - Steps

    func run(_ step: Step) {
        switch step {
        case .connect(let seat): connect(seat)
        case .write(let seat, let messages): chairs[seat]?.write(messages, tokens: tokens)
        case .confirm(let seat, let result): chairs[seat]?.answerConfirm(result)
        case .deliver(let seat, let count): chairs[seat]?.deliver(count)
        case .slow(let seat, let isSlow): chairs[seat]?.isSlow = isSlow
        case .read(let seat, let count): chairs[seat]?.read(count)
        case .endInput(let seat): chairs[seat]?.endInput()
        case .close(let seat): chairs[seat]?.hangUp()
        case .turn: turn()
        case .wait(let span): wait(span)
        case .stall(let span):
            pass(span)
            turn()
        case .suspend(let span):
            now.wall = now.wall.adding(span)
            now.boottime = now.boottime.adding(span)
            turn()
        case .setClock(let span): now.wall = now.wall.adding(span)
        case .toDeadline(let offset):
            guard let deadline = core.nextDeadline else { return }
            let span = (deadline.nanoseconds - now.monotonic.nanoseconds) / 1_000_000 + offset
            pass(max(0, span))
            turn()
        case .toEligible(let offset):
            guard let time = witness.lastEligible else { return }
            let span = time - now.wall.milliseconds + offset
            if (0...Rulebook.window * 3).contains(span) { wait(span) }
        default: runOnDisk(step)
        }
    }

    private func runOnDisk(_ step: Step) {
        switch step {
        case .fail(let fault, let others?): storage.faults[storage.commits + 1 + others] = fault
        case .fail(let fault, nil): storage.fault = fault
        case .readsFail(let fails): storage.readsFail = fails
        case .heal(let onUse):
            storage.fault = nil
            storage.faults = [:]
            storage.readsFail = false
            if onUse {
                storage.recoversOnUse = true
            } else if storage.failure != nil {
                storage.recover()
            }
        case .setAside(let isSetAside):
            disk.ledgerProblem = isSetAside ? "set aside" : nil
            witness.isSetAside = isSetAside
        case .sync: if storage.failure == nil { disk.sync() }
        case .kill(let death): die(death)
        case .powerCut(let death, let keeping):
            die(death)
            disk.cutPower(keeping: min(keeping, disk.unsyncedCount))
            witness.restarted(disk.image, afterPowerCut: true)
        case .shutDown:
            turn(shutsDown: true)
            die(.now)
        case .files(let number):
            files = Wishes.files[number]
            witness.nextFiles = files
        default: preconditionFailure("the other steps are run elsewhere")
        }
    }

    private func connect(_ seat: Int) {
        guard chairs[seat] == nil else { return }
        let client = core.connected(Cast.peer(seat))
        let known = witness.connected(client.id, user: client.user.id)
        chairs[seat] = Chair(client, known)
    }

    private func die(_ death: Step.Death) {
        if death != .now { turn(dying: death) }
        chairs = Array(repeating: nil, count: Cast.seats)
        begin()
        witness.restarted(disk.image, afterPowerCut: false)
    }

    // MARK: - A turn of the loop

    private func turn(dying death: Step.Death = .now, shutsDown: Bool = false) {
        let failures = storage.failures
        let failedCommits = core.statistics.failedCommits
        let unasked = storage.storedUnasked
        let repairs = storage.repairs
        let wasBroken = storage.failure != nil
        core.beginTurn(at: now)
        for case let chair? in chairs { serve(chair) }
        if shutsDown {
            witness.inputs.append(.shutDown)
            core.shutDown()
        }
        core.passTime()
        guard death != .beforeCommit else {
            witness.inputs = []
            return
        }
        core.endTurn()
        _ = core.takeLog()
        _ = core.takeFlushable()
        var turn = Witness.Circumstances(
            now: now, image: disk.image, durable: disk.states[0])
        turn.isFailed = core.statistics.failedCommits > failedCommits
        turn.isTroubled = storage.failures > failures || wasBroken || storage.failure != nil
        turn.readsFail = storage.readsFail
        turn.isStoredUnasked = storage.storedUnasked > unasked
        turn.triedRepair = storage.repairs > repairs
        turn.isDelivered = death == .now
        var told: [ClientID: [JSONValue]] = [:]
        for case let chair? in chairs {
            told[chair.client.id] = chair.newLines(onProblem: witness.complain)
            if chair.client.output.count > outputBytes { turn.crowded.insert(chair.client.id) }
        }
        witness.endTurn(turn, told: told)
        for case let chair? in chairs { settle(chair, told[chair.client.id] ?? []) }
        for seat in chairs.indices where chairs[seat]?.isClosed == true { chairs[seat] = nil }
    }

    /// Has the core carry out what came from a client.
    private func serve(_ chair: Chair) {
        let client = chair.client
        if chair.hasRead { core.outputDrained(client) }
        chair.hasRead = false
        if client.isDone, client.output.count == 0 { return close(chair) }
        while chair.framer.hasLine, !client.isClosing,
            chair.isHungUp || client.output.count <= Int(outputBytes),
            let (framed, incoming) = nextLine(of: chair)
        {
            let line = chair.inFlight.removeFirst()
            guard case .line = framed, let incoming, mayFeed(line) else { continue }
            witness.inputs.append(.line(chair.seat, line))
            core.receivedWhole(incoming, from: client)
        }
        if chair.isHungUp {
            close(chair)
        } else if chair.isInputEnded, !chair.framer.hasLine, !chair.isEndTold {
            chair.isEndTold = true
            witness.inputs.append(.ended(chair.seat))
            core.inputEnded(client)
        }
    }

    private func nextLine(of chair: Chair) -> (framed: Framed, incoming: Incoming?)? {
        var incoming: Incoming?
        return chair.framer.next { incoming = parser.parse($0) }.map { ($0, incoming) }
    }

    private func close(_ chair: Chair) {
        chair.isClosed = true
        witness.inputs.append(.closed(chair.seat))
        core.closed(chair.client)
    }

    /// While nothing can be read, what has no answer would leave no trace of whether it was done.
    private func mayFeed(_ line: Line) -> Bool {
        guard storage.readsFail else { return true }
        return line.parts.allSatisfy { part in
            if case .hello = part.content { return false }
            return part.id != nil || part.content == nil
        }
    }

    /// Lets a client read, and looks whether the core thinks of it as the witness does.
    private func settle(_ chair: Chair, _ lines: [JSONValue]) {
        for line in lines {
            for answer in line.array ?? [line] {
                guard let token = answer["result"]?["token"]?.string else { continue }
                tokens[chair.client.user.id, default: []].append(token)
            }
            if line["method"]?.string == "confirm", let id = line["id"]?.string {
                chair.toConfirm.append(id)
            }
        }
        if chair.client.isDone != chair.seat.isDone, !chair.isClosed {
            witness.complain(
                "client \(chair.client.id.number) is \(chair.client.isDone ? "" : "not ")done")
        }
        if !chair.isSlow { chair.read(0) }
    }
}
