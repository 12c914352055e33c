internal import RatingWire

/// What the daemon says about itself and what it was told, for people.
enum ManageText {
    /// Any object as dotted names and values.
    static func fields(_ value: JSONValue) -> Answer {
        var table = Fields()
        for (name, value) in value.flattened { table.append(name, value.shown) }
        return Answer(table.lines, isLong: true)
    }

    static func reload(_ value: JSONValue) -> Answer {
        let warnings = value.strings("warnings").map { "warning: \(safe($0))" }
        guard value["reloaded"]?.bool == true else {
            let reason = value["reason"]?.string.map(safe) ?? "no reason was given"
            return Answer(
                [], .no,
                notes: warnings + ["not reloaded, the old configuration stays: \(reason)"])
        }
        return Answer(["Reloaded."], notes: warnings)
    }

    static func repair(_ value: JSONValue) -> Answer {
        let count = value["repaired"]?.integer ?? 0
        return Answer(
            count == 0
                ? "No stored time lies in the future."
                : "Times that lay in the future and now count as now: \(count)")
    }

    /// The answer to `opt_out` and `opt_in`; without an app they were about all.
    static func opt(_ value: JSONValue, app: String?, out: Bool) -> Answer {
        guard let who = app.map(safe) else {
            return Answer(
                out
                    ? "No app may ask any more ('opt-in --all' undoes that)."
                    : "Apps may ask, but for those that are opted out by themselves.")
        }
        let isOut = value["opted_out"]?.bool ?? out
        guard isOut == out else {
            return Answer(
                "\(who): still opted out, because all apps are ('opt-in --all' undoes that)", .no)
        }
        return Answer(isOut ? "\(who): opted out, no prompts" : "\(who): prompts are allowed")
    }

    static func forget(_ value: JSONValue, app: String) -> Answer {
        value["forgotten"]?.bool == true
            ? Answer("\(safe(app)): forgotten")
            : Answer("\(safe(app)): there was nothing to forget", .no)
    }
}
