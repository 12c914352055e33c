/// A key of the policy (SPEC 3.1), by its name in files.
package enum PolicyKey: String, CaseIterable, Hashable, Sendable {
    case enabled = "Enabled"
    case sessionsUntilPrompt = "SessionsUntilPrompt"
    case eventsUntilPrompt = "EventsUntilPrompt"
    case daysUntilPrompt = "DaysUntilPrompt"
    case sessionGapSec = "SessionGapSec"
    case debounceMs = "DebounceMs"
    case onActivity = "OnActivity"
    case pendingMaxSec = "PendingMaxSec"
    case confirmTimeoutMs = "ConfirmTimeoutMs"
    case oncePerVersion = "OncePerVersion"
    case minIntervalDays = "MinIntervalDays"
    case promptsPerYear = "PromptsPerYear"
    case daysAfterLater = "DaysAfterLater"
    case daysAfterDeclined = "DaysAfterDeclined"
    case daysAfterRated = "DaysAfterRated"
    case outcomeTimeoutSec = "OutcomeTimeoutSec"
    case reviewURL = "ReviewURL"
    case allowDebug = "AllowDebug"
    case userEnabled = "User.Enabled"
    case userMinIntervalDays = "User.MinIntervalDays"
    case userPromptsPerYear = "User.PromptsPerYear"

    /// The section of a file the key stands in.
    package enum Section: Hashable, Sendable {
        case policy
        case user
    }

    /// What a value of the key may be.
    package enum Domain: Hashable, Sendable {
        case flag
        case integer(ClosedRange<Int64>)
        case onActivity
        case reviewURL
    }

    /// What happens when an app's `hello` names the key too.
    package enum Precedence: Hashable, Sendable {
        /// Thresholds and times: a file wins, else `hello`.
        case file
        /// Caps: the smaller value.
        case smaller
        /// Intervals: the longer value, −1 being the longest.
        case longer
        /// A flag that `hello` can only turn on.
        case onlyOn
        /// Not for `hello` to set.
        case filesOnly
    }

    /// The longest that an app may wait for an outcome, in seconds.
    package static let outcomeTimeoutSecMax: Int64 = 86_400

    /// Domain, default and precedence of the key, as the table in SPEC 3.1 gives them.
    private var row: (domain: Domain, standard: PolicyValue, precedence: Precedence) {
        let days: ClosedRange<Int64> = 0...36_500
        let counts: ClosedRange<Int64> = 0...1_000_000_000
        return switch self {
        case .enabled: (.flag, .flag(true), .filesOnly)
        case .sessionsUntilPrompt: (.integer(counts), .integer(3), .file)
        case .eventsUntilPrompt: (.integer(counts), .integer(10), .file)
        case .daysUntilPrompt: (.integer(days), .integer(7), .file)
        case .sessionGapSec: (.integer(0...86_400), .integer(1_800), .file)
        case .debounceMs: (.integer(0...600_000), .integer(2_000), .file)
        case .onActivity: (.onActivity, .onActivity(.cancel), .file)
        case .pendingMaxSec: (.integer(1...86_400), .integer(600), .file)
        case .confirmTimeoutMs: (.integer(100...60_000), .integer(2_000), .file)
        case .oncePerVersion: (.flag, .flag(true), .onlyOn)
        case .minIntervalDays: (.integer(days), .integer(7), .longer)
        case .promptsPerYear: (.integer(0...12), .integer(3), .smaller)
        case .daysAfterLater: (.integer(days), .integer(14), .longer)
        case .daysAfterDeclined: (.integer(days), .integer(90), .longer)
        case .daysAfterRated: (.integer(-1...36_500), .integer(365), .longer)
        case .outcomeTimeoutSec: (.integer(1...Self.outcomeTimeoutSecMax), .integer(600), .file)
        case .reviewURL: (.reviewURL, .reviewURL(.standard), .file)
        case .allowDebug: (.flag, .flag(false), .filesOnly)
        case .userEnabled: (.flag, .flag(true), .filesOnly)
        case .userMinIntervalDays: (.integer(days), .integer(1), .filesOnly)
        case .userPromptsPerYear: (.integer(0...365), .integer(12), .filesOnly)
        }
    }

    package var domain: Domain { row.domain }
    package var standard: PolicyValue { row.standard }
    package var precedence: Precedence { row.precedence }

    package var section: Section {
        switch self {
        case .userEnabled, .userMinIntervalDays, .userPromptsPerYear: .user
        default: .policy
        }
    }

    /// The key's name inside its section, as in files: `DebounceMs`.
    package var fileName: String {
        section == .user ? String(rawValue.dropFirst("User.".count)) : rawValue
    }

    /// The key's name inside its section, as in `hello.policy`: `debounce_ms`, `review_url`.
    package var wireName: String {
        if self == .reviewURL { return "review_url" }
        var name = ""
        for character in fileName {
            if character.isUppercase, !name.isEmpty { name += "_" }
            name += character.lowercased()
        }
        return name
    }

    package static func named(_ fileName: String, in section: Section) -> PolicyKey? {
        allCases.first { $0.section == section && $0.fileName == fileName }
    }

    package static func wireNamed(_ wireName: String, in section: Section) -> PolicyKey? {
        byWireName[section]?[wireName]
    }

    /// Made once, since a line can name thousands.
    private static let byWireName = Dictionary(grouping: allCases, by: \.section).mapValues {
        Dictionary(uniqueKeysWithValues: $0.map { ($0.wireName, $0) })
    }
}

extension PolicyKey {
    /// What is allowed, for error messages: "a whole number from 0 to 36500".
    package var allowed: String {
        switch domain {
        case .flag: "yes or no"
        case .integer(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .onActivity: "cancel or restart"
        case .reviewURL: ReviewURL.grammar
        }
    }

    /// True if the value is of the key's type and in its range.
    package func allows(_ value: PolicyValue) -> Bool {
        switch (domain, value) {
        case (.flag, .flag), (.onActivity, .onActivity), (.reviewURL, .reviewURL): true
        case (.integer(let range), .integer(let number)): range.contains(number)
        default: false
        }
    }

    /// Reads a value as files hold it; nil if it is not `allowed`.
    package func value(from text: String) -> PolicyValue? {
        let value: PolicyValue? =
            switch domain {
            case .flag: Self.flag(from: text).map(PolicyValue.flag)
            case .integer: Self.integer(from: text).map(PolicyValue.integer)
            case .onActivity: OnActivity(rawValue: text).map(PolicyValue.onActivity)
            case .reviewURL: ReviewURL(text).map(PolicyValue.reviewURL)
            }
        return value.flatMap { allows($0) ? $0 : nil }
    }

    /// Yes, no and their synonyms in systemd's files.
    package static func flag(from text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1", "y", "t": true
        case "no", "false", "off", "0", "n", "f": false
        default: nil
        }
    }

    /// A whole number in decimal digits, with a minus sign before it at most.
    package static func integer(from text: String) -> Int64? {
        text.hasPrefix("+") ? nil : Int64(text)
    }
}

/// What an `[Event NAME]` section needs: how many events of that name.
package enum EventNeed {
    package static let range: ClosedRange<Int64> = 0...1_000_000_000
    package static let allowed = "a whole number from 0 to 1000000000"

    /// Reads a need as files hold it; nil if it is not `allowed`.
    package static func value(from text: String) -> Int64? {
        PolicyKey.integer(from: text).flatMap { range.contains($0) ? $0 : nil }
    }
}
