internal import Posix
internal import RatingWire

/// Text of the daemon or of an app, made safe for terminals.
func safe(_ text: String) -> String {
    escapedForLog(text, maxBytes: 4096)
}

extension JSONValue {
    /// The value for people: `yes`, `12`, the text itself, `-` for nothing.
    var shown: String {
        switch self {
        case .null: "-"
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .string(let string): UTCTime.text(string)
        case .array(let elements):
            elements.isEmpty ? "-" : elements.map(\.shown).joined(separator: ", ")
        case .object(let members):
            members.isEmpty
                ? "-" : members.map { "\(safe($0.name)) \($0.value.shown)" }.joined(separator: ", ")
        }
    }

    /// The member's value for people; `-` if it is not there.
    func shown(_ name: String) -> String {
        self[name]?.shown ?? "-"
    }

    /// The texts of an array of strings.
    func strings(_ name: String) -> [String] {
        self[name]?.array?.compactMap(\.string) ?? []
    }

    /// Every value in depth with its dotted name: `limits.line_bytes`.
    var flattened: [(name: String, value: JSONValue)] {
        guard let members else { return [] }
        return members.flatMap { member in
            guard case .object(let inner) = member.value, !inner.isEmpty else {
                return [(name: safe(member.name), value: member.value)]
            }
            return member.value.flattened.map {
                (name: safe(member.name) + "." + $0.name, value: $0.value)
            }
        }
    }
}
