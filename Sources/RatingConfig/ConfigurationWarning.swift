internal import Posix

/// Something in a configuration file that is not used; what was in force stays so.
package struct ConfigurationWarning: Hashable, Sendable, CustomStringConvertible {
    package let file: String
    /// Counted from 1; nil if the whole file is meant.
    package let line: Int?
    /// What is wrong, without the end "ignoring".
    package let text: String

    /// `PATH:LINE: text, ignoring`.
    package var description: String {
        let place = line.map { ":\($0)" } ?? ""
        return escapedForLog(file, maxBytes: 1_024) + place + ": " + text + ", ignoring"
    }
}

/// The first warnings, and the number of those after them.
struct WarningList: Hashable, Sendable {
    private(set) var kept: [ConfigurationWarning] = []
    private(set) var leftOut = 0

    mutating func append(_ text: String, file: String, line: Int? = nil) {
        guard kept.count < ConfigurationLimits.warningsMax else {
            leftOut += 1
            return
        }
        kept.append(ConfigurationWarning(file: file, line: line, text: text))
    }
}

/// Text from a file as a warning repeats it: escaped, cut, in quotes.
func excerpt(_ text: String) -> String {
    "'" + escapedForLog(text, maxBytes: ConfigurationLimits.excerptBytesMax) + "'"
}
