import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// A daemon's core, its clients and its disk, played from the lines of a script.
///
/// A line is what the client at hand writes, but for these: `@N` the client at hand is now N (0 to
/// 4; it connects if it is not there), `+N` so many milliseconds pass, `=` what follows up to the
/// next `=` is one turn, `!N` the next commit fails (0 refused, 1 broken, 2 not synced), `^` the
/// disk is well again, `%` it cannot be read, `~` the client stops or starts to read, `/` it writes
/// no more, `-` it is gone, `#` the daemon dies and begins anew, `.` it shuts down.
final class Conversation {
    private let bench: Bench
    private let parser: LineParser
    private var guests: [Listener?] = Array(repeating: nil, count: 5)
    private var hand = 0
    private var isOneTurn = false
    private var written: [() -> Void] = []
    private(set) var complaint: String?
    private var emitted: Set<String> = []

    /// What is wrong with how a script was played; nil if nothing is.
    static func objection(to script: [UInt8], parser: LineParser) -> String? {
        let isSystem = script.first == UInt8(ascii: "S")
        let conversation = Conversation(isSystem: isSystem, parser: parser)
        for line in script.split(separator: UInt8(ascii: "\n")).prefix(200) {
            conversation.play(line)
            if let complaint = conversation.complaint { return complaint }
        }
        conversation.end()
        return conversation.complaint
    }

    private init(isSystem: Bool, parser: LineParser) {
        self.parser = parser
        let configuration = Configuration.free(
            [
                .minIntervalDays: .integer(0), .userMinIntervalDays: .integer(0),
                .oncePerVersion: .flag(false), .allowDebug: .flag(true),
                .outcomeTimeoutSec: .integer(5),
            ],
            limits: [
                .connectionsPerApp: 2, .outputBytes: 20_000, .rateBurst: 150, .ratePerSec: 10,
                .appsPerUid: 4, .eventNamesPerApp: 4, .pendingPerUid: 3, .subscriptionsPerUid: 2,
            ])
        bench = Bench(configuration, scope: isSystem ? .system : .user)
    }

    // MARK: - Lines of the script

    private func play(_ line: ArraySlice<UInt8>) {
        let rest = line.dropFirst()
        let number = Int64(String(decoding: rest.prefix(12), as: UTF8.self))
        switch line.first.map({ Unicode.Scalar($0) }) {
        case "@": hand = Int((number ?? 0).magnitude % UInt64(guests.count))
        case "+": wait(min(max(number ?? 0, 0), 800 * .day))
        case "=": isOneTurn.toggle()
        case "!": bench.memory.faults = [bench.memory.commits + 1: fault(number)]
        case "^": heal()
        case "%": bench.memory.readsFail.toggle()
        case "~": guest.isReading.toggle()
        case "/": act { [guest] in guest.endInput() }
        case "-": leave()
        case "#": restart()
        case ".": act { [bench] in bench.core.shutDown() }
        default: say(Array(line))
        }
        if !isOneTurn { turn() }
    }

    /// The client at hand, who connects if need be.
    private var guest: Listener {
        if let guest = guests[hand] { return guest }
        let guest = Listener(bench, number: hand, parser: parser)
        guests[hand] = guest
        return guest
    }

    private func say(_ line: [UInt8]) {
        act { [guest] in guest.say(line) }
    }

    private func act(_ body: @escaping () -> Void) {
        written.append(body)
    }

    private func fault(_ number: Int64?) -> MemoryStorage.Fault {
        let all = MemoryStorage.Fault.allCases
        return all[Int((number ?? 0).magnitude % UInt64(all.count))]
    }

    private func heal() {
        bench.memory.faults = [:]
        bench.memory.readsFail = false
        if bench.memory.failure != nil { bench.memory.recover() }
    }

    private func leave() {
        act { [bench, guest] in bench.core.closed(guest.client) }
        turn()
        guests[hand] = nil
    }

    private func restart() {
        guests = Array(repeating: nil, count: guests.count)
        written = []
        bench.restart()
    }

    // MARK: - Time and turns

    private func wait(_ span: Milliseconds) {
        let end = bench.now.monotonic.adding(span)
        while let deadline = bench.core.nextDeadline, deadline <= end {
            bench.sleep(
                max(0, (deadline.nanoseconds - bench.now.monotonic.nanoseconds) / 1_000_000))
            turn()
        }
        bench.sleep((end.nanoseconds - bench.now.monotonic.nanoseconds) / 1_000_000)
    }

    private func turn() {
        let happens = written
        written = []
        bench.turn { for happen in happens { happen() } }
        _ = bench.core.takeLog()
        _ = bench.core.takeFlushable()
        for case let guest? in guests {
            guest.read()
            complaint = complaint ?? guest.complaint
            for token in guest.takePrompts() { check(prompt: token) }
        }
        checkCaps()
    }

    /// P2: at most once for each grant, and after it is durable.
    private func check(prompt token: String) {
        if !emitted.insert(token).inserted { complaint = "prompt \(token) came twice" }
        let isDurable = bench.memory.disk.states[0].apps.values.contains { record in
            record.grants.contains { $0.token?.string == token }
        }
        if !isDurable { complaint = "prompt \(token) came before its grant was durable" }
    }

    /// P1: nobody sets the clock here, so the window is a matter of differences.
    private func checkCaps() {
        for (key, record) in bench.memory.disk.image.apps {
            let times = record.grants.map { $0.grantedAt.first.milliseconds }
            for (early, late) in zip(times, times.dropFirst(3)) where late - early < .window {
                complaint = "\(key.app.string) was prompted four times within a year"
            }
        }
    }

    /// All that is pending ends, then all leave: nothing of them is left.
    private func end() {
        turn()
        heal()
        for case let guest? in guests { guest.isReading = true }
        wait(25 * 3_600 * .second)
        turn()
        for case let guest? in guests {
            if let token = guest.pending.first { complaint = "nothing came of \(token)" }
            act { [bench] in bench.core.closed(guest.client) }
        }
        guests = Array(repeating: nil, count: guests.count)
        turn()
        wait(25 * 3_600 * .second)
        turn()
        if !bench.core.isIdle { complaint = "with nobody there the daemon is not idle" }
    }
}
