internal import CSQLite
internal import Posix

/// What fails inside the store, before it is told as a `StoreError`.
enum StoreFailure: Error {
    /// A call of SQLite: the extended result code, its text, and the `errno` behind it or 0.
    case sqlite(operation: String, code: Int32, text: String, errno: Int32)
    case posix(PosixError)
    /// The content is not what this program writes.
    case damaged(String)
    /// The schema is newer than this program.
    case newer(String)
    /// Another process has the state.
    case held(String)
    /// Something stands in the way that is neither damage nor an error of the system.
    case unusable(String)
    case ledgerDisagrees(String)
    case capReached(String)

    /// The cause in words.
    var cause: String {
        switch self {
        case .sqlite(let operation, let code, let text, let errno):
            // SQLite's "disk I/O error" hides the reason, the errno behind it tells.
            errno == 0
                ? "\(operation) failed: \(text) (SQLite code \(code))"
                : "\(operation) failed: \(text) (SQLite code \(code), "
                    + PosixError(operation: operation, code: errno).reason + ")"
        case .posix(let error): error.description
        case .damaged(let text), .newer(let text), .held(let text),
            .unusable(let text), .ledgerDisagrees(let text), .capReached(let text):
            text
        }
    }

    /// True if the content of the file is wrong, not the access to it.
    var isDamage: Bool {
        switch self {
        case .sqlite(_, let code, _, _): [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
        case .damaged: true
        default: false
        }
    }

    /// The same failure, met while the content was checked: what SQLite cannot make sense of then
    /// is damage.
    var asFoundByCheck: StoreFailure {
        guard case .sqlite(_, let code, _, _) = self else { return self }
        let isNonsense = [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_MISMATCH].contains(code & 0xFF)
        return isNonsense ? .damaged(cause) : self
    }

    /// True if after it nobody can say what is on disk.
    var leavesDoubt: Bool {
        switch self {
        case .sqlite(_, let code, _, _):
            !isBusy && ![SQLITE_CONSTRAINT, SQLITE_TOOBIG].contains(code & 0xFF)
        case .posix, .damaged, .newer, .held, .unusable: true
        case .ledgerDisagrees, .capReached: false
        }
    }

    /// True if somebody else is in the way for the moment.
    var isBusy: Bool {
        if case .sqlite(_, let code, _, _) = self {
            return [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF)
        }
        return false
    }
}

/// Runs calls of the system, with their errors as the store's.
func system<Value: ~Copyable>(
    _ body: @autoclosure () throws(PosixError) -> Value
) throws(StoreFailure) -> Value {
    do { return try body() } catch { throw .posix(error) }
}
