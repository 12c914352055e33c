internal import RatingPolicy
internal import RatingWire

/// The answer to `status` for people.
struct StatusText {
    enum Extent {
        case status
        /// With reasons and policy.
        case explain
    }

    private let status: JSONValue
    private let now: WallTime

    init(_ status: JSONValue, _ now: WallTime) {
        self.status = status
        self.now = now
    }

    private var isEligible: Bool { status["eligible"]?.bool ?? false }
    private var reasons: [String] { status.strings("reasons") }
    /// Why the state cannot be used, if so.
    private var unavailable: String? { status["unavailable"]?.string }

    /// What stands in the way, in a few words: the rules, and a state that cannot be used.
    private var hindrances: [String] {
        (unavailable == nil ? [] : ["storage_unavailable"]) + reasons
    }

    /// What is told of a state that cannot be used.
    static func unusable(_ problem: String) -> String {
        "cannot be used, nothing is granted: \(safe(problem))"
    }

    func answer(_ extent: Extent) -> Answer {
        var lines = [title, ""] + fields.lines
        if !rules.isEmpty { lines += [""] + rules.lines }
        if extent == .explain {
            if !reasons.isEmpty { lines += ["", "Why not:"] + explanations }
            if let policy = status["policy"] { lines += [""] + Self.policyTable(policy).lines }
        }
        return Answer(lines, isEligible ? .done : .no, isLong: true)
    }

    /// The app's row in a table of many.
    var row: [String] {
        let next =
            isEligible
            ? "now" : (status["next_eligible"]?.string).map { UTCTime.text($0, now: now) } ?? "-"
        return [
            status.shown("app"), isEligible ? "yes" : "no", prompts, next,
            hindrances.isEmpty ? "-" : safe(hindrances.joined(separator: ", ")),
        ]
    }

    static let rowColumns: [(String, Table.Alignment)] = [
        ("APP", .left), ("PROMPT", .left), ("USED", .right), ("NEXT", .left), ("WHY NOT", .left),
    ]

    private var title: String {
        [status.shown("app"), status["version"]?.string.map(safe)].compactMap(\.self)
            .joined(separator: " ")
    }

    private var prompts: String {
        "\(status.shown("prompts_in_window"))/\(status.shown("cap"))"
    }

    private var fields: Fields {
        var fields = Fields()
        fields.append("Prompt", isEligible ? "allowed now" : "refused now: \(reasonNames)")
        if let unavailable { fields.append("State", Self.unusable(unavailable)) }
        if !isEligible { fields.append("Next", next) }
        if status["first_seen"] == .null { fields.append("Seen", unseen) }
        fields.append("Sessions", status.shown("sessions") + seen)
        fields.append("Events", status.shown("events") + names)
        fields.append("Prompts", "\(prompts) in 365 days" + lastPrompt)
        if status["outcome"]?.string != nil { fields.append("Outcome", status.shown("outcome")) }
        if let token = status["outstanding"]?.string {
            fields.append("Outstanding", safe(token))
        }
        if let pending = status["pending"], pending != .null {
            let span = pending["fires_in_ms"]?.integer.map(spanText) ?? "-"
            fields.append("Pending", "\(pending.shown("token")), due after \(span) of quiet")
        }
        if status["opted_out"]?.bool == true { fields.append("Opted out", "yes") }
        if status["clock"]?.string == "behind" {
            fields.append(
                "Clock", "behind: a stored time lies in the future; see 'ratingctl clock --help'")
        }
        return fields
    }

    private var reasonNames: String { safe(hindrances.joined(separator: ", ")) }

    private var next: String {
        guard unavailable == nil else { return "once the state can be used" }
        guard let time = status["next_eligible"]?.string else { return "not by waiting alone" }
        return UTCTime.text(time, now: now) + " if nothing else changes"
    }

    private var seen: String {
        guard let first = status["first_seen"]?.string, let last = status["last_seen"]?.string
        else {
            return ""
        }
        return ", first seen \(UTCTime.text(first, now: now)), last \(UTCTime.text(last, now: now))"
    }

    /// An app that is not known by a session or an event: mistyped, new, or forgotten.
    private var unseen: String {
        status["last_prompt"]?.string == nil
            ? "never; 'ratingctl apps' lists the apps that were"
            : "no session or event is known; the app may have been forgotten"
    }

    private var names: String {
        guard let names = status["events_by_name"]?.members, !names.isEmpty else { return "" }
        return " (\(status.shown("events_by_name")))"
    }

    private var lastPrompt: String {
        guard let time = status["last_prompt"]?.string else { return "" }
        let versions = status.strings("prompted_versions")
        let list = versions.isEmpty ? "" : "; versions \(safe(versions.joined(separator: ", ")))"
        return ", the last \(UTCTime.text(time, now: now))\(list)"
    }

    /// Rules are named by what they refuse for, and so is their verdict.
    private var rules: Table {
        var table = Table([
            ("RULE", .left), ("HAVE", .right), ("NEED", .right), ("REFUSES", .left),
            ("WHEN", .left),
        ])
        for rule in status["rules"]?.array ?? [] {
            let isFine = rule["ok"]?.bool ?? false
            let when = (rule["at"]?.string).map { UTCTime.text($0, now: now) } ?? ""
            table.append([
                rule.shown("rule"), Self.figure("have", of: rule), Self.figure("need", of: rule),
                isFine ? "no" : "yes", when,
            ])
        }
        return table
    }

    /// What a rule compares, with its unit.
    private static func figure(_ name: String, of rule: JSONValue) -> String {
        let value = rule[name]
        switch rule["rule"]?.string {
        case "disabled":
            return value?.bool.map { $0 ? "enabled" : "disabled" } ?? rule.shown(name)
        case "days", "interval", "user_interval", "later", "declined", "rated":
            guard let days = value?.integer else { return rule.shown(name) }
            return days < 0 ? "for ever" : "\(days) d"
        default:
            return rule.shown(name)
        }
    }

    private var explanations: [String] {
        reasons.map { "  \(safe($0)): \(ReasonText.rule($0))" }
    }

    private static func policyTable(_ policy: JSONValue) -> Table {
        var table = Table([("POLICY", .left), ("VALUE", .left), ("SOURCE", .left)])
        for setting in policy.members ?? [] {
            table.append([
                safe(setting.name), setting.value.shown("value"), setting.value.shown("source"),
            ])
        }
        return table
    }
}
