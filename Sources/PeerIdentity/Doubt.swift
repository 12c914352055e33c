import Glibc
import Posix

/// Why it cannot be said who a peer is.
enum Doubt: Error, Equatable {
    /// The daemon had no descriptor or memory left to look.
    case exhausted(PosixError)
    /// Something could not be read, or not be trusted; one sentence.
    case unreadable(String)

    init(_ error: PosixError) {
        switch error.code {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .exhausted(error)
        default: self = .unreadable(error.description)
        }
    }
}

/// Runs a call whose failure is a doubt.
func doubting<Value: ~Copyable>(
    _ call: () throws(PosixError) -> Value
) throws(Doubt) -> Value {
    do {
        return try call()
    } catch {
        throw Doubt(error)
    }
}
