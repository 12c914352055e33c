import Posix
import RatingPolicy
import Systemd

/// Where log entries go: the journal if standard error leads there, else standard error.
///
/// Never waits: what cannot be written now is dropped, counted, and reported later.
final class LogSink {
    private var journal: Journal?
    private var dropped = 0
    var level: LogLevel = .info

    /// The longest line on standard error, in bytes; short enough for a pipe to take it whole.
    static let lineBytesMax = 1_024

    init() {
        journal = Systemd.Journal.isStandardError() ? Journal() : nil
    }

    func write(_ entry: LogEntry) {
        guard entry.kind.level <= level else { return }
        let isWritten = send(entry)
        if !isWritten {
            dropped += 1
        } else if dropped > 0, entry.kind != .entriesDropped {
            let count = dropped
            dropped = 0
            write(
                LogEntry(
                    .entriesDropped, "\(count) log entries could not be written",
                    [(.suppressed, String(count))]))
        }
    }

    private func send(_ entry: LogEntry) -> Bool {
        guard journal != nil else {
            let line = escapedForLog("ratingd: " + entry.text, maxBytes: Self.lineBytesMax) + "\n"
            return StandardError.write(line)
        }
        var fields: [(name: String, value: String)] = [
            ("MESSAGE", entry.text), ("MESSAGE_ID", entry.kind.messageID),
            ("PRIORITY", String(entry.kind.level.priority)), ("SYSLOG_IDENTIFIER", "ratingd"),
        ]
        for (field, value) in entry.fields {
            fields.append(("RATINGD_" + field.rawValue, value))
        }
        return journal?.send(fields) ?? false
    }
}
