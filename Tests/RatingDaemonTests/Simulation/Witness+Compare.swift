import RatingPolicy
import RatingWire

@testable import RatingDaemon

extension Witness {
    /// What is stored is what was acknowledged, no less and no more.
    func compareStored() {
        for key in forgotten where apps[key] == AppRecord() { apps[key] = nil }
        for key in Set(apps.keys).union(turn.image.apps.keys) {
            let stored = turn.image.apps[key] ?? AppRecord()
            let known = apps[key] ?? AppRecord()
            guard stored != known else { continue }
            complain("\(key.app.string): " + Self.differences(stored, known))
        }
        for user in Set(optedOutOfAll.keys).union(turn.image.optedOutOfAll.keys)
        where optedOutOfAll[user, default: false] != turn.image.optedOutOfAll[user, default: false]
        {
            complain("\(user): the opt-out of all apps that is stored is another one")
        }
        if mustBeSynced, turn.durable != turn.image {
            complain("something was told that a power cut could still take away")
        }
    }

    private static func differences(_ stored: AppRecord, _ known: AppRecord) -> String {
        func members(_ record: AppRecord) -> [String] {
            Mirror(reflecting: record).children.map { "\($0.label ?? ""): \($0.value)" }
        }
        return zip(members(stored), members(known)).filter { $0 != $1 }
            .map { "stored \($0), acknowledged \($1)" }.joined(separator: "; ")
    }

    /// Each line that a client was told is the one that was due.
    func compare(_ seat: Seat, _ lines: [JSONValue]) {
        var due = seat.expected
        seat.expected = []
        var next = 0
        let isCrowded = turn.crowded.contains(seat.id)
        for line in lines {
            if line["method"]?.string == "prompt" { emitted(line["params"] ?? .null) }
            if line["method"]?.string == "lagged" {
                let dropped = line["params"]?["dropped"]?.integer ?? 0
                // The last of what it tells of may have been dropped in this turn.
                while isCrowded, seat.missed < dropped, next < due.count, due[next].isNews {
                    pass(due[next], seat)
                    next += 1
                }
                checkLag(seat, line)
                continue
            }
            while next < due.count, due[next].isMark || due[next].isNews && isCrowded,
                choose(line, &due, next) != nil
            {
                pass(due[next], seat)
                next += 1
            }
            guard next < due.count else {
                complain("client \(seat.id.number) was told too much: \(line.text())")
                return
            }
            if let objection = choose(line, &due, next) {
                complain("client \(seat.id.number) was told \(line.text()), not \(objection)")
                return
            }
            if due[next].isNews { checkSequence(seat, line) }
            next += 1
        }
        for missing in due.dropFirst(next) {
            if missing.isMark || missing.isNews && (isCrowded || seat.isGone) {
                pass(missing, seat)
            } else {
                complain("client \(seat.id.number) was not told: \(missing.content)")
            }
        }
    }

    /// Nothing was told for this.
    private func pass(_ expected: Expected, _ seat: Seat) {
        if expected.isMark {
            seat.sequence = 0
            seat.missed = 0
        } else {
            seat.missed += 1
        }
    }

    /// Brings the one of a group that a line is to the front; tells why there is none.
    private func choose(_ line: JSONValue, _ due: inout [Expected], _ next: Int) -> String? {
        let objection = due[next].objection(to: line)
        guard objection != nil, let group = due[next].group else { return objection }
        var index = next + 1
        while index < due.count, due[index].group == group {
            if due[index].objection(to: line) == nil {
                due.swapAt(next, index)
                return nil
            }
            index += 1
        }
        return objection
    }

    private func checkSequence(_ seat: Seat, _ line: JSONValue) {
        let number = line["params"]?["seq"]?.integer ?? 0
        if seat.missed > 0 { complain("client \(seat.id.number) was not told that it lagged") }
        seat.sequence += 1
        if number != seat.sequence {
            complain("client \(seat.id.number): news \(number) instead of \(seat.sequence)")
        }
    }

    private func checkLag(_ seat: Seat, _ line: JSONValue) {
        if line["params"]?["dropped"]?.integer != seat.missed || seat.missed == 0 {
            complain("client \(seat.id.number) missed \(seat.missed), not \(line.text())")
        }
        seat.sequence += seat.missed
        seat.missed = 0
    }

    /// A prompt was told: for a durable grant, and the first time.
    private func emitted(_ params: JSONValue) {
        guard params["debug"]?.bool == false, let token = params["token"]?.string else { return }
        guard turn.isDelivered else { return }
        let isDurable = turn.durable.apps.values.contains { record in
            record.grants.contains { $0.token?.string == token }
        }
        if !isDurable { complain("prompt \(token) was told before its grant was durable") }
        if !history.emitted.insert(token).inserted { complain("prompt \(token) was told twice") }
    }
}
