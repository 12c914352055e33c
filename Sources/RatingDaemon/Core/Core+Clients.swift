import RatingPolicy
import RatingStore
import RatingWire

/// Coming and going.
extension Core {
    /// Somebody connected. One over a limit is a client too, with its one line and to be closed.
    ///
    /// `isExhausted`: there were no descriptors to find out who it is. `own`: the app whose socket
    /// it came to; who is known to be another is told so and closed.
    func connected(_ peer: Peer, isExhausted: Bool = false, at own: AppID? = nil) -> Client {
        var peer = peer
        var strangeness: Failure?
        if let own {
            if let identity = peer.identity.atSocket(of: own) {
                peer.identity = identity
            } else {
                strangeness = .notPermitted(
                    "this socket is for '\(own.string)' alone",
                    identity: IdentityReply(peer.identity))
            }
        }
        let user = connectedUser(peer.user)
        let process = process(peer.process, of: user)
        let client = Client(nextClientID(), peer: peer, user: user, process: process)
        clients[client.id] = client
        let refusal =
            isExhausted
            ? overLimit(.connections, user: user.id)
            : refusal(of: process, user: user) ?? strangeness
        user.processes[peer.process] = process
        process.connectionCount += 1
        user.connectionCount += 1
        statistics.connections += 1
        if let refusal { refuse(client, because: refusal) }
        return client
    }

    /// Refuses a client that has just connected: there is no way to serve it.
    func turnAway(_ client: Client) {
        guard !client.isClosing else { return }
        refuse(client, because: overLimit(.connections, user: client.user.id))
    }

    /// Gives a client that has just connected its one line; it is to be closed.
    private func refuse(_ client: Client, because failure: Failure) {
        statistics.refusedConnections += 1
        client.output.append { MessageWriter.appendError(.null, failure, to: &$0) }
        client.output.release()
        client.content.isClosing = true
    }

    /// The record is read when something needs it, which then can say that it cannot be.
    private func connectedUser(_ id: UserID) -> LiveUser {
        if let user = users[id] { return user }
        let user = LiveUser(id, record: UserRecord(), epoch: nil)
        users[id] = user
        return user
    }

    /// The limit that speaks against one connection more, if one does.
    ///
    /// Of a user's connections one process gets half at most, and the last place of each kind is
    /// for a process that has none yet, so that nobody shuts out `ratingctl`.
    private func refusal(of process: LiveProcess, user: LiveUser) -> Failure? {
        let own = process.connectionCount
        let kept = own == 0 ? 0 : 1
        if clients.count - 1 + kept >= Int(limits[.connections]) {
            return overLimit(.connections, user: user.id)
        }
        let isShareLeft = own < share(of: .connectionsPerUid)
        guard user.connectionCount + kept < Int(limits[.connectionsPerUid]), isShareLeft else {
            return overLimit(.connectionsPerUid, user: user.id, isShare: !isShareLeft)
        }
        return nil
    }

    /// Nothing more will come from the client, but it may still listen.
    func inputEnded(_ client: Client) {
        take(.inputEnded(client))
    }

    /// The client is gone.
    func closed(_ client: Client) {
        guard isConnected(client) else { return }
        take(.closed(client))
        countOutput(of: client)
        client.process.connectionCount -= 1
        if client.process.connectionCount == 0 { left.append(client) }
        client.user.connectionCount -= 1
    }

    func endInput(of client: Client) {
        touch(client)
        client.content.isInputEnded = true
    }

    func remove(_ client: Client) {
        touch(client)
        client.content.isConnected = false
        client.content.unfinished = nil
        clients[client.id] = nil
        unsubscribe(client)
        if let app = client.content.app {
            touch(app)
            app.content.clientCount -= 1
            client.content.app = nil
        }
        guard client.content.pendingCount > 0 else { return }
        for id in client.user.content.pending {
            guard let app = apps[AppKey(user: client.user.id, app: id)], let pending = app.pending,
                pending.requester == client.id,
                pending.delivery == .requester || pending.asksConfirm
            else { continue }
            endPending(of: app, because: .disconnected)
        }
    }

    /// The daemon ends: nobody is asked any more, and everybody is told.
    func shutDown() {
        take(.shutdown)
    }

    func endEverything() {
        turn.beganEnd = !isShuttingDown
        isShuttingDown = true
        for app in apps.values where app.pending != nil {
            endPending(of: app, because: .shuttingDown)
        }
        for client in clients.values where !client.content.isClosing {
            touch(client)
            finishAnswer(of: client)
            tell(.direct(client, .bye(.shuttingDown)))
            client.content.isClosing = true
        }
    }
}
