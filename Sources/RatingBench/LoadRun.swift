internal import Posix
internal import RatingControl

/// Drives all connections from one thread.
@safe final class LoadRun {
    /// How many bytes one read takes at most.
    private static let readBytes = 256 << 10
    /// How often whoever watches is told.
    private static let tickNanoseconds: Int64 = 250_000_000
    private static let waitMilliseconds: Int32 = 100

    private let connections: [LoadConnection]
    /// How long a client waits until the server is taken to hang.
    private let patienceSeconds: Double
    private let epoll: Epoll
    private let buffer: UnsafeMutableRawBufferPointer
    /// Which connections are watched for room to send as well.
    private var isWatchedForRoom: [Bool]
    private var tally = Tally()
    private var isEnding = false
    private var failure: ControlFailure?

    init(
        _ connections: [LoadConnection], patienceSeconds: Double
    ) throws(ControlFailure) {
        self.connections = connections
        self.patienceSeconds = patienceSeconds
        isWatchedForRoom = connections.map { _ in false }
        unsafe buffer = .allocate(byteCount: Self.readBytes, alignment: 64)
        do {
            epoll = try Epoll()
            for (index, connection) in connections.enumerated() {
                try epoll.add(connection.socket.raw, .readable, tag: UInt64(index))
            }
        } catch {
            throw ControlFailure(.internalError, "\(error)")
        }
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Keeps the load up for so long, then waits for what is still under way.
    ///
    /// `tick` is told now and then how much is done; true from it is the end.
    func run(
        nanoseconds: Int64, _ tick: (Int) -> Bool
    ) throws(ControlFailure) -> Tally {
        tally = Tally()
        isEnding = false
        let start = Clock.monotonicNanoseconds()
        var lastTick = start
        for index in connections.indices { goOn(index, at: start) }
        while !isEnding || connections.contains(where: { !$0.isDone }) {
            try turn()
            let now = Clock.monotonicNanoseconds()
            if now - start >= nanoseconds { isEnding = true }
            guard now - lastTick >= Self.tickNanoseconds else { continue }
            lastTick = now
            try checkPatience(at: now)
            if tick(tally.answers + tally.errorCount + tally.notifications) { isEnding = true }
        }
        return tally
    }

    /// Throws if a client has waited too long, though others may be served.
    private func checkPatience(at now: Int64) throws(ControlFailure) {
        let oldest = now - Int64(patienceSeconds * 1e9)
        for (index, connection) in connections.enumerated() where connection.progressAt < oldest {
            guard connection.isDone, !isWatchedForRoom[index] else {
                throw connection.peer.silence(patienceSeconds, of: connection.app)
            }
        }
    }

    /// Does what can be done now.
    private func turn() throws(ControlFailure) {
        do {
            try epoll.wait(timeoutMilliseconds: Self.waitMilliseconds) { tag, readiness in
                serve(Int(tag), readiness)
            }
        } catch {
            throw ControlFailure(.internalError, "\(error)")
        }
        if let failure { throw failure }
    }

    private func serve(_ index: Int, _ readiness: Epoll.Readiness) {
        guard failure == nil else { return }
        guard !readiness.isDisjoint(with: [.readable, .hangUp, .error]) else {
            return goOn(index, at: Clock.monotonicNanoseconds())
        }
        do {
            goOn(index, at: try unsafe connections[index].receive(buffer, &tally))
        } catch {
            failure = error
        }
    }

    /// Sends what a connection may send, and watches it for room if the socket is full.
    private func goOn(_ index: Int, at now: Int64) {
        let connection = connections[index]
        if !isEnding { connection.letGo(at: now, &tally) }
        connection.send(at: now)
        let wantsRoom = isEnding ? !connection.isSent : connection.canSend
        guard wantsRoom != isWatchedForRoom[index] else { return }
        isWatchedForRoom[index] = wantsRoom
        do {
            try epoll.modify(
                connection.socket.raw, wantsRoom ? [.readable, .writable] : .readable,
                tag: UInt64(index))
        } catch {
            failure = ControlFailure(.internalError, "\(error)")
        }
    }
}
