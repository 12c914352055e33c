package import Posix
package import RatingPolicy

/// Who a peer was found to be.
package enum Identification: Equatable, Sendable {
    /// Everything could be read.
    case known(Peer)
    /// The peer's identity is `.unknown`, and why, as one line for the log.
    case unknown(Peer, reason: String)
    /// The daemon had no descriptor or memory left to find out; the identity is `.unknown`.
    /// Refuse the connection, politely: another try may succeed.
    case exhausted(Peer, PosixError)

    package var peer: Peer {
        switch self {
        case .known(let peer), .unknown(let peer, _), .exhausted(let peer, _): peer
        }
    }
}
