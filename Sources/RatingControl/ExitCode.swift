/// How `ratingctl` and `ratingd-bench` end, so that scripts can tell why (SPEC 4).
package enum ExitCode: Int32, Sendable {
    /// Yes, or done.
    case done = 0
    /// The answer is no: not eligible, refused, nothing to cancel.
    case no = 1
    /// The command line makes no sense.
    case usage = 64
    /// A value on the command line is not one of its kind.
    case badData = 65
    /// There is no daemon to talk to.
    case noDaemon = 69
    /// Something is broken that should not be.
    case internalError = 70
    /// The result could not be written.
    case outputFailed = 74
    /// The same command may work later.
    case tryLater = 75
    case notPermitted = 77
    case timedOut = 124
}
