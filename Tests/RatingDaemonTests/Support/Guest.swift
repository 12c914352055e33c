import RatingPolicy
import RatingWire
import Testing

@testable import RatingDaemon

/// One connection of a test: writes lines and reads what it is told.
final class Guest {
    let client: Client
    private let bench: Bench
    private var parser = MessageParser()
    private var lastID = 0
    private var partial: [UInt8] = []
    /// Lines that came after the answer of `ask`.
    private var unread: [JSONValue] = []

    init(_ client: Client, on bench: Bench) {
        self.client = client
        self.bench = bench
    }

    // MARK: - Writing

    /// Writes one line in the turn that is under way, or in one of its own.
    func write(_ line: String) {
        guard bench.isInTurn else { return bench.turn { write(line) } }
        let bytes = Array(line.utf8)
        let incoming = parser.parse(bytes.span)
        if bench.isPatient {
            bench.core.received(incoming, from: client)
        } else {
            bench.core.receivedWhole(incoming, from: client)
        }
    }

    /// One piece more of what it is being answered, in a turn of its own.
    func goOn() {
        bench.turn { bench.core.goOn(with: client) }
    }

    /// Sends a request; its id is one more than that of the one before.
    func send(_ method: String, _ params: String = "") {
        lastID += 1
        write(line(method, params, id: lastID))
    }

    func notify(_ method: String, _ params: String = "") {
        write(#"{"method":"\#(method)","params":{\#(params)}}"#)
    }

    func line(_ method: String, _ params: String = "", id: Int) -> String {
        #"{"id":\#(id),"method":"\#(method)","params":{\#(params)}}"#
    }

    func endInput() {
        guard bench.isInTurn else { return bench.turn { endInput() } }
        bench.core.inputEnded(client)
    }

    /// The peer goes, with lines of it still to be carried out.
    func hangUp() {
        client.isHungUp = true
    }

    func close() {
        guard bench.isInTurn else { return bench.turn { close() } }
        bench.core.closed(client)
    }

    // MARK: - Reading

    /// What it was told since it last read, one text a line; see `summary`.
    func told() -> [String] { readLines().map(summary) }

    func readLines() -> [JSONValue] {
        defer { unread = [] }
        return unread + newLines()
    }

    private func newLines() -> [JSONValue] {
        partial += drained()
        var values: [JSONValue] = []
        while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
            values.append(parsed(Array(partial[..<end])))
            partial.removeSubrange(...end)
        }
        return values
    }

    /// Takes the bytes that may be written now.
    func drained() -> [UInt8] {
        var bytes: [UInt8] = []
        unsafe client.output.drain { ready in
            unsafe bytes.append(contentsOf: ready)
            return ready.count
        }
        return bytes
    }

    private func parsed(_ line: [UInt8]) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: line.span)
        } catch {
            Issue.record("the daemon wrote no JSON: \(String(decoding: line, as: UTF8.self))")
            return .null
        }
    }

    // MARK: - Asking

    /// Sends a request in a turn of its own, and reads what it is told up to its answer; what
    /// follows that is told later.
    func ask(_ method: String, _ params: String = "") -> JSONValue {
        send(method, params)
        let lines = readLines()
        guard let index = lines.lastIndex(where: { $0["id"]?.integer == Int64(lastID) }) else {
            Issue.record("\(method) was not answered: \(lines.map(summary))")
            return .null
        }
        let answer = lines[index]
        unread = Array(lines[(index + 1)...])
        return answer["result"] ?? answer
    }

    /// The reason of an error, or `ok`.
    func outcome(of method: String, _ params: String = "") -> String {
        reason(of: ask(method, params)) ?? "ok"
    }

    /// Has a request pending and tells its token.
    func request(_ params: String = "") -> String {
        let answer = ask("request", params)
        guard let token = answer["token"]?.string else {
            Issue.record("the request is not pending: \(answer.text())")
            return ""
        }
        return token
    }
}

/// The reason of an error; nil if it is none.
func reason(of answer: JSONValue) -> String? {
    answer["error"]?["data"]?["reason"]?.string
}

/// One line of the daemon in a few words: `3 ok`, `3 pending`, `3 refused version interval`,
/// `3 error not_found`, `cancelled activity`, `prompt`, `decision 2 granted`, `[1 ok, 2 ok]`.
func summary(_ line: JSONValue) -> String {
    if let answers = line.array { return "[\(answers.map(summary).joined(separator: ", "))]" }
    if let method = line["method"]?.string { return notification(method, line["params"] ?? .null) }
    let id = line["id"]?.integer.map(String.init) ?? line["id"]?.string ?? "null"
    if let reason = reason(of: line) { return "\(id) error \(reason)" }
    let result = line["result"] ?? .null
    guard let decision = result["decision"]?.string else { return "\(id) ok" }
    return ([id, decision] + names(result["reasons"])).joined(separator: " ")
}

private func notification(_ method: String, _ params: JSONValue) -> String {
    var words = [method]
    if let sequence = params["seq"]?.integer { words.append(String(sequence)) }
    for name in ["decision", "counter", "name", "reason"] {
        if let text = params[name]?.string { words.append(text) }
    }
    for name in ["value", "dropped"] {
        if let number = params[name]?.integer { words.append(String(number)) }
    }
    return (words + names(params["reasons"])).joined(separator: " ")
}

private func names(_ value: JSONValue?) -> [String] {
    (value?.array ?? []).compactMap(\.string)
}
