internal import Glibc

/// Standard output, a line at a time.
///
/// Nothing is kept back: who reads a line sees it when it was printed.
package struct Output: Sendable {
    private let fd: Int32
    package let isTerminal: Bool

    package init(fd: Int32 = 1) {
        self.fd = fd
        isTerminal = Terminal.isTerminal(fd)
    }

    /// Prints lines; all of them go out in as few writes as the system allows.
    ///
    /// A reader that went away is a failure without a message: it has all it wanted. That only
    /// comes here where SIGPIPE is ignored.
    package func print(_ lines: [String]) throws(ControlFailure) {
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        try writeAll(fd, bytes)
    }

    package func print(_ line: String) throws(ControlFailure) {
        try print([line])
    }
}

/// Standard error: what is said beside the result, with the program's name.
package enum Messages {
    /// Prints one message. That nobody reads it changes nothing.
    package static func print(_ message: String, of program: String = "ratingctl") {
        write("\(program): \(message)\n")
    }

    package static func warn(_ message: String, of program: String = "ratingctl") {
        print("warning: " + message, of: program)
    }

    package static func print(_ failure: ControlFailure, of program: String = "ratingctl") {
        guard !failure.message.isEmpty else { return }
        print(failure.message, of: program)
        if let hint = failure.hint { write(hint + "\n") }
    }

    /// Writes a text as it is.
    package static func write(_ text: String) {
        try? writeAll(2, Array(text.utf8))
    }
}

/// Writes every byte, waiting where a descriptor does not.
func writeAll(_ fd: Int32, _ bytes: [UInt8]) throws(ControlFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(fd, $0.baseAddress, $0.count) }
        if count >= 0 {
            rest = rest.dropFirst(count)
            continue
        }
        switch errno {
        case EINTR:
            continue
        case EAGAIN:
            var watched = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&watched, 1, -1)
        case EPIPE:
            throw ControlFailure(.done, "")
        case let code:
            let reason = unsafe String(cString: strerror(code))
            throw ControlFailure(.outputFailed, "writing the result failed: \(reason)")
        }
    }
}
