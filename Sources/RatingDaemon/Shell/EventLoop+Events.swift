import Glibc
import PeerIdentity
import Posix
import RatingPolicy
import RatingWire

/// What the loop does beside serving clients.
extension EventLoop {
    /// The most that is told of why somebody cannot be identified; a sentence with a path in it.
    static let doubtBytesMax = 300

    // MARK: - New clients

    /// Welcomes one client, and the next in the next turn: to find out who one is takes a tenth of a
    /// millisecond, for which others wait.
    ///
    /// `own`: the app whose socket it is.
    func acceptClient(_ listener: borrowing ListeningSocket, at own: AppID?) {
        guard isListening else { return }
        switch listener.accept() {
        case .accepted(let descriptor): welcome(descriptor, at: own)
        case .wouldBlock: break
        case .retry: break
        case .exhausted(let error): pauseAccepting(because: error)
        }
    }

    private func welcome(_ descriptor: consuming Descriptor, at own: AppID?) {
        welcomedIn = fresh.turn
        let raw = descriptor.raw
        let client: Client
        switch PeerIdentity.identify(raw) {
        case .known(let peer): client = core.connected(peer, at: own)
        case .unknown(var peer, let reason):
            peer.doubt = escapedForLog(reason, maxBytes: Self.doubtBytesMax)
            client = core.connected(peer, at: own)
        case .exhausted(let peer, let error):
            core.noteExhausted(error.description)
            client = core.connected(peer, isExhausted: true, at: own)
        }
        let connection = Connection(
            descriptor, client: client, tag: connections.nextTag(), interest: .readable)
        do throws(PosixError) {
            try epoll.add(raw, .readable, tag: connection.tag)
        } catch {
            core.turnAway(client)
            connection.flush()
            connection.finish(through: &buffer)
            core.closed(client)
            pauseAccepting(because: error)
            return
        }
        connections.add(connection)
        core.flushLater(client)
    }

    /// Without descriptors a waiting client would make the loop spin; it waits outside instead.
    private func pauseAccepting(because error: PosixError) {
        core.noteExhausted(error.description)
        setListening(false)
        acceptsAgainAt = core.now.monotonic.adding(Self.acceptPause)
    }

    func resumeAccepting() {
        acceptsAgainAt = nil
        if farewellEndsAt == nil { setListening(true) }
    }

    private func setListening(_ isWanted: Bool) {
        guard isListening != isWanted else { return }
        isListening = isWanted
        do throws(PosixError) {
            try epoll.modify(
                listener.raw, isWanted ? .readable : [], tag: Tag.listener.rawValue)
            if let appSockets { try watch(appSockets) }
        } catch {
            preconditionFailure("a watched descriptor can be watched for something else: \(error)")
        }
    }

    // MARK: - Sockets of sandboxed apps

    /// Has them if the configuration says so, and not any more once the daemon ends.
    func settleAppSockets() {
        guard let appSocketsDirectory else { return }
        let isWanted = core.configuration.daemon.appSockets && farewellEndsAt == nil
        if let appSockets {
            if isWanted {
                appSockets.passTime(at: core.now.monotonic)
            } else {
                appSockets.stop()
                self.appSockets = nil
            }
        } else if !isWanted {
            appSocketsAgainAt = nil
        } else if isDue(appSocketsAgainAt) {
            startAppSockets(in: appSocketsDirectory)
        }
    }

    /// Whether it is time for what was put off until then; true if nothing was.
    private func isDue(_ time: SteadyTime?) -> Bool {
        time.map { $0 <= core.now.monotonic } ?? true
    }

    private func startAppSockets(in directory: String) {
        let core = core
        do throws(PosixError) {
            let sockets = try AppSockets(runtime: directory, countMax: appSocketsMax) {
                core.noteAppSocket(of: $0, at: $1, $2)
            }
            try epoll.add(sockets.raw, [], tag: Tag.appSockets.rawValue)
            try watch(sockets)
            appSockets = sockets
            appSocketsAgainAt = nil
            sockets.lookAround(at: core.now.monotonic)
        } catch {
            // All that fails here is a shortage of descriptors, memory or watches.
            appSocketsAgainAt = core.now.monotonic.adding(AppSockets.shortagePause)
            core.noteAppSocket(of: nil, at: directory, error.description)
        }
    }

    private func watch(_ sockets: AppSockets) throws(PosixError) {
        try epoll.modify(
            sockets.raw, isListening ? .readable : [], tag: Tag.appSockets.rawValue)
    }

    func serveAppSockets() {
        guard let socket = appSockets?.takeReady(at: core.now.monotonic) else { return }
        acceptClient(socket.listener, at: socket.site.app)
    }

    // MARK: - The socket's file

    /// Watches the directory of the socket, to tell when its file is taken away.
    func watchSocketFile() {
        guard let path = listener.path, path.hasPrefix("/") else { return }
        let isFirst = watchesAgainAt == nil
        watchesAgainAt = nil
        do throws(PosixError) {
            _ = try directory.watch(Files.parent(of: path))
        } catch {
            if error.isShortage {
                watchesAgainAt = core.now.monotonic.adding(AppSockets.shortagePause)
            }
            guard isFirst else { return }
            log.write(LogEntry(.socketGone, "\(error), ignoring", [(.path, path)]))
        }
    }

    /// Watches it after all, if watches were short and it is time to try again.
    func watchSocketFileAgain(at now: Moment) {
        guard let watchesAgainAt, watchesAgainAt <= now.monotonic else { return }
        watchSocketFile()
        checkSocketFile()
    }

    func checkSocketFile() {
        guard !listener.stillThere(), !isSocketGoneNoted else { return }
        isSocketGoneNoted = true
        let path = listener.path ?? ""
        log.write(
            LogEntry(
                .socketGone,
                "the socket's file '\(path)' is gone: new clients cannot connect until the "
                    + (listener.isInherited ? "socket unit" : "daemon") + " is restarted",
                [(.path, path)]))
    }

    // MARK: - Signals, reload, end

    func takeSignals() {
        while let signal = signals.next() {
            switch signal {
            case SIGHUP: core.reload()
            case SIGTERM, SIGINT: beginFarewell()
            default: break
            }
        }
    }

    private func beginFarewell() {
        guard farewellEndsAt == nil else { return }
        service.stopping()
        log.write(LogEntry(.stopped, "stopping on a signal", [(.reason, "signal")]))
        setListening(false)
        core.shutDown()
        farewellEndsAt = core.now.monotonic.adding(Self.farewellMax)
    }

    /// When an idle daemon ends; nil if it is not idle or stays.
    var idleEnd: SteadyTime? {
        let seconds = core.configuration.daemon.idleExitSec
        guard seconds > 0, let idleSince else { return nil }
        return idleSince.adding(seconds * .second)
    }

    func endIfDone(at now: Moment) {
        if let acceptsAgainAt, acceptsAgainAt <= now.monotonic { resumeAccepting() }
        if let farewellEndsAt {
            isFinished = connections.isEmpty || farewellEndsAt <= now.monotonic
            return
        }
        guard core.isIdle else {
            idleSince = nil
            return
        }
        if idleSince == nil { idleSince = now.monotonic }
        if let idleEnd, idleEnd <= now.monotonic {
            service.stopping()
            log.write(
                LogEntry(
                    .idleExit, "idle, ending; the next connect starts the daemon again",
                    [(.idle, String(core.configuration.daemon.idleExitSec))]))
            isFinished = true
        }
    }

    // MARK: - Funnel

    /// Stores the funnel a while after it changed, if no other commit took it along.
    ///
    /// A store that fails is tried again while there are clients: without them nobody wakes up.
    func maintainFunnel(at now: Moment) {
        guard core.hasFunnelToStore, storage.failure == nil || !core.isIdle else {
            funnelDue = nil
            return
        }
        if let funnelDue, funnelDue <= now.monotonic {
            // What is more comes with the next turn.
            if core.storeFunnel(), core.hasFunnelToStore { return }
            self.funnelDue = nil
        }
        guard core.hasFunnelToStore, funnelDue == nil else { return }
        funnelDue = now.monotonic.adding(Self.funnelDelay)
    }

    // MARK: - Clock

    /// Tells the log when the wall clock went back by a second or more (SPEC 3.4).
    func noticeClockStep(at now: Moment) {
        let lead = now.wall.milliseconds - now.monotonic.nanoseconds / 1_000_000
        defer { clockLead = lead }
        // Suspend moves the wall clock forward only.
        guard let clockLead, clockLead - lead >= .second else { return }
        let seconds = (clockLead - lead) / .second
        log.write(
            LogEntry(
                .clockSetBack,
                "the wall clock went back by \(seconds) s: times stored after it block until it "
                    + "is there again, or until 'ratingctl clock repair'",
                [(.step, String(seconds))]))
    }
}
