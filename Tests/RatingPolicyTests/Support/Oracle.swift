/// What one user's apps did and had done to them, read again from the start for every question.
///
/// Written from SPEC 3 alone: plain integers, no type and no constant of the policy.
struct Oracle {
    enum What {
        case session
        case events(Int64)
        case granted(token: Int, version: Int)
        case shown(token: Int)
        case final(token: Int, String)
        case optedOut(Bool)
        case optedOutOfAll(Bool)
        case forgotten(ledger: Bool)
        case clockRepaired
    }

    /// One thing that happened: to which app, what the clock said, what the rules were then.
    struct Fact {
        var app: Int
        var clock: Int64
        var rules: Rules
        var what: What
    }

    /// The keys of SPEC 3.1 that rules read, in the units of files.
    struct Rules {
        var enabled = true
        var userEnabled = true
        var sessions: Int64 = 3
        var events: Int64 = 10
        var days: Int64 = 7
        var sessionGapSec: Int64 = 1_800
        var oncePerVersion = true
        var minIntervalDays: Int64 = 7
        var promptsPerYear: Int64 = 3
        var daysAfterLater: Int64 = 14
        var daysAfterDeclined: Int64 = 90
        var daysAfterRated: Int64 = 365
        var outcomeTimeoutSec: Int64 = 600
        var userMinIntervalDays: Int64 = 1
        var userPromptsPerYear: Int64 = 12
    }

    /// A stored time: what the clock said, and the last repair that found it in the future.
    struct Time {
        /// The number of its fact.
        var fact: Int
        var first: Int64
        var repaired: Int64?

        /// How old it is at a time; 0 in the future (SPEC 3.4).
        func age(_ now: Int64) -> Int64 {
            if first <= now { return now - first }
            if let repaired, repaired <= now { return now - repaired }
            return 0
        }
    }

    struct Prompt {
        var granted: Time
        var token: Int?
        var version: Int?
        var shown: Time?
        var outcome: String?
        var reported: Time?
        var isForgotten = false

        func isOutstanding(_ rules: Rules, _ now: Int64) -> Bool {
            token != nil && outcome == nil
                && (shown ?? granted).age(now) < rules.outcomeTimeoutSec * 1_000
        }
    }

    /// All that the facts say of one app.
    struct Reading {
        var sessions: Int64 = 0
        var events: Int64 = 0
        var firstSeen: Time?
        var isOptedOut = false
        var prompts: [Prompt] = []
        /// Grants of all apps of the user.
        var userGrants: [Time] = []
    }

    private(set) var facts: [Fact] = []
    private var repairs: [Int] = []

    mutating func happened(_ what: What, app: Int, clock: Int64, rules: Rules) {
        if case .clockRepaired = what { repairs.append(facts.count) }
        facts.append(Fact(app: app, clock: clock, rules: rules, what: what))
    }

    /// The time of a fact, as the facts up to another one left it.
    private func time(of index: Int, upTo end: Int) -> Time {
        var time = Time(fact: index, first: facts[index].clock)
        for repair in repairs where repair > index && repair < end {
            let clock = facts[repair].clock
            if clock < time.first, clock < time.repaired ?? .max { time.repaired = clock }
        }
        return time
    }

    /// What the first facts, up to `end`, say of an app.
    func reading(of app: Int, upTo end: Int? = nil) -> Reading {
        let end = end ?? facts.count
        var reading = Reading()
        var lastSession: Int?
        var grants: [Int: Int] = [:]
        for index in 0..<end {
            let fact = facts[index]
            if case .granted = fact.what { reading.userGrants.append(time(of: index, upTo: end)) }
            if case .optedOutOfAll(let isOut) = fact.what { reading.isOptedOut = isOut }
        }
        var isOut = false
        for index in 0..<end where facts[index].app == app {
            let fact = facts[index]
            switch fact.what {
            case .session:
                let gap = fact.rules.sessionGapSec * 1_000
                let age = lastSession.map { time(of: $0, upTo: index).age(fact.clock) }
                if age ?? .max >= gap { reading.sessions += 1 }
                lastSession = index
                if reading.firstSeen == nil { reading.firstSeen = time(of: index, upTo: end) }
            case .events(let count):
                reading.events += count
                if reading.firstSeen == nil { reading.firstSeen = time(of: index, upTo: end) }
            case .granted(let token, let version):
                grants[token] = reading.prompts.count
                reading.prompts.append(
                    Prompt(granted: time(of: index, upTo: end), token: token, version: version))
            case .shown(let token):
                guard let grant = grants[token] else { continue }
                let isInTime = wasOutstanding(reading.prompts[grant], at: index)
                if isInTime, reading.prompts[grant].shown == nil {
                    reading.prompts[grant].shown = time(of: index, upTo: end)
                }
            case .final(let token, let outcome):
                guard let grant = grants[token], reading.prompts[grant].outcome == nil
                else { continue }
                let isInTime = wasOutstanding(reading.prompts[grant], at: index)
                if reading.prompts[grant].isForgotten {
                    guard isInTime else { continue }
                    reading.prompts[grant].token = nil
                } else {
                    reading.prompts[grant].outcome = outcome
                    reading.prompts[grant].reported = time(of: index, upTo: end)
                }
                if outcome == "never" { isOut = true }
            case .optedOut(let flag):
                isOut = flag
            case .forgotten(let ledger):
                reading.sessions = 0
                reading.events = 0
                reading.firstSeen = nil
                lastSession = nil
                guard ledger else { continue }
                for grant in reading.prompts.indices {
                    let isAwaited = wasOutstanding(reading.prompts[grant], at: index)
                    reading.prompts[grant].isForgotten = true
                    reading.prompts[grant].version = nil
                    if isAwaited { continue }
                    reading.prompts[grant].token = nil
                    reading.prompts[grant].shown = nil
                    reading.prompts[grant].outcome = nil
                    reading.prompts[grant].reported = nil
                }
            case .optedOutOfAll, .clockRepaired:
                continue
            }
        }
        reading.isOptedOut = reading.isOptedOut || isOut
        return reading
    }

    /// Whether a prompt was outstanding when fact `index` came, with the repairs made until then.
    private func wasOutstanding(_ prompt: Prompt, at index: Int) -> Bool {
        let fact = facts[index]
        var then = prompt
        then.granted = time(of: prompt.granted.fact, upTo: index)
        then.shown = prompt.shown.map { time(of: $0.fact, upTo: index) }
        return then.isOutstanding(fact.rules, fact.clock)
    }
}

extension Oracle {
    private static let day: Int64 = 24 * 60 * 60 * 1_000
    private static let year: Int64 = 365 * 24 * 60 * 60 * 1_000

    /// The names of the rules that do not hold, in the order of SPEC 3.3.
    static func refusals(
        _ app: Reading, _ rules: Rules, version: Int, agent: Bool?, at now: Int64
    ) -> [String] {
        func isYounger(_ times: [Time], than days: Int64, by extra: Int64 = 0) -> Bool {
            times.contains { $0.age(now) < days * day + extra }
        }
        func inYear(_ times: [Time]) -> Int64 {
            Int64(times.filter { $0.age(now) < year }.count)
        }
        func reports(_ outcomes: String...) -> [Time] {
            app.prompts.filter { outcomes.contains($0.outcome ?? "") }.compactMap(\.reported)
        }
        let grants = app.prompts.map(\.granted)
        let rated = app.prompts.filter { $0.outcome == "rated" }
        var broken: [String] = []
        if !rules.enabled || !rules.userEnabled { broken.append("disabled") }
        if app.isOptedOut { broken.append("opted_out") }
        if app.prompts.contains(where: { $0.isOutstanding(rules, now) }) {
            broken.append("outstanding")
        }
        if app.sessions < rules.sessions { broken.append("sessions") }
        if app.events < rules.events { broken.append("events") }
        if app.firstSeen?.age(now) ?? 0 < rules.days * day { broken.append("days") }
        if rules.oncePerVersion, app.prompts.contains(where: { $0.version == version }) {
            broken.append("version")
        }
        if isYounger(grants, than: rules.minIntervalDays) { broken.append("interval") }
        if inYear(grants) >= rules.promptsPerYear { broken.append("annual_cap") }
        if isYounger(app.userGrants, than: rules.userMinIntervalDays) {
            broken.append("user_interval")
        }
        if inYear(app.userGrants) >= rules.userPromptsPerYear { broken.append("user_cap") }
        if isYounger(reports("later", "dismissed"), than: rules.daysAfterLater) {
            broken.append("later")
        }
        if isYounger(reports("declined"), than: rules.daysAfterDeclined) {
            broken.append("declined")
        }
        if !rated.isEmpty,
            rules.daysAfterRated < 0 || rated.contains(where: { $0.version == version })
                || isYounger(reports("rated"), than: rules.daysAfterRated, by: 1)
        {
            broken.append("rated")
        }
        if agent == false { broken.append("no_agent") }
        return broken
    }

    /// Every time at which a rule may begin to hold.
    static func candidates(_ app: Reading, _ rules: Rules) -> [Int64] {
        var times: [Int64] = []
        func add(_ time: Time?, _ span: Int64) {
            guard let time else { return }
            times.append(time.first + span)
            if let repaired = time.repaired { times.append(repaired + span) }
        }
        add(app.firstSeen, rules.days * day)
        for prompt in app.prompts {
            add(prompt.granted, rules.minIntervalDays * day)
            add(prompt.granted, year)
            add(prompt.shown ?? prompt.granted, rules.outcomeTimeoutSec * 1_000)
            switch prompt.outcome {
            case "later", "dismissed": add(prompt.reported, rules.daysAfterLater * day)
            case "declined": add(prompt.reported, rules.daysAfterDeclined * day)
            case "rated": add(prompt.reported, rules.daysAfterRated * day + 1)
            default: break
            }
        }
        for grant in app.userGrants {
            add(grant, rules.userMinIntervalDays * day)
            add(grant, year)
        }
        return times
    }
}
