import Posix
package import RatingPolicy

/// Finds out who is at the other end of a connection, from what the kernel says and not the peer.
package enum PeerIdentity {
    /// The uid of peers that the kernel does not name: nobody's, and never root's.
    package static let noUser = UserID.max

    /// How the kernel is asked for the peer's process.
    package enum Route: Sendable {
        /// By the connection; by number only if the kernel does not know that question.
        case connection
        /// By the number that it noted when the peer connected, as before Linux 6.5.
        ///
        /// If the process is gone and another has its number by now, the two cannot be told apart
        /// then, unless they are of different users.
        case number
    }

    /// Looks once, right after `accept`; everything comes back as values.
    ///
    /// It is the process that connected, whoever holds the socket now: a proxy is itself. In this
    /// order: a Flatpak app (verified), a Snap (verified), a unit named after an app (a hint,
    /// unverified), else it is what it claims. What cannot be read is unknown. `verified` means
    /// that a sandboxed app cannot have chosen it; a process outside of any sandbox can always
    /// pose as an app of its user. Takes three descriptors for a moment, and never waits for
    /// anybody.
    package static func identify(
        _ socket: Int32, by route: Route = .connection
    ) -> Identification {
        var peer = Peer(user: noUser, process: ProcessID(number: 0), identity: .unknown)
        do throws(Doubt) {
            let credentials = try doubting { () throws(PosixError) in
                try SocketIO.peerCredentials(socket)
            }
            peer.user = credentials.uid
            peer.process.number = credentials.pid
            let process = try PeerProcess.find(at: socket, credentials, by: route)
            let status = try ProcessFiles.status(of: process.number)
            peer.process.startedAt = status.startedAt
            let identity = try identity(
                of: process.number, childOf: status.parent, user: peer.user)
            try process.requireAlive()
            peer.identity = identity
            return .known(peer)
        } catch {
            switch error {
            case .exhausted(let error): return .exhausted(peer, error)
            case .unreadable(let reason): return .unknown(peer, reason: reason)
            }
        }
    }

    /// What /proc says of the process that has this number.
    private static func identity(
        of number: Int32, childOf parent: Int32, user: UserID
    ) throws(Doubt) -> Identity {
        if let app = try PeerRoot(ofProcess: number).flatpakApp() {
            return Identity(source: .flatpak, isVerified: true, app: app)
        }
        let groups = try ProcessFiles.controlGroups(of: number)
        switch groups.snap {
        case .success(let name): return Identity(source: .snap, isVerified: true, app: name.app)
        case .failure: throw .unreadable("its control group looks like a Snap's and names none")
        case nil: break
        }
        guard let (unit, own) = groups.appUnit(of: user), unit.namesItsProcesses else {
            return .claimed
        }
        guard try isFirst(childOf: parent, in: own) else { return .claimed }
        return Identity(source: .unit, isVerified: false, app: unit.app)
    }

    /// Whether a process was put into these groups, rather than started by one that is in them.
    ///
    /// A shell in a terminal's unit and what it starts are not the terminal.
    private static func isFirst(
        childOf parent: Int32, in groups: ArraySlice<String>
    ) throws(Doubt) -> Bool {
        if parent == 0 { return true }
        do {
            return try !ProcessFiles.controlGroups(of: parent).isIn(groups)
        } catch {
            switch error {
            case .exhausted: throw error
            case .unreadable: return false
            }
        }
    }
}
