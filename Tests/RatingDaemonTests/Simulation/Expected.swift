import RatingPolicy
import RatingWire

/// One line that the daemon is expected to write.
struct Expected {
    enum Content {
        case answer(Int?, Want)
        case batch([(id: Int?, want: Want)])
        case notice(String, Fields)
        /// For a subscriber, who may miss it if it does not read.
        case news(String, Fields)
        /// No line: from here on news are numbered anew.
        case subscribed
    }

    typealias Fields = [String: Term]

    enum Want {
        case error(String)
        case result(Fields)
    }

    /// What a member is to be; members not named may be anything.
    enum Term {
        case json(JSONValue)
        case time(Int64?)
        case missing

        static func text(_ text: String?) -> Term { .json(text.map(JSONValue.string) ?? .null) }
        static func number(_ number: Int64) -> Term { .json(.integer(number)) }
        static func flag(_ flag: Bool) -> Term { .json(.bool(flag)) }
        static func texts(_ texts: [String]) -> Term { .json(.array(texts.map(JSONValue.string))) }
    }

    var content: Content
    /// Neighbours of the same group may come in any order.
    var group: Int?

    var isNews: Bool {
        if case .news = content { true } else { false }
    }

    var isMark: Bool {
        if case .subscribed = content { true } else { false }
    }

    /// Why a line is not this one; nil if it is.
    func objection(to line: JSONValue) -> String? {
        switch content {
        case .answer(let id, let want): return Self.objection(id, want, line)
        case .batch(let wants):
            guard let answers = line.array, answers.count == wants.count else {
                return "a batch of \(wants.count) answers"
            }
            for (answer, want) in zip(answers, wants) {
                if let objection = Self.objection(want.id, want.want, answer) { return objection }
            }
            return nil
        case .subscribed: return "anything"
        case .notice(let method, let fields), .news(let method, let fields):
            guard line["method"]?.string == method else { return "\(method) \(fields)" }
            return Self.objection(fields, line["params"] ?? .null)
        }
    }

    private static func objection(_ id: Int?, _ want: Want, _ line: JSONValue) -> String? {
        guard line["id"] == id.map({ .integer(Int64($0)) }) ?? .null, line["method"] == nil else {
            return "the answer to \(id.map(String.init) ?? "null"): \(want)"
        }
        switch want {
        case .error(let reason):
            return line["error"]?["data"]?["reason"]?.string == reason ? nil : "error \(reason)"
        case .result(let fields):
            guard let result = line["result"] else { return "a result: \(fields)" }
            return objection(fields, result)
        }
    }

    /// Whether a value was told; a number of milliseconds also as a time, and members that are not
    /// named may be anything, but for `at`.
    private static func isTold(_ wanted: JSONValue, _ told: JSONValue) -> Bool {
        switch (wanted, told) {
        case (.integer(let time), .string(let text)):
            WallTime(rfc3339: text)?.milliseconds == time
        case (.array(let wanted), .array(let told)):
            wanted.count == told.count && zip(wanted, told).allSatisfy { isTold($0, $1) }
        case (.object(let members), .object):
            members.allSatisfy { isTold($0.value, told[$0.name] ?? .null) }
                && (wanted["at"] == nil) == (told["at"] == nil)
        default: wanted == told
        }
    }

    static func objection(_ fields: Fields, _ object: JSONValue) -> String? {
        for (name, term) in fields {
            switch term {
            case .json(let value):
                if !isTold(value, object[name] ?? .null) { return "\(name) = \(value.text())" }
            case .time(let time):
                let told = object[name]?.string.flatMap(WallTime.init(rfc3339:))
                if told?.milliseconds != time { return "\(name) = \(String(describing: time)) ms" }
            case .missing:
                if object[name] != nil { return "no \(name)" }
            }
        }
        return nil
    }
}
