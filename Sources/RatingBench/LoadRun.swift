internal import Posix
internal import RatingControl

/// Drives all connections from one thread.
@safe final class LoadRun {
    /// How many bytes one read takes at most.
    private static let readBytes = 256 << 10
    /// A server that says nothing for so long with requests under way is taken to hang.
    private static let patienceNanoseconds: Int64 = 10_000_000_000
    /// How often whoever watches is told.
    private static let tickNanoseconds: Int64 = 250_000_000
    private static let waitMilliseconds: Int32 = 100

    private let connections: [LoadConnection]
    private let epoll: Epoll
    private let buffer: UnsafeMutableRawBufferPointer
    /// Which connections are watched for room to send as well.
    private var isWatchedForRoom: [Bool]
    private var tally = Tally()
    private var isEnding = false
    private var failure: ControlFailure?

    init(_ connections: [LoadConnection]) throws(ControlFailure) {
        self.connections = connections
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
        var (lastTick, lastProgress, lastDone) = (start, start, 0)
        for index in connections.indices { goOn(index, at: start) }
        while !isEnding || connections.contains(where: { !$0.isDone }) {
            try turn()
            let now = Clock.monotonicNanoseconds()
            if now - start >= nanoseconds { isEnding = true }
            guard now - lastTick >= Self.tickNanoseconds else { continue }
            lastTick = now
            let done = tally.answers + tally.errorCount + tally.notifications
            if done > lastDone { (lastProgress, lastDone) = (now, done) }
            guard now - lastProgress < Self.patienceNanoseconds else {
                throw connections[0].peer.silence
            }
            if tick(done) { isEnding = true }
        }
        return tally
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
        connection.send()
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
