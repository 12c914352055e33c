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
    }

    package var source: Source
    package var isVerified: Bool
    /// The app the peer is; nil where only it itself says so.
    package var app: AppID?

    package init(source: Source, isVerified: Bool, app: AppID?) {
        self.source = source
        self.isVerified = isVerified
        self.app = app
    }

    package static let claimed = Identity(source: .claimed, isVerified: false, app: nil)
    package static let unknown = Identity(source: .unknown, isVerified: false, app: nil)

    /// True for peers that act for their own app only (P5).
    package var isSandboxed: Bool {
        switch source {
        case .flatpak, .snap, .unknown: true
        case .unit, .socket, .claimed: false
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
    /// 0 where the kernel has no number for it here.
    package var process: Int32
    package var identity: Identity

    package init(user: UserID, process: Int32, identity: Identity) {
        self.user = user
        self.process = process
        self.identity = identity
    }
}
