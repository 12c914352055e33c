import RatingPolicy
import Testing

/// The table of SPEC 3.1, once more and by hand.
struct PolicyKeyTests {
    struct Whole: Sendable {
        var key: PolicyKey
        var wireName: String
        var standard: Int64
        var range: ClosedRange<Int64>
        var precedence: PolicyKey.Precedence

        init(
            _ key: PolicyKey, _ wireName: String, _ standard: Int64, _ range: ClosedRange<Int64>,
            _ precedence: PolicyKey.Precedence
        ) {
            self.key = key
            self.wireName = wireName
            self.standard = standard
            self.range = range
            self.precedence = precedence
        }
    }

    static let wholes = [
        Whole(.sessionsUntilPrompt, "sessions_until_prompt", 3, 0...1_000_000_000, .file),
        Whole(.eventsUntilPrompt, "events_until_prompt", 10, 0...1_000_000_000, .file),
        Whole(.daysUntilPrompt, "days_until_prompt", 7, 0...36_500, .file),
        Whole(.sessionGapSec, "session_gap_sec", 1_800, 0...86_400, .file),
        Whole(.debounceMs, "debounce_ms", 2_000, 0...600_000, .file),
        Whole(.pendingMaxSec, "pending_max_sec", 600, 1...86_400, .file),
        Whole(.confirmTimeoutMs, "confirm_timeout_ms", 2_000, 100...60_000, .file),
        Whole(.minIntervalDays, "min_interval_days", 7, 0...36_500, .longer),
        Whole(.promptsPerYear, "prompts_per_year", 3, 0...12, .smaller),
        Whole(.daysAfterLater, "days_after_later", 14, 0...36_500, .longer),
        Whole(.daysAfterDeclined, "days_after_declined", 90, 0...36_500, .longer),
        Whole(.daysAfterRated, "days_after_rated", 365, -1...36_500, .longer),
        Whole(.outcomeTimeoutSec, "outcome_timeout_sec", 600, 1...86_400, .file),
        Whole(.userMinIntervalDays, "min_interval_days", 1, 0...36_500, .filesOnly),
        Whole(.userPromptsPerYear, "prompts_per_year", 12, 0...365, .filesOnly),
    ]

    static let flags: [(PolicyKey, String, Bool, PolicyKey.Precedence)] = [
        (.enabled, "enabled", true, .filesOnly), (.userEnabled, "enabled", true, .filesOnly),
        (.oncePerVersion, "once_per_version", true, .onlyOn),
        (.allowDebug, "allow_debug", false, .filesOnly),
    ]

    @Test func `these and the two others are all keys there are`() {
        let named = Self.wholes.map(\.key) + Self.flags.map(\.0) + [.onActivity, .reviewURL]
        #expect(Set(named) == Set(PolicyKey.allCases))
        #expect(named.count == PolicyKey.allCases.count)
    }

    @Test(arguments: wholes)
    func `a whole number: default, both ends, one outside each`(row: Whole) {
        #expect(row.key.standard == .integer(row.standard))
        #expect(row.key.precedence == row.precedence)
        #expect(row.key.wireName == row.wireName)
        for inside in [row.range.lowerBound, row.standard, row.range.upperBound] {
            #expect(row.key.value(from: String(inside)) == .integer(inside))
            #expect(row.key.allows(.integer(inside)))
        }
        for outside in [row.range.lowerBound - 1, row.range.upperBound + 1, .min, .max] {
            #expect(row.key.value(from: String(outside)) == nil)
            #expect(!row.key.allows(.integer(outside)))
        }
        #expect(!row.key.allows(.flag(true)))
        #expect(
            row.key.allowed
                == "a whole number from \(row.range.lowerBound) to \(row.range.upperBound)")
    }

    @Test(arguments: [
        "", " ", "x", "+1", "1 ", " 1", "1.0", "1e2", "0x1", "1d", "--1", "-", "٣", "1\0", "yes",
        "9223372036854775808", "99999999999999999999999",
    ])
    func `nonsense is no whole number`(text: String) {
        for row in Self.wholes {
            #expect(row.key.value(from: text) == nil)
        }
    }

    @Test(arguments: flags)
    func `a flag: default and every way to write it`(
        key: PolicyKey, wireName: String, standard: Bool, precedence: PolicyKey.Precedence
    ) {
        #expect(key.standard == .flag(standard))
        #expect(key.precedence == precedence)
        #expect(key.wireName == wireName)
        for text in ["yes", "true", "on", "1", "y", "t", "YES", "True"] {
            #expect(key.value(from: text) == true)
        }
        for text in ["no", "false", "off", "0", "n", "f", "No", "FALSE"] {
            #expect(key.value(from: text) == false)
        }
        for text in ["", "2", "-1", "ja", "yess", " yes", "enable", "10"] {
            #expect(key.value(from: text) == nil)
        }
        #expect(key.allowed == "yes or no")
        #expect(!key.allows(1))
    }

    @Test func `what activity does: two words and no other`() {
        #expect(PolicyKey.onActivity.standard == .onActivity(.cancel))
        #expect(PolicyKey.onActivity.precedence == .file)
        #expect(PolicyKey.onActivity.wireName == "on_activity")
        #expect(PolicyKey.onActivity.value(from: "cancel") == .onActivity(.cancel))
        #expect(PolicyKey.onActivity.value(from: "restart") == .onActivity(.restart))
        for text in ["", "Cancel", "restart ", "ignore", "0", "yes"] {
            #expect(PolicyKey.onActivity.value(from: text) == nil)
        }
    }

    @Test func `the review URL is of one of three schemes`() {
        #expect(PolicyKey.reviewURL.standard.text == "appstream://%a")
        #expect(PolicyKey.reviewURL.precedence == .file)
        #expect(PolicyKey.reviewURL.wireName == "review_url")
        #expect(PolicyKey.reviewURL.value(from: "snap://x")?.text == "snap://x")
        #expect(PolicyKey.reviewURL.value(from: "http://x") == nil)
    }

    @Test func `every key is found by both its names, in its own section only`() {
        for key in PolicyKey.allCases {
            let other: PolicyKey.Section = key.section == .user ? .policy : .user
            #expect(PolicyKey.named(key.fileName, in: key.section) == key)
            #expect(PolicyKey.wireNamed(key.wireName, in: key.section) == key)
            #expect(PolicyKey.named(key.fileName, in: other) != key)
            #expect(PolicyKey.wireNamed(key.wireName, in: other) != key)
        }
        #expect(PolicyKey.named("Enabled", in: .user) == .userEnabled)
        #expect(PolicyKey.named("DebounceMs", in: .user) == nil)
        for name in ["", "enabled", "User.Enabled", "DEBOUNCEMS", "Debounce Ms", "ReviewUrl"] {
            #expect(PolicyKey.named(name, in: .policy) == nil)
        }
        for name in ["", "Enabled", "user.enabled", "debounceMs", "debounce", "review_u_r_l"] {
            #expect(PolicyKey.wireNamed(name, in: .policy) == nil)
        }
    }

    @Test func `every default reads back from its text`() {
        for key in PolicyKey.allCases {
            #expect(key.value(from: key.standard.text) == key.standard)
        }
    }

    @Test func `an event's need is at most a thousand million`() {
        #expect(EventNeed.range == 0...1_000_000_000)
    }
}
