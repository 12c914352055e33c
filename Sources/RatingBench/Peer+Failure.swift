internal import RatingControl
internal import RatingWire

/// Why a run ends before it has measured, each with what to do about it.
extension Peer {
    /// The connection has ended, with this last word if there was one.
    func closed(_ reason: String?) -> ControlFailure {
        guard let reason else {
            return ControlFailure(
                .noDaemon, "the server closed a connection without a word",
                hint: self == .ratingd ? "See 'ratingctl logs'." : nil)
        }
        return ControlFailure(
            .tryLater, "the daemon ended a connection: \(reason)",
            hint: reason == Self.fullReason ? Self.fullHint : "Try again later.")
    }

    /// A question besides the load was answered with an error.
    func refusal(_ error: JSONValue) -> ControlFailure {
        let failure = ControlFailure(error: error)
        guard error["data"]?["reason"]?.string == Self.fullReason else { return failure }
        return ControlFailure(failure.code, failure.message, hint: Self.fullHint)
    }

    /// The server speaks another protocol.
    var stranger: ControlFailure {
        ControlFailure(
            .noDaemon, "what answers does not speak as \(rawValue) does",
            hint: "Look at --socket and --peer again.")
    }

    /// A client has got no answer, or could send nothing, within the time that one waits.
    func silence(_ seconds: Double, of app: String) -> ControlFailure {
        ControlFailure(
            .timedOut, "for \(short(seconds)) s the server has answered nothing to \(app)",
            hint: (self == .ratingd ? "See 'ratingctl logs' and what" : "See what")
                + " else the machine is doing; --patience waits longer.")
    }

    private static let fullReason = "quota_exceeded"
    private static let fullHint =
        "For many connections raise ConnectionsMax, ConnectionsPerUidMax (one process gets half of "
        + "it) and AppsPerUidMax in the section [Daemon] of its ratingd.conf."
}
