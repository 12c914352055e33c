internal import RatingPolicy
internal import RatingWire

/// What a verb with one question asks, and how its answer reads.
struct Plan {
    let question: Client.Question
    let view: (JSONValue, WallTime) -> Answer

    init(_ question: Client.Question, _ view: @escaping (JSONValue, WallTime) -> Answer) {
        self.question = question
        self.view = view
    }
}

/// What is printed, and how the command exits.
struct Answer: Equatable {
    /// The result.
    var lines: [String]
    var code = ExitCode.done
    /// What is said beside the result.
    var notes: [String] = []
    /// Whether the lines may be too many for a screen.
    var isLong = false

    init(_ lines: [String], _ code: ExitCode = .done, notes: [String] = [], isLong: Bool = false) {
        self.lines = lines
        self.code = code
        self.notes = notes
        self.isLong = isLong
    }

    init(_ line: String, _ code: ExitCode = .done) {
        self.init([line], code)
    }
}

extension Invocation {
    /// The question of a verb that asks just one; nil for the others.
    var plan: Plan? {
        switch verb {
        case .status where word(0) != nil: statusPlan(explains: format == .text, view: .status)
        case .explain: statusPlan(explains: true, view: .explain)
        case .history: Plan(question("history", [limit, uid])) { HistoryText.answer($0, $1) }
        case .report: Plan(question("report", [since, uid])) { ReportText.answer($0, $1) }
        case .session: sessionPlan
        case .event: eventPlan
        case .activity: Plan(question("activity")) { value, _ in PlayText.activity(value) }
        case .outcome: outcomePlan
        case .review:
            Plan(question("review_url")) { value, _ in Answer(value.shown("url")) }
        case .optOut:
            Plan(question("opt_out", [all, uid])) { value, _ in optAnswer(value, out: true) }
        case .optIn:
            Plan(question("opt_in", [all, uid])) { value, _ in optAnswer(value, out: false) }
        case .forget:
            Plan(question("forget", [flag("ledger", .ledger), uid])) { value, _ in
                forgetAnswer(value)
            }
        case .stats: Plan(question("stats")) { value, _ in ManageText.fields(value) }
        case .whoami: Plan(question("whoami")) { value, _ in ManageText.fields(value) }
        case .reload: Plan(question("reload")) { value, _ in ManageText.reload(value) }
        case .clock: Plan(question("repair_clock")) { value, _ in ManageText.repair(value) }
        case .status, .apps, .watch, .request, .ping, .logs, .call, .verify, .socketPath, .version:
            nil
        }
    }

    private func statusPlan(explains: Bool, view: StatusText.Extent) -> Plan {
        let explain = explains ? JSONValue.Member("explain", .bool(true)) : nil
        return Plan(question("status", [version(1), explain, uid])) { value, now in
            StatusText(value, now).answer(view)
        }
    }

    private var sessionPlan: Plan {
        let app = required(0)
        return Plan(question("session", [version(1)])) { value, now in
            PlayText.session(value, app: app, now)
        }
    }

    private var eventPlan: Plan {
        let (app, name) = (required(0), word(1) ?? EventName.significant.string)
        let members = [
            JSONValue.Member("name", .string(name)),
            number(.count).map { JSONValue.Member("count", .integer($0)) },
        ]
        return Plan(question("event", members)) { value, _ in
            PlayText.event(value, app: app, name: name)
        }
    }

    private var outcomePlan: Plan {
        let params = [
            JSONValue.Member("token", .string(required(0))),
            JSONValue.Member("result", .string(required(1))),
        ]
        return Plan(Client.Question("outcome", params)) { value, _ in
            Answer("Noted: \(value.shown("result")).")
        }
    }

    /// A question about the app of the first word, if there is one.
    private func question(_ method: String, _ others: [JSONValue.Member?] = []) -> Client.Question {
        let app = word(0).map { JSONValue.Member("app", .string($0)) }
        let mine = verb.positionals.first?.kind == .app ? app : nil
        return Client.Question(method, ([mine] + others).compactMap(\.self))
    }

    private func version(_ place: Int) -> JSONValue.Member? {
        word(place).map { JSONValue.Member("version", .string($0)) }
    }

    private var limit: JSONValue.Member? {
        number(.limit).map { JSONValue.Member("limit", .integer($0)) }
    }

    var uid: JSONValue.Member? {
        number(.uid).map { JSONValue.Member("uid", .integer($0)) }
    }

    private var since: JSONValue.Member? {
        options[.since].flatMap(UTCTime.typed).map {
            JSONValue.Member("since", .string($0.rfc3339))
        }
    }

    private var all: JSONValue.Member? { flag("all", .all) }

    private func flag(_ name: String, _ option: Option) -> JSONValue.Member? {
        has(option) ? JSONValue.Member(name, .bool(true)) : nil
    }

    private func optAnswer(_ value: JSONValue, out: Bool) -> Answer {
        ManageText.opt(value, app: word(0), out: out)
    }

    private func forgetAnswer(_ value: JSONValue) -> Answer {
        ManageText.forget(value, app: required(0))
    }
}
