import RatingPolicy

/// The policy in force for an app, merged as SPEC 3.1 says, from the table there.
struct Terms {
    private var values: [PolicyKey: PolicyValue]
    /// In the order of the names' bytes.
    private(set) var needs: [(name: EventName, count: Int64)]

    private static let defaults: [PolicyKey: PolicyValue] = [
        .enabled: .flag(true), .sessionsUntilPrompt: .integer(3), .eventsUntilPrompt: .integer(10),
        .daysUntilPrompt: .integer(7), .sessionGapSec: .integer(1_800),
        .debounceMs: .integer(2_000), .onActivity: .onActivity(.cancel),
        .pendingMaxSec: .integer(600), .confirmTimeoutMs: .integer(2_000),
        .oncePerVersion: .flag(true), .minIntervalDays: .integer(7), .promptsPerYear: .integer(3),
        .daysAfterLater: .integer(14), .daysAfterDeclined: .integer(90),
        .daysAfterRated: .integer(365), .outcomeTimeoutSec: .integer(600),
        .allowDebug: .flag(false), .userEnabled: .flag(true), .userMinIntervalDays: .integer(1),
        .userPromptsPerYear: .integer(12),
    ]

    init(_ files: Files, app: AppID, hello: HelloPolicy?) {
        let isFirst = app == Cast.apps[0]
        var values = Self.defaults
        var inFiles = files.general
        if isFirst { inFiles.merge(files.first) { $1 } }
        values.merge(inFiles) { $1 }
        for (key, wish) in hello?.values ?? [:] {
            switch key {
            case .enabled, .allowDebug, .userEnabled, .userMinIntervalDays, .userPromptsPerYear:
                break
            case .oncePerVersion:
                if wish == .flag(true) { values[key] = wish }
            case .promptsPerYear:
                values[key] = .integer(min(Self.number(wish), Self.number(values[key])))
            case .minIntervalDays, .daysAfterLater, .daysAfterDeclined, .daysAfterRated:
                let stands = Self.number(values[key])
                let wished = Self.number(wish)
                values[key] = .integer(stands < 0 || wished < 0 ? -1 : max(stands, wished))
            default:
                if inFiles[key] == nil { values[key] = wish }
            }
        }
        self.values = values
        var needs = hello?.needs ?? [:]
        if isFirst { needs.merge(files.needs) { $1 } }
        self.needs = needs.sorted { $0.key.string < $1.key.string }
            .map { (name: $0.key, count: $0.value) }
    }

    func number(_ key: PolicyKey) -> Int64 { Self.number(values[key]) }

    func flag(_ key: PolicyKey) -> Bool { values[key] == .flag(true) }

    var restarts: Bool { values[.onActivity] == .onActivity(.restart) }

    /// The members of a wish that are not in force as given.
    func clamped(_ wish: HelloPolicy) -> [String] {
        let names = wish.values.filter { values[$0.key] != $0.value }.map(\.key.wireName)
        let events = wish.needs.filter { need in
            !needs.contains { $0.name == need.key && $0.count == need.value }
        }
        return (names + events.map { "event." + $0.key.string }).sorted()
    }

    private static func number(_ value: PolicyValue?) -> Int64 {
        guard case .integer(let number) = value else { preconditionFailure("a whole number") }
        return number
    }
}
