/// Where a value in force comes from.
package enum PolicySource: Hashable, Sendable {
    case standard
    case hello
    case file(String)

    /// As `status` shows it: `default`, `hello`, or the file's path.
    package var text: String {
        switch self {
        case .standard: "default"
        case .hello: "hello"
        case .file(let path): path
        }
    }
}

/// A value with its source.
package struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var source: PolicySource

    package init(_ value: Value, from source: PolicySource) {
        self.value = value
        self.source = source
    }
}

/// What files set, before any app's own wishes; a later one of the same layer has replaced it.
package struct PolicyLayer: Hashable, Sendable {
    package var values: [PolicyKey: Sourced<PolicyValue>] = [:]
    package var needs: [EventName: Sourced<Int64>] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty && needs.isEmpty }
}

/// What an app asked for in `hello.policy`: known members with values of the right type and range.
///
/// Kept with the app's record as it was given; what of it is in force is decided anew whenever
/// files change.
package struct HelloPolicy: Hashable, Sendable {
    package var values: [PolicyKey: PolicyValue] = [:]
    package var needs: [EventName: Int64] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty && needs.isEmpty }
}

/// The policy in force for one app: every key with its source.
package struct Policy: Hashable, Sendable {
    package private(set) var values: [PolicyKey: Sourced<PolicyValue>]
    /// Needs by event name, in the order of the names' bytes.
    package private(set) var needs: [(name: EventName, need: Sourced<Int64>)]

    // The keys again as plain values, since rules read them on every request.
    package private(set) var isEnabled = true
    package private(set) var sessionsUntilPrompt: Int64 = 0
    package private(set) var eventsUntilPrompt: Int64 = 0
    package private(set) var daysUntilPrompt: Int64 = 0
    package private(set) var sessionGap: Milliseconds = 0
    package private(set) var debounce: Milliseconds = 0
    package private(set) var onActivity: OnActivity = .cancel
    package private(set) var pendingMax: Milliseconds = 0
    package private(set) var confirmTimeout: Milliseconds = 0
    package private(set) var isOncePerVersion = true
    package private(set) var minIntervalDays: Int64 = 0
    package private(set) var promptsPerYear: Int64 = 0
    package private(set) var daysAfterLater: Int64 = 0
    package private(set) var daysAfterDeclined: Int64 = 0
    /// −1: never again.
    package private(set) var daysAfterRated: Int64 = 0
    package private(set) var outcomeTimeout: Milliseconds = 0
    package private(set) var reviewURL: ReviewURL = .standard
    package private(set) var allowsDebug = false
    package private(set) var isUserEnabled = true
    package private(set) var userMinIntervalDays: Int64 = 0
    package private(set) var userPromptsPerYear: Int64 = 0

    /// Merges defaults, the general files, the app's own file and the app's wishes.
    package init(
        general: PolicyLayer = PolicyLayer(), app: PolicyLayer = PolicyLayer(),
        hello: HelloPolicy? = nil
    ) {
        values = [:]
        for key in PolicyKey.allCases {
            let fromFile = app.values[key] ?? general.values[key]
            values[key] = Self.merged(key, file: fromFile, hello: hello?.values[key])
        }
        var merged = hello?.needs.mapValues { Sourced($0, from: .hello) } ?? [:]
        merged.merge(general.needs) { _, file in file }
        merged.merge(app.needs) { _, file in file }
        needs = merged.sorted { $0.key < $1.key }.map { (name: $0.key, need: $0.value) }
        for key in PolicyKey.allCases { unfold(key) }
    }

    package static func == (left: Policy, right: Policy) -> Bool {
        left.values == right.values && left.needs.elementsEqual(right.needs, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values)
    }

    private static func merged(
        _ key: PolicyKey, file: Sourced<PolicyValue>?, hello: PolicyValue?
    ) -> Sourced<PolicyValue> {
        let base = file ?? Sourced(key.standard, from: .standard)
        guard let hello else { return base }
        let wish = Sourced(hello, from: .hello)
        return switch key.precedence {
        case .file: file ?? wish
        case .smaller: isLess(hello, base.value) ? wish : base
        case .longer: isLess(base.value, hello) ? wish : base
        case .onlyOn: base.value == .flag(false) && hello == .flag(true) ? wish : base
        case .filesOnly: base
        }
    }

    private static func isLess(_ left: PolicyValue, _ right: PolicyValue) -> Bool {
        guard case .integer(let left) = left, case .integer(let right) = right else {
            return false
        }
        // −1 stands for "never again", the longest of all.
        return (left < 0 ? .max : left) < (right < 0 ? .max : right)
    }

    /// Copies one key's value into its plain property.
    private mutating func unfold(_ key: PolicyKey) {
        switch (key, values[key]?.value) {
        case (.enabled, .flag(let flag)): isEnabled = flag
        case (.sessionsUntilPrompt, .integer(let count)): sessionsUntilPrompt = count
        case (.eventsUntilPrompt, .integer(let count)): eventsUntilPrompt = count
        case (.daysUntilPrompt, .integer(let days)): daysUntilPrompt = days
        case (.sessionGapSec, .integer(let seconds)): sessionGap = seconds * .second
        case (.debounceMs, .integer(let span)): debounce = span
        case (.onActivity, .onActivity(let reaction)): onActivity = reaction
        case (.pendingMaxSec, .integer(let seconds)): pendingMax = seconds * .second
        case (.confirmTimeoutMs, .integer(let span)): confirmTimeout = span
        case (.oncePerVersion, .flag(let flag)): isOncePerVersion = flag
        case (.minIntervalDays, .integer(let days)): minIntervalDays = days
        case (.promptsPerYear, .integer(let count)): promptsPerYear = count
        case (.daysAfterLater, .integer(let days)): daysAfterLater = days
        case (.daysAfterDeclined, .integer(let days)): daysAfterDeclined = days
        case (.daysAfterRated, .integer(let days)): daysAfterRated = days
        case (.outcomeTimeoutSec, .integer(let seconds)): outcomeTimeout = seconds * .second
        case (.reviewURL, .reviewURL(let url)): reviewURL = url
        case (.allowDebug, .flag(let flag)): allowsDebug = flag
        case (.userEnabled, .flag(let flag)): isUserEnabled = flag
        case (.userMinIntervalDays, .integer(let days)): userMinIntervalDays = days
        case (.userPromptsPerYear, .integer(let count)): userPromptsPerYear = count
        default: preconditionFailure("every key has a value of its own type")
        }
    }
}

extension Policy {
    /// The members of a `hello.policy` that are not in force as given, by their wire names, sorted.
    package func clamped(_ hello: HelloPolicy) -> [String] {
        var names: [String] = []
        for (key, value) in hello.values where values[key]?.value != value {
            names.append(key.section == .user ? "user." + key.wireName : key.wireName)
        }
        let inForce = Dictionary(uniqueKeysWithValues: needs.map { ($0.name, $0.need.value) })
        for (name, need) in hello.needs where inForce[name] != need {
            names.append("event." + name.string)
        }
        return names.sorted()
    }
}
