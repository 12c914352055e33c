internal import Posix

/// Why a command did not do what was asked: how to exit, one sentence, and what to try next.
package struct ControlFailure: Error, Equatable {
    package let code: ExitCode
    package let message: String
    package let hint: String?

    /// Makes both texts safe for terminals: they quote what users and daemons wrote.
    package init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = escapedForLog(message, maxBytes: 4096)
        self.hint = hint.map { escapedForLog($0, maxBytes: 4096) }
    }
}
