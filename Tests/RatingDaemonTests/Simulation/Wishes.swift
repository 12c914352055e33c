import RatingPolicy

/// The files and the wishes of `hello` that simulated runs choose from.
enum Wishes {
    /// What `hello` sends, by number; the first is nothing.
    static let all: [(text: String?, policy: HelloPolicy)] = [
        (nil, HelloPolicy()),
        (
            #"{"debounce_ms":50,"events_until_prompt":1}"#,
            hello([.debounceMs: .integer(50), .eventsUntilPrompt: .integer(1)])
        ),
        (
            #"{"prompts_per_year":1,"min_interval_days":30,"days_after_rated":-1}"#,
            hello([
                .promptsPerYear: .integer(1), .minIntervalDays: .integer(30),
                .daysAfterRated: .integer(-1),
            ])
        ),
        (
            #"{"once_per_version":true,"on_activity":"restart","sessions_until_prompt":2,"#
                + #""event":{"save":1}}"#,
            hello(
                [
                    .oncePerVersion: .flag(true), .onActivity: .onActivity(.restart),
                    .sessionsUntilPrompt: .integer(2),
                ], needs: [Cast.names[1]: 1])
        ),
        (
            #"{"days_after_later":1,"outcome_timeout_sec":5,"once_per_version":false}"#,
            hello([
                .daysAfterLater: .integer(1), .outcomeTimeoutSec: .integer(5),
                .oncePerVersion: .flag(false),
            ])
        ),
    ]

    private static func hello(
        _ values: [PolicyKey: PolicyValue], needs: [EventName: Int64] = [:]
    ) -> HelloPolicy {
        var policy = HelloPolicy()
        policy.values = values
        policy.needs = needs
        return policy
    }

    /// What files say, by number: for all apps, and for the first app of the cast.
    static let files: [Files] = [
        Files(general: [:]),
        Files(general: quick),
        Files(general: quick.merging(careless) { $1 }),
        Files(
            general: quick.merging(careless) { $1 },
            first: [.promptsPerYear: .integer(2), .onActivity: .onActivity(.restart)],
            needs: [Cast.names[0]: 2]),
        Files(
            general: quick.merging([
                .pendingMaxSec: .integer(3), .onActivity: .onActivity(.restart),
                .allowDebug: .flag(true), .minIntervalDays: .integer(0),
                .userMinIntervalDays: .integer(0), .confirmTimeoutMs: .integer(100),
            ]) { $1 }),
        Files(general: quick.merging([.enabled: .flag(false)]) { $1 }),
        Files(
            general: quick.merging([
                .userPromptsPerYear: .integer(2), .daysAfterRated: .integer(0),
                .daysAfterDeclined: .integer(1), .daysAfterLater: .integer(0),
                .minIntervalDays: .integer(1), .oncePerVersion: .flag(false),
            ]) { $1 }),
    ]

    /// A prompt can come soon.
    private static let quick: [PolicyKey: PolicyValue] = [
        .sessionsUntilPrompt: .integer(1), .eventsUntilPrompt: .integer(0),
        .daysUntilPrompt: .integer(0), .sessionGapSec: .integer(60),
        .minIntervalDays: .integer(7), .promptsPerYear: .integer(3),
    ]
    /// And the next one soon after it.
    private static let careless: [PolicyKey: PolicyValue] = [
        .minIntervalDays: .integer(0), .userMinIntervalDays: .integer(0),
        .oncePerVersion: .flag(false), .outcomeTimeoutSec: .integer(10),
        .promptsPerYear: .integer(3), .userPromptsPerYear: .integer(5),
    ]
}

/// The configuration of a run, as the files would say it.
struct Files {
    var general: [PolicyKey: PolicyValue]
    var first: [PolicyKey: PolicyValue] = [:]
    /// Needs of the first app.
    var needs: [EventName: Int64] = [:]

    func configuration(outputBytes: Int64) -> Configuration {
        var configuration = Configuration.with(
            general, limits: [.ratePerSec: 0, .outputBytes: outputBytes])
        var layer = PolicyLayer()
        layer.values = first.mapValues { Sourced($0, from: .file("/first.conf")) }
        layer.needs = needs.mapValues { Sourced($0, from: .file("/first.conf")) }
        if !layer.isEmpty { configuration.apps[Cast.apps[0]] = layer }
        return configuration
    }
}
