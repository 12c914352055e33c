internal import CLinux
internal import Glibc

/// What the standard streams are connected to.
package enum Terminal {
    package static func isTerminal(_ fd: Int32) -> Bool {
        isatty(fd) == 1
    }

    /// The number of lines that a terminal shows; nil if nobody knows.
    static func rows(_ fd: Int32) -> Int? {
        let rows = clinux_terminal_rows(fd)
        return rows > 0 ? Int(rows) : nil
    }
}
