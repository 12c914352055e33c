import Posix

/// Sends entries to the journal in its native protocol, one datagram each, and never waits.
///
/// Not by sd_journal_sendv(3), which waits while journald is slow: what cannot be sent at once is
/// dropped and counted.
package struct Journal: ~Copyable {
    /// The longest value that is sent, in bytes after escaping.
    package static let valueBytesMax = 1024
    /// Where journald listens.
    package static let defaultPath = "/run/systemd/journal/socket"

    private let path: String
    private var sender: DatagramSender?
    private var dropped = 0

    package init(path: String = Journal.defaultPath) {
        self.path = path
    }

    /// Sends one entry; false if it had to be dropped.
    ///
    /// Values are escaped to one line and cut, so that none can forge a field. Names are the
    /// program's own: at most 64 of `A-Z`, `0-9` and `_`, with a letter first.
    @discardableResult
    package mutating func send(_ fields: [(name: String, value: String)]) -> Bool {
        var entry: [UInt8] = []
        for field in fields {
            precondition(isFieldName(field.name), "journald would ignore such a field")
            entry += field.name.utf8
            entry.append(UInt8(ascii: "="))
            entry += escapedForLog(field.value, maxBytes: Self.valueBytesMax).utf8
            entry.append(UInt8(ascii: "\n"))
        }
        let isSent = transmit(entry)
        if !isSent { dropped += 1 }
        return isSent
    }

    /// How many entries were dropped since this was last asked.
    package mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }

    /// Whether standard error goes to the journal, which then need not be told twice. See
    /// systemd.exec(5), JOURNAL_STREAM.
    package static func isStandardError() -> Bool {
        guard let stream = environment("JOURNAL_STREAM"),
            let status = try? Files.status(of: 2)
        else { return false }
        return stream == "\(status.device):\(status.inode)"
    }

    /// Addressed anew each time, so a journald that was restarted is found again.
    private mutating func transmit(_ entry: [UInt8]) -> Bool {
        if sender == nil { sender = try? DatagramSender() }
        return (try? sender?.send(entry, to: path)) != nil
    }
}

private func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
    return isUpper(first)
        && name.utf8.allSatisfy { isUpper($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
}

private func isUpper(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
