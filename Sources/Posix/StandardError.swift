import Glibc

/// Standard error, for a process that must not wait for whoever reads it.
package enum StandardError {
    /// Writes a line of at most PIPE_BUF (4,096) bytes, if it can be taken at once; false if not.
    ///
    /// The descriptor is shared with others and so stays blocking; a pipe that polls as writable
    /// takes that much without waiting. See poll(2), pipe(7).
    package static func write(_ line: String) -> Bool {
        var watched = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&watched, 1, 0) == 1, watched.revents & Int16(POLLOUT) != 0,
            watched.revents & Int16(POLLERR | POLLNVAL) == 0
        else { return false }
        let bytes = Array(line.utf8.prefix(4_096))
        let written = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(2, $0.baseAddress, $0.count)
        }
        return written == bytes.count
    }
}

/// Standard output, for the few lines of a program that ends afterwards.
package enum StandardOutput {
    package static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(1, $0.baseAddress, $0.count)
            }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
