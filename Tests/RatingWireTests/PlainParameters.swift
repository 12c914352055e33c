import RatingPolicy

@testable import RatingWire

/// What the `params` of each method may be, from the table in SPEC 2.
enum PlainParameters {
    /// Why a call cannot be done; nil if it can.
    static func fault(of method: String, _ params: JSONValue?) -> String? {
        guard let allowed = members[method] else { return "method_not_found" }
        let members = params?.members ?? []
        for member in members {
            guard allowed.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }),
                isAllowed(member.name, member.value)
            else { return "invalid_params" }
        }
        var names = Set(members.map(\.name))
        if params?["agent"] == .bool(false) { names.remove("agent") }
        return isWhole(method, names) ? nil : "invalid_params"
    }

    private static let members: [String: [String]] = [
        "hello": ["app", "version", "policy"], "session": ["app", "version"],
        "event": ["app", "name", "count"], "activity": ["app"],
        "request": [
            "app", "version", "debounce_ms", "on_activity", "confirm", "deliver", "debug",
        ],
        "cancel": ["app", "token"], "outcome": ["token", "result"],
        "status": ["app", "version", "explain", "uid"], "history": ["app", "limit", "uid"],
        "report": ["app", "since", "uid"], "review_url": ["app"],
        "subscribe": ["topics", "apps", "agent"], "unsubscribe": [], "whoami": [],
        "apps": ["cursor", "limit", "uid"], "opt_out": ["app", "all", "uid"],
        "opt_in": ["app", "all", "uid"], "forget": ["app", "ledger", "uid"], "repair_clock": [],
        "reload": [], "stats": [], "ping": [],
    ]

    private static func isAllowed(_ name: String, _ value: JSONValue) -> Bool {
        func isInteger(_ range: ClosedRange<Int64>) -> Bool {
            value.integer.map(range.contains) ?? false
        }
        func isOne(of words: [String]) -> Bool { value.string.map(words.contains) ?? false }
        func isList(of isAllowed: (JSONValue) -> Bool) -> Bool {
            value.array.map { !$0.isEmpty && $0.allSatisfy(isAllowed) } ?? false
        }
        return switch name {
        case "app", "cursor": value.string.flatMap { AppID($0) } != nil
        case "apps": isList { $0.string.flatMap { AppID($0) } != nil }
        case "topics": isList { ["decisions", "counters"].contains($0.string) }
        case "version": (1...64).contains(value.string?.utf8.count ?? 0)
        case "name": value.string.flatMap { EventName($0) } != nil
        case "token": value.string != nil
        case "policy": value.members != nil
        case "since": value.string.flatMap { WallTime(rfc3339: $0) } != nil
        case "count": isInteger(1...10_000)
        case "limit": isInteger(1...1_000)
        case "debounce_ms": isInteger(0...600_000)
        case "uid": isInteger(0...4_294_967_294)
        case "on_activity": isOne(of: ["cancel", "restart"])
        case "deliver": isOne(of: ["self", "agent"])
        case "result":
            isOne(of: ["shown", "rated", "later", "declined", "never", "dismissed", "failed"])
        case "all": value == .bool(true)
        default: value.bool != nil
        }
    }

    /// Nothing that is needed is missing, and nothing is there twice.
    private static func isWhole(_ method: String, _ names: Set<String>) -> Bool {
        switch method {
        case "hello": names.isSuperset(of: ["app", "version"])
        case "outcome": names.isSuperset(of: ["token", "result"])
        case "forget": names.contains("app")
        case "cancel": !names.isSuperset(of: ["app", "token"])
        case "opt_out", "opt_in": !names.isSuperset(of: ["app", "all"])
        case "subscribe": !names.isDisjoint(with: ["topics", "agent"])
        default: true
        }
    }
}
