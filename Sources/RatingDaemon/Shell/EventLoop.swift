import Posix
import RatingPolicy
import RatingWire
import Systemd

/// The loop: waits, reads, lets the core decide, stores, tells, and waits again.
///
/// One turn takes up everything that is ready. Nothing in it waits but for the disk.
final class EventLoop {
    /// The most bytes that are read from one client in one turn, so that none keeps the others
    /// waiting.
    static let readBytesMax = 65_536
    /// From how many ready descriptors on those of clients that wait are too many, and a turn looks
    /// for no more.
    static let readyMany = 64
    /// How long new clients are left waiting when there are no descriptors for them.
    static let acceptPause: Milliseconds = 1_000
    /// How long figures of the funnel may stay in memory.
    static let funnelDelay: Milliseconds = 5_000
    /// How long the last words may take to be written.
    static let farewellMax: Milliseconds = 1_500

    /// What a descriptor is in the eyes of epoll; clients have their number.
    enum Tag: UInt64 {
        case listener = 0xFFFF_FFFF_0000_0000
        case signals
        case timer
        case watchdog
        case clockStep
        case directory
        case worker
        case appSockets
    }

    let core: Core
    let storage: DiskStorage
    let parser: ParserBox
    let epoll: Epoll
    let listener: ListeningSocket
    let signals: SignalDescriptor
    let timer: TimerDescriptor
    let clockStep: ClockStepDescriptor
    let directory: DirectoryWatch
    let watchdog: Watchdog
    let log: LogSink
    let service: ServiceManager
    /// The directory in which sandboxed apps get sockets, nil if none do.
    let appSocketsDirectory: String?
    let appSocketsMax: Int
    var appSockets: AppSockets?
    /// When making them is tried again; nil if that did not fail.
    var appSocketsAgainAt: SteadyTime?

    var connections = Connections()
    var backlog = Backlog()
    var fresh = FreshLines()
    private var eagerness = Eagerness()
    var ready: [(tag: UInt64, readiness: Epoll.Readiness)] = []
    /// Not filled, since memory that was never touched is none; nothing is read from it but what
    /// was received.
    var buffer = unsafe [UInt8](unsafeUninitializedCapacity: EventLoop.readBytesMax) { _, count in
        count = EventLoop.readBytesMax
    }
    private var armedAt: SteadyTime?
    var acceptsAgainAt: SteadyTime?
    /// The last turn in which a client was welcomed.
    var welcomedIn = 0
    var idleSince: SteadyTime?
    var farewellEndsAt: SteadyTime?
    var funnelDue: SteadyTime?
    var isListening = true
    var isFinished = false
    /// The wall clock's lead over the monotonic one when it was last looked at.
    var clockLead: Int64?
    var isSocketGoneNoted = false
    /// When watching the socket's file is tried again; nil if it is watched, or cannot be.
    var watchesAgainAt: SteadyTime?

    init(
        core: Core, storage: DiskStorage, listener: consuming ListeningSocket,
        signals: consuming SignalDescriptor, watchdog: Watchdog, log: LogSink,
        service: ServiceManager, appSocketsDirectory: String?, appSocketsMax: Int
    ) throws(PosixError) {
        self.core = core
        self.appSocketsDirectory = appSocketsDirectory
        self.appSocketsMax = appSocketsMax
        self.storage = storage
        self.watchdog = watchdog
        self.log = log
        self.service = service
        parser = ParserBox()
        epoll = try Epoll()
        timer = try TimerDescriptor()
        clockStep = try ClockStepDescriptor()
        directory = try DirectoryWatch()
        self.listener = listener
        self.signals = signals
        try epoll.add(self.listener.raw, .readable, tag: Tag.listener.rawValue)
        try epoll.add(self.signals.raw, .readable, tag: Tag.signals.rawValue)
        try epoll.add(timer.raw, .readable, tag: Tag.timer.rawValue)
        try epoll.add(clockStep.raw, .readable, tag: Tag.clockStep.rawValue)
        try epoll.add(directory.raw, .readable, tag: Tag.directory.rawValue)
        try epoll.add(watchdog.raw, .readable, tag: Tag.watchdog.rawValue)
        try epoll.add(storage.finished.raw, .readable, tag: Tag.worker.rawValue)
    }

    /// Runs until a signal or idleness ends the daemon.
    func run() throws(PosixError) {
        watchSocketFile()
        service.passTime(at: core.now)
        while !isFinished {
            armTimer()
            ready.removeAll(keepingCapacity: true)
            if backlog.isEmpty { try wait() } else { try look() }
            try turn()
        }
    }

    /// Waits until something is ready.
    private func wait() throws(PosixError) {
        let start = Clock.monotonicNanoseconds()
        if eagerness.isEager(after: core.hasAccepted) {
            repeat {
                try look()
                if !ready.isEmpty { break }
                // The client may need this very processor.
                OwnProcess.yield()
            } while Clock.monotonicNanoseconds() - start < Eagerness.lookMax
        }
        if ready.isEmpty { try look(timeout: -1) }
        eagerness.waited(nanoseconds: Clock.monotonicNanoseconds() - start)
    }

    /// Takes what is ready.
    private func look(timeout: Int32 = 0) throws(PosixError) {
        try epoll.wait(timeoutMilliseconds: timeout) { ready.append(($0, $1)) }
    }

    private func turn() throws(PosixError) {
        let now = Moment.now()
        core.beginTurn(at: now)
        noticeClockStep(at: now)
        fresh.beginTurn()
        if !backlog.isEmpty { workOff() }
        try takeUp()
        core.passTime()
        core.endTurn()
        flush()
        maintainFunnel(at: now)
        storage.maintain(at: now)
        settleAppSockets()
        watchSocketFileAgain(at: now)
        service.passTime(at: now)
        core.log += storage.takeLog()
        for entry in core.takeLog() { log.write(entry) }
        endIfDone(at: now)
    }

    /// Takes up what is ready, and who has come in the meantime as long as that is several and the
    /// turn is short: the more a commit is for, the less of it costs each.
    ///
    /// Not after a welcome, which takes as long as all this, nor after many descriptors: neither
    /// these nor who has hung up are in the figures of the turn's lines.
    private func takeUp() throws(PosixError) {
        var seen = 0
        while true {
            let before = fresh.total
            seen += ready.count
            for (tag, readiness) in ready { handle(tag, readiness) }
            guard backlog.isEmpty, welcomedIn != fresh.turn, seen < Self.readyMany,
                fresh.total - before >= Self.freshMany,
                fresh.total < Self.freshCostPerTurn / 2
            else { return }
            ready.removeAll(keepingCapacity: true)
            try look()
        }
    }

    private func handle(_ tag: UInt64, _ readiness: Epoll.Readiness) {
        if let connection = connections[tag] {
            serve(connection, readiness)
            return
        }
        switch Tag(rawValue: tag) {
        case .listener: acceptClient(listener, at: nil)
        case .appSockets: serveAppSockets()
        case .signals: takeSignals()
        case .timer:
            timer.drain()
            armedAt = nil
        case .watchdog: watchdog.ping()
        case .clockStep: clockStep.drain()
        case .directory:
            directory.drain { _ in }
            checkSocketFile()
        case .worker: storage.finished.drain()
        case nil: break
        }
    }

    private func serve(_ connection: Connection, _ readiness: Epoll.Readiness) {
        if readiness.isBroken {
            connection.client.isHungUp = true
        }
        if readiness.isWritable, fresh.hasRoom(for: connection.client, among: core.clientCount) {
            let bytes = connection.flush()
            fresh.add(lines: 0, bytes: bytes, of: connection.client, among: core.clientCount)
            // What the descriptor is watched for changes once all is written.
            core.flushLater(connection.client)
        }
        guard !connection.isWaiting else { return passOver(connection) }
        // What else is there is told again in the next turn.
        guard connection.readIn != fresh.turn else { return }
        if readiness.isReadable || connection.isHungUp, !connection.isInputEnded {
            connection.isUnread = connection.isUnread || !connection.hasWork
        }
        carryOutFresh(connection)
    }

    /// A client that waits for its turn stays watched, which costs less than to change that twice;
    /// but not beside so many others that to pass over it in each turn costs more.
    private func passOver(_ connection: Connection) {
        guard ready.count >= Self.readyMany, !connection.isPutAside else { return }
        connection.isPutAside = true
        core.flushLater(connection.client)
    }

    /// Writes what the turn has released, and closes who is done.
    private func flush() {
        var isMore = true
        while isMore {
            isMore = false
            // First all is told, one answer right after the other, and then looked after: a peer
            // that has to be woken for each of them takes five times as long.
            var unsettled: [Connection] = []
            for client in core.takeFlushable() {
                guard let connection = connections[client.tag] else { continue }
                connection.flush()
                if !connection.isAtRest { unsettled.append(connection) }
            }
            for connection in unsettled where connections[connection.tag] === connection {
                let client = connection.client
                if core.outputDrained(client) { isMore = true }
                if connection.isHungUp, !connection.hasWork, connection.isInputEnded {
                    core.closed(client)
                }
                if core.isConnected(client), client.isDone, client.output.count == 0 {
                    core.closed(client)
                }
                if !core.isConnected(client) {
                    close(connection)
                    isMore = true
                } else {
                    watch(connection)
                    // Lines that had to wait until the client has read what it is told.
                    if connection.hasWork, mayAnswer(connection) {
                        wait(connection)
                    }
                }
            }
            if isMore { core.endTurn() }
        }
    }

    private func close(_ connection: Connection) {
        connections.remove(connection)
        connection.finish(through: &buffer)
        if acceptsAgainAt != nil { resumeAccepting() }
    }

    /// Watches a connection for what is wanted of it now.
    func watch(_ connection: Connection) {
        if !connection.hasWork { connection.isPutAside = false }
        let isReadable =
            !connection.isInputEnded && !connection.isPutAside && mayAnswer(connection)
        let interest = Epoll.Interest(
            isReadable: isReadable, isWritable: connection.client.output.readyCount > 0)
        guard interest != connection.interest else { return }
        connection.interest = interest
        do throws(PosixError) {
            try epoll.modify(connection.raw, interest, tag: connection.tag)
        } catch {
            preconditionFailure("a watched descriptor can be watched for something else: \(error)")
        }
    }

    /// Stores what is left, lets go of those who have not read it to its end, and gives everything
    /// free that others want.
    func end() {
        core.beginTurn(at: Moment.now())
        core.tellHeldBack(until: SteadyTime(nanoseconds: .max))
        for connection in connections.all { core.closed(connection.client) }
        core.endTurn()
        core.storeWholeFunnel()
        storage.close(at: core.now)
        appSockets?.stop()
        for entry in core.takeLog() + storage.takeLog() { log.write(entry) }
        do throws(PosixError) {
            try listener.unlinkIfMine()
        } catch {
            log.write(LogEntry(.socketGone, "\(error), ignoring", [(.path, listener.path ?? "")]))
        }
    }

    private func armTimer() {
        var wanted = earlier(earlier(core.nextDeadline, storage.nextMaintenance), funnelDue)
        wanted = earlier(earlier(wanted, acceptsAgainAt), earlier(farewellEndsAt, idleEnd))
        wanted = earlier(wanted, appSockets?.nextTime ?? appSocketsAgainAt)
        wanted = earlier(earlier(wanted, watchesAgainAt), service.againAt)
        guard wanted != armedAt else { return }
        armedAt = wanted
        if let wanted {
            timer.arm(at: wanted.nanoseconds)
        } else {
            timer.disarm()
        }
    }
}
