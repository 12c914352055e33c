import CLinux

/// A system call that failed: what was tried, on what, and why not.
///
/// Its text is one line for logs and terminals: `open 'PATH' failed: Permission denied`.
package struct PosixError: Error, Equatable, CustomStringConvertible {
    /// The call, such as "open".
    package let operation: String
    /// What it was tried on, mostly a path.
    package let subject: String?
    /// The `errno` value.
    package let code: Int32

    package init(operation: String, subject: String? = nil, code: Int32) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// The reason alone: `Permission denied`.
    package var reason: String {
        guard let text = unsafe clinux_error_text(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    package var description: String {
        let object = subject.map { " '" + escapedForLog($0, maxBytes: 1024) + "'" } ?? ""
        return operation + object + " failed: " + reason
    }
}
