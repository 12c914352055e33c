import RatingPolicy
import Testing

/// Which of default, general file, app's file and `hello` is in force.
struct PolicyMergeTests {
    /// Two different values that are not the default, the smaller or shorter or `false` one first.
    private static func pair(_ key: PolicyKey) -> (PolicyValue, PolicyValue) {
        switch key.domain {
        case .flag: (false, true)
        case .integer(let range):
            key == .daysAfterRated
                ? (400, .integer(range.upperBound))
                : (.integer(range.upperBound - 1), .integer(range.upperBound))
        case .onActivity: (.onActivity(.cancel), .onActivity(.restart))
        case .reviewURL: (url("https://one"), url("https://two"))
        }
    }

    private static func url(_ text: String) -> PolicyValue {
        ReviewURL(text).map(PolicyValue.reviewURL) ?? 0
    }

    private func policy(
        general: PolicyValue? = nil, app: PolicyValue? = nil, hello: PolicyValue? = nil,
        _ key: PolicyKey
    ) -> Policy {
        Policy(
            general: PolicyLayer(general.map { [key: $0] } ?? [:], file: "general"),
            app: PolicyLayer(app.map { [key: $0] } ?? [:], file: "app"),
            hello: HelloPolicy(hello.map { [key: $0] } ?? [:]))
    }

    @Test func `without files every key has its default`() {
        let policy = Policy()
        for key in PolicyKey.allCases {
            #expect(policy.values[key] == Sourced(key.standard, from: .standard))
        }
        #expect(policy.needs.isEmpty)
    }

    @Test(arguments: PolicyKey.allCases)
    func `a file wins over the default, the app's file over the general one`(key: PolicyKey) {
        let (one, two) = Self.pair(key)
        for (general, app) in [(one, two), (two, one)] {
            #expect(
                policy(general: general, key).values[key]
                    == Sourced(general, from: .file("general")))
            #expect(policy(app: app, key).values[key] == Sourced(app, from: .file("app")))
            #expect(
                policy(general: general, app: app, key).values[key]
                    == Sourced(app, from: .file("app")))
        }
    }

    @Test(arguments: PolicyKey.allCases.filter { $0.precedence == .file })
    func `thresholds and times: hello wins over the default and no file`(key: PolicyKey) {
        let (one, two) = Self.pair(key)
        for (file, hello) in [(one, two), (two, one)] where hello != key.standard {
            #expect(policy(hello: hello, key).values[key] == Sourced(hello, from: .hello))
            for set in [
                policy(general: file, hello: hello, key), policy(app: file, hello: hello, key),
            ] {
                #expect(set.values[key]?.value == file)
                #expect(set.clamped(HelloPolicy([key: hello])) == [key.wireName])
            }
        }
        let (_, hello) = Self.pair(key)
        #expect(policy(hello: hello, key).clamped(HelloPolicy([key: hello])) == [])
        #expect(policy(general: hello, hello: hello, key).clamped(HelloPolicy([key: hello])) == [])
    }

    @Test(arguments: PolicyKey.allCases.filter { $0.precedence == .longer })
    func `intervals: the longer of the two`(key: PolicyKey) {
        let (short, long) = Self.pair(key)
        let shorter = policy(general: long, hello: short, key)
        #expect(shorter.values[key] == Sourced(long, from: .file("general")))
        #expect(shorter.clamped(HelloPolicy([key: short])) == [key.wireName])
        let longer = policy(general: short, hello: long, key)
        #expect(longer.values[key] == Sourced(long, from: .hello))
        #expect(longer.clamped(HelloPolicy([key: long])) == [])
        let zero = policy(hello: 0, key)
        #expect(zero.values[key] == Sourced(key.standard, from: .standard))
        #expect(zero.clamped(HelloPolicy([key: 0])) == [key.wireName])
    }

    @Test func `never again is the longest interval of all`() {
        let key = PolicyKey.daysAfterRated
        #expect(policy(general: 36_500, hello: -1, key).values[key]?.value == -1)
        #expect(policy(general: -1, hello: 36_500, key).values[key]?.value == -1)
        #expect(policy(general: -1, hello: 0, key).values[key]?.value == -1)
        #expect(policy(hello: -1, key).daysAfterRated == -1)
    }

    @Test(arguments: [(2, 2), (3, 3), (4, 3), (12, 3), (0, 0)] as [(Int64, Int64)])
    func `the cap: the smaller of the two, the default too`(hello: Int64, inForce: Int64) {
        let key = PolicyKey.promptsPerYear
        let merged = policy(hello: .integer(hello), key)
        #expect(merged.promptsPerYear == inForce)
        #expect(
            merged.clamped(HelloPolicy([key: .integer(hello)]))
                == (hello == inForce ? [] : ["prompts_per_year"]))
        #expect(policy(general: 5, hello: 4, key).promptsPerYear == 4)
        #expect(policy(app: 5, hello: 6, key).promptsPerYear == 5)
        // An administrator's own file may allow more than the default.
        #expect(policy(general: 12, key).promptsPerYear == 12)
    }

    @Test func `once per version can only be turned on`() {
        let key = PolicyKey.oncePerVersion
        #expect(policy(hello: false, key).isOncePerVersion)
        #expect(policy(hello: false, key).clamped(HelloPolicy([key: false])) == [key.wireName])
        #expect(policy(general: false, hello: true, key).isOncePerVersion)
        #expect(policy(general: false, hello: true, key).values[key]?.source == .hello)
        #expect(!policy(general: false, hello: false, key).isOncePerVersion)
        #expect(policy(general: true, hello: false, key).isOncePerVersion)
    }

    @Test(arguments: PolicyKey.allCases.filter { $0.precedence == .filesOnly })
    func `what is not for hello to set`(key: PolicyKey) {
        let (one, two) = Self.pair(key)
        let name = key.section == .user ? "user." + key.wireName : key.wireName
        for hello in [one, two] {
            let merged = policy(hello: hello, key)
            #expect(merged.values[key] == Sourced(key.standard, from: .standard))
            #expect(
                merged.clamped(HelloPolicy([key: hello])) == (hello == key.standard ? [] : [name]))
            for file in [one, two] {
                #expect(policy(general: file, hello: hello, key).values[key]?.value == file)
            }
        }
    }

    @Test func `needs of events: app's file, general file, hello, by name`() {
        let hello = HelloPolicy([:], needs: ["a": 1, "b": 1, "c": 1, "z": 9])
        let policy = Policy(
            general: PolicyLayer([:], needs: ["b": 2, "c": 2], file: "general"),
            app: PolicyLayer([:], needs: ["c": 3, "d": 3], file: "app"), hello: hello)
        #expect(policy.needs.map(\.name) == ["a", "b", "c", "d", "z"])
        #expect(policy.needs.map(\.need.value) == [1, 2, 3, 3, 9])
        #expect(
            policy.needs.map(\.need.source.text) == ["hello", "general", "app", "app", "hello"])
        #expect(policy.clamped(hello) == ["event.b", "event.c"])
    }

    @Test func `clamped names are sorted`() {
        let hello = HelloPolicy(
            [.userEnabled: false, .enabled: false, .promptsPerYear: 12, .allowDebug: true])
        #expect(
            Policy(hello: hello).clamped(hello)
                == ["allow_debug", "enabled", "prompts_per_year", "user.enabled"])
    }

    @Test func `plain values are the merged ones in milliseconds`() {
        let policy = Policy.standard()
        #expect(policy.isEnabled && policy.isUserEnabled && policy.isOncePerVersion)
        #expect(!policy.allowsDebug)
        #expect(policy.onActivity == .cancel)
        #expect(policy.reviewURL == .standard)
        let counts = [
            policy.sessionsUntilPrompt, policy.eventsUntilPrompt, policy.daysUntilPrompt,
            policy.minIntervalDays, policy.promptsPerYear, policy.daysAfterLater,
            policy.daysAfterDeclined, policy.daysAfterRated, policy.userMinIntervalDays,
            policy.userPromptsPerYear,
        ]
        #expect(counts == [3, 10, 7, 7, 3, 14, 90, 365, 1, 12])
        let spans = [
            policy.sessionGap, policy.debounce, policy.pendingMax, policy.confirmTimeout,
            policy.outcomeTimeout,
        ]
        #expect(spans == [1_800_000, 2_000, 600_000, 2_000, 600_000])
    }

    @Test func `a configuration gives an app its own file only`() {
        var configuration = Configuration(daemon: DaemonSettings(descriptors: 1_024))
        configuration.general = PolicyLayer([.sessionsUntilPrompt: 5])
        configuration.apps["org.a"] = PolicyLayer([.sessionsUntilPrompt: 6])
        let hello = HelloPolicy([.sessionsUntilPrompt: 7, .eventsUntilPrompt: 8])
        #expect(configuration.policy(for: "org.a", hello: hello).sessionsUntilPrompt == 6)
        #expect(configuration.policy(for: "org.b", hello: hello).sessionsUntilPrompt == 5)
        #expect(configuration.policy(for: "org.b", hello: hello).eventsUntilPrompt == 8)
        #expect(configuration.policy(for: "org.b", hello: nil).eventsUntilPrompt == 10)
    }

    @Test func `policies are equal if their values, needs and sources are`() {
        #expect(Policy() == Policy(hello: HelloPolicy()))
        #expect(Policy() != .standard([.debounceMs: 2_000]))
        #expect(Policy() != .standard(needs: ["a": 0]))
        #expect(Set([Policy(), Policy()]).count == 1)
    }
}
