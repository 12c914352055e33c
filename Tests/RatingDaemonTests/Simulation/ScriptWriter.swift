import RatingPolicy
import TestSupport

/// Makes up runs: the same seed, the same run.
struct ScriptWriter {
    private var random: Seeded
    private var steps: [Step] = []

    static func script(seed: UInt64) -> Script {
        var writer = ScriptWriter(random: Seeded(seed))
        let files = writer.random.number(1...Wishes.files.count - 1)
        let outputBytes: Int64 = writer.random.isTrue(oneIn: 3) ? 4_000 : 1 << 20
        writer.open()
        for _ in 0..<writer.random.number(20...90) { writer.scene() }
        return Script(seed: seed, files: files, outputBytes: outputBytes, steps: writer.steps)
    }

    private mutating func open() {
        for seat in 0..<Cast.seats where random.isTrue(oneIn: 2) || seat == 0 { arrive(seat) }
        steps.append(.turn)
    }

    private mutating func arrive(_ seat: Int) {
        steps.append(.connect(seat))
        if !random.isTrue(oneIn: 8) { say(seat, hello()) }
        if random.isTrue(oneIn: 2) { say(seat, .session(app: nil)) }
        if random.isTrue(oneIn: 4) { say(seat, subscription()) }
    }

    private mutating func hello() -> Message.Content {
        .hello(
            app: random.pick([0, 0, 0, 1, 2]), version: random.number(0...2),
            wishes: random.pick([0, 0, 0, 1, 2, 3, 4]))
    }

    private mutating func subscription() -> Message.Content {
        let agent = random.isTrue(oneIn: 2)
        return .subscribe(
            topics: random.number(agent ? 0...3 : 1...3),
            app: random.isTrue(oneIn: 4) ? random.number(0...2) : nil, agent: agent)
    }

    private mutating func say(_ seat: Int, _ content: Message.Content) {
        steps.append(.write(seat, [message(content)]))
        if random.isTrue(oneIn: 10) {
            steps.append(.deliver(seat, random.number(1...60)))
            steps.append(.turn)
        }
        steps.append(.deliver(seat, 0))
    }

    /// Requests are never notifications: nobody would learn their tokens.
    private mutating func message(_ content: Message.Content) -> Message {
        switch content {
        case .event, .session, .activity:
            Message(content: content, isNotification: random.isTrue(oneIn: 4))
        default: Message(content: content)
        }
    }

    /// Something happens.
    private mutating func scene() {
        let seat = random.number(0...Cast.seats - 1)
        switch random.number(0...99) {
        case 0..<8: arrive(seat)
        case 8..<22: courtship(seat)
        case 22..<52: say(seat, anything())
        case 52..<58: batch(seat)
        case 58..<63: steps.append(.confirm(seat, random.pick(["true", "true", "false", "1"])))
        case 63..<66: steps.append(.slow(seat, random.isTrue(oneIn: 2)))
        case 66..<68: steps.append(.read(seat, random.number(1...3_000)))
        case 68: steps.append(.endInput(seat))
        case 69, 70: steps.append(.close(seat))
        case 71..<87: time()
        case 87..<94: trouble()
        case 94: steps.append(.files(random.number(0...Wishes.files.count - 1)))
        default: say(seat, .reload)
        }
        if !random.isTrue(oneIn: 3) { steps.append(.turn) }
    }

    /// A request with what it takes to end in a prompt, as a real app would have it.
    private mutating func courtship(_ seat: Int) {
        say(seat, .session(app: nil))
        if random.isTrue(oneIn: 2) { say(seat, .event(app: nil, name: 0, count: 3)) }
        say(seat, request())
        steps.append(.turn)
        if random.isTrue(oneIn: 4) {
            steps.append(.wait(Milliseconds(random.number(1...1_500))))
            say(seat, .activity(app: nil))
            steps.append(.turn)
            if random.isTrue(oneIn: 2) { say(random.number(0...Cast.seats - 1), anything()) }
        }
        if random.isTrue(oneIn: 8) { trouble() }
        steps.append(.toDeadline(random.pick([0, 0, 0, 0, 1, -1, 4_999, 5_001])))
        if random.isTrue(oneIn: 8) { steps.append(.suspend(random.pick([1_000, 3_000, 7_000]))) }
        if random.isTrue(oneIn: 2) {
            steps += [
                .confirm(seat, random.pick(["true", "true", "true", "false"])), .deliver(seat, 0),
            ]
            steps.append(.turn)
        }
        if random.isTrue(oneIn: 2) { say(seat, outcome()) }
    }

    private mutating func request() -> Message.Content {
        var wish = Message.Wish()
        if random.isTrue(oneIn: 3) { wish.debounce = random.pick([0, 0, 1, 500, 2_500]) }
        if random.isTrue(oneIn: 3) { wish.restarts = random.isTrue(oneIn: 2) }
        wish.confirms = random.isTrue(oneIn: 3)
        wish.agent = random.isTrue(oneIn: 4)
        wish.debug = random.isTrue(oneIn: 20)
        return .request(
            app: random.isTrue(oneIn: 5) ? random.number(0...2) : nil,
            version: random.isTrue(oneIn: 2) ? random.number(0...2) : nil, wish)
    }

    private mutating func outcome() -> Message.Content {
        .outcome(
            app: 0, back: random.pick([0, 0, 0, 1, 2]),
            result: random.pick([0, 1, 2, 2, 3, 5, 5, 6, 4]))
    }

    private mutating func anything() -> Message.Content {
        let app = random.isTrue(oneIn: 5) ? random.number(0...2) : nil
        switch random.number(0...40) {
        case 0..<4: return .session(app: app)
        case 4..<9:
            return .event(
                app: app, name: random.number(0...1), count: random.pick([1, 1, 2, 5]))
        case 9..<12: return .activity(app: app)
        case 12..<19: return request()
        case 19: return .cancel(app: app)
        case 20: return .cancelToken(app: 0)
        case 21..<25: return outcome()
        case 25..<29: return .status(app: app, explain: random.isTrue(oneIn: 2))
        case 29: return .history(app: app)
        case 30: return .report
        case 31: return .reviewURL(app: app)
        case 32: return .opt(out: random.isTrue(oneIn: 3), app: app)
        case 33: return .optAll(out: random.isTrue(oneIn: 4))
        case 34: return .forget(app: random.number(0...2), ledger: random.isTrue(oneIn: 2))
        case 35: return subscription()
        case 36: return random.isTrue(oneIn: 3) ? .unsubscribe : .ping
        case 37: return .apps
        case 38: return hello()
        case 39: return random.isTrue(oneIn: 2) ? .unknown : .malformed
        default: return .repairClock
        }
    }

    private mutating func batch(_ seat: Int) {
        var messages: [Message] = []
        while messages.count < random.number(2...3) {
            let content = anything()
            switch content {
            case .malformed, .repairClock, .status, .history, .apps: break
            default: messages.append(message(content))
            }
        }
        steps += [.write(seat, messages), .deliver(seat, 0)]
    }

    private mutating func time() {
        let day = Rulebook.day
        switch random.number(0...13) {
        case 0, 1: steps.append(.wait(Milliseconds(random.number(1...3_000))))
        case 2: steps.append(.wait(random.pick([0, 1, 100, 2_000, 10_000, 60_000, 600_000])))
        case 3: steps.append(.wait(day * Milliseconds(random.number(1...40))))
        case 4: steps.append(.wait(random.pick([day, 7 * day, 90 * day, Rulebook.window])))
        case 5: steps.append(.stall(random.pick([1, 4_000, 8_000, day])))
        case 6: steps.append(.suspend(random.pick([1_000, 7_000, day])))
        case 7:
            let spans = [1, 1_000, day, 30 * day, 2 * Rulebook.window]
            steps.append(.setClock(by: random.pick(spans)))
        case 8:
            let spans = [1, 1_000, day, 30 * day, 2 * Rulebook.window]
            steps.append(.setClock(by: -random.pick(spans)))
        case 9, 10: steps.append(.toDeadline(random.pick([0, 0, 1, -1])))
        default: steps.append(.toEligible(random.pick([0, 0, -1, 1])))
        }
    }

    private mutating func trouble() {
        let fault = random.pick(MemoryStorage.Fault.allCases)
        let death = random.pick([Step.Death.now, .beforeCommit, .afterCommit])
        switch random.number(0...17) {
        case 0..<4: steps.append(.fail(fault, after: random.number(0...2)))
        case 4, 5: steps += [.fail(fault, after: nil), .turn]
        case 6: steps += [.readsFail(true), .turn]
        case 7..<11: steps.append(.heal(onUse: random.isTrue(oneIn: 2)))
        case 11: steps.append(.setAside(random.isTrue(oneIn: 3)))
        case 12: steps.append(.sync)
        case 13, 14:
            steps.append(.kill(death))
            open()
        case 15, 16:
            steps.append(.powerCut(death, keeping: random.number(0...3)))
            open()
        default:
            steps.append(.shutDown)
            open()
        }
        if random.isTrue(oneIn: 2) { steps.append(.heal(onUse: false)) }
    }

    private init(random: Seeded) {
        self.random = random
    }
}
