/// Who is at the other end of a connection, as far as the kernel lets it be known.
package struct Identity: Hashable, Sendable {
    package enum Source: String, Hashable, Sendable {
        case flatpak
        case snap
        /// A systemd unit named after a desktop app.
        case unit
        /// The app's own socket, which names it.
        case socket
        /// Nothing but the peer's word.
        case claimed
        /// It could not be read, so nothing is assumed; never "not sandboxed".
        case unknown

        fileprivate var isSandboxed: Bool {
            switch self {
            case .flatpak, .snap, .unknown: true
            case .unit, .socket, .claimed: false
            }
        }
    }

    package var source: Source
    package var isVerified: Bool
    /// The app the peer is; nil where only it itself says so. Of a unit it is a hint.
    package var app: AppID?
    /// True for peers that act for their own app only (P5).
    package var isSandboxed: Bool

    /// `isSandboxed`: as the source says, unless given.
    package init(source: Source, isVerified: Bool, app: AppID?, isSandboxed: Bool? = nil) {
        self.source = source
        self.isVerified = isVerified
        self.app = app
        self.isSandboxed = isSandboxed ?? source.isSandboxed
    }

    package static let claimed = Identity(source: .claimed, isVerified: false, app: nil)
    package static let unknown = Identity(source: .unknown, isVerified: false, app: nil)

    /// The app that is meant when the peer names none: not the one that only a unit's name hints
    /// at.
    package var defaultApp: AppID? {
        source == .unit ? nil : app
    }

    /// The identity of this peer where it connected to the socket of an app, nil if the two do not
    /// agree (SPEC 6).
    ///
    /// A sandboxed app is at its own socket only. An unsandboxed peer there is that app by default
    /// and no more restricted than elsewhere. One that cannot be read is that app and may be no
    /// other.
    package func atSocket(of own: AppID) -> Identity? {
        switch source {
        case .flatpak, .snap:
            return app == own ? self : nil
        case .unit, .socket, .claimed, .unknown:
            return Identity(
                source: .socket, isVerified: false, app: own, isSandboxed: isSandboxed)
        }
    }

    /// Whether the peer may act for an app.
    package func mayAct(for other: AppID) -> Bool {
        !isSandboxed || app == other
    }
}

/// The process at the other end of a connection.
package struct Peer: Hashable, Sendable {
    package var user: UserID
    package var process: ProcessID
    package var identity: Identity
    /// Why it cannot be told who it is, one line, safe to be printed; nil where it can.
    package var doubt: String?

    package init(user: UserID, process: ProcessID, identity: Identity) {
        self.user = user
        self.process = process
        self.identity = identity
    }
}
