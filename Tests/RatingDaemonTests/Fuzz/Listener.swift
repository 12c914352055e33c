import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// A client that knows of each line it wrote what answer it has to get, and of no more.
final class Listener {
    let client: Client
    var isReading = true
    private(set) var complaint: String?
    /// Its requests that are pending.
    private(set) var pending: Set<String> = []
    /// What ended before it was known to be pending: in a batch, whose answers come last.
    private var ended: Set<String> = []
    /// How many requests wanted no answer, so that their tokens are not told before they end.
    private var unansweredCount = 0
    private let bench: Bench
    private let parser: LineParser
    private var isInputEnded = false
    /// What has to come, in this order: for a batch several ids in one line.
    private var due: [Due] = []
    private var prompts: [String] = []
    /// How many bytes of the queue were looked at already.
    private var seen = 0

    private enum Due: Equatable {
        case answer(RequestID)
        case batch([RequestID])
    }

    /// 0 and 1 are two of one process, 2 a sandboxed app, 3 another user, 4 root.
    init(_ bench: Bench, number: Int, parser: LineParser) {
        self.bench = bench
        self.parser = parser
        let identity =
            number == 2
            ? Identity(source: .flatpak, isVerified: true, app: .notes) : Identity.claimed
        let users: [UserID] = [.daemon, .daemon, .daemon, 1_001, 0]
        client = bench.core.connected(
            Peer(
                user: users[number], process: ProcessID(number: Int32(1 + number / 2)),
                identity: identity))
        if client.isClosing { due.append(.answer(.null)) }
    }

    // MARK: - Writing

    func say(_ line: [UInt8]) {
        guard !isInputEnded, !client.isClosing, bench.core.isConnected(client),
            client.output.count <= bench.core.outputBytesMax
        else { return }
        let incoming = parser.parse(line)
        switch incoming {
        case .failure: due.append(.answer(.null))
        case .single(let element): expectAnswer(to: element)
        case .known(let call): expectAnswer(to: call.element)
        case .batch(let elements):
            elements.forEach(countUnanswered)
            let ids = elements.compactMap(Self.id(of:))
            if !ids.isEmpty { due.append(.batch(ids)) }
        }
        bench.core.receivedWhole(incoming, from: client)
    }

    private func expectAnswer(to element: Incoming.Element) {
        countUnanswered(element)
        if let id = Self.id(of: element) { due.append(.answer(id)) }
    }

    private func countUnanswered(_ element: Incoming.Element) {
        if case .call(id: nil, .success(.request)) = element { unansweredCount += 1 }
    }

    private static func id(of element: Incoming.Element) -> RequestID? {
        switch element {
        case .call(let id, _): id
        case .response: nil
        case .invalid(let id, _): id
        }
    }

    func endInput() {
        guard !isInputEnded, bench.core.isConnected(client) else { return }
        isInputEnded = true
        bench.core.inputEnded(client)
    }

    // MARK: - Reading

    /// The tokens of the prompts that came since this was last asked, but for those of `debug`.
    func takePrompts() -> [String] {
        defer { prompts = [] }
        return prompts
    }

    /// Looks at what a turn has released, and takes it if it reads.
    func read() {
        guard bench.core.isConnected(client) else { return }
        let new = client.output.bytes.suffix(client.output.count - seen)
        seen = client.output.count
        if let last = new.last, last != UInt8(ascii: "\n") { complain("half a line") }
        for line in new.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .dropLast()
        {
            take(Array(line))
        }
        if isReading {
            unsafe client.output.drain { ready in ready.count }
            bench.core.outputDrained(client)
            seen = client.output.count
        }
        if let missing = due.first { complain("no answer came: \(missing)") }
        if ended.count > unansweredCount, let token = ended.first {
            complain("\(token) ended and was not pending")
        }
    }

    private func complain(_ text: String) {
        complaint = complaint ?? "client \(client.id.number): \(text)"
    }

    private func take(_ line: [UInt8]) {
        guard let value = try? JSONValue(parsing: line.span) else {
            return complain("no JSON: \(String(decoding: line, as: UTF8.self))")
        }
        if let method = value["method"]?.string { return takeNotice(method, value) }
        let told: Due =
            value.array.map { .batch($0.map(Self.id(ofAnswer:))) }
            ?? .answer(Self.id(ofAnswer: value))
        guard let first = due.first, first == told else {
            return complain("not the answer to \(String(describing: due.first)): \(value.text())")
        }
        due.removeFirst()
        for answer in value.array ?? [value] { check(answer) }
    }

    private static func id(ofAnswer answer: JSONValue) -> RequestID {
        switch answer["id"] {
        case .integer(let number)?: .integer(number)
        case .string(let text)?: .string(text)
        default: .null
        }
    }

    private func check(_ answer: JSONValue) {
        let names = (answer.members ?? []).map(\.name)
        if names == ["jsonrpc", "id", "error"] {
            let error = answer["error"]
            guard error?["code"]?.integer != nil, error?["message"]?.string?.isEmpty == false,
                error?["data"]?["reason"]?.string.flatMap(Failure.Reason.init(rawValue:)) != nil
            else { return complain("an error: \(answer.text())") }
        } else if names != ["jsonrpc", "id", "result"] {
            complain("an answer: \(answer.text())")
        }
        guard answer["result"]?["decision"]?.string == "pending",
            answer["result"]?["debug"]?.bool != true,
            let token = answer["result"]?["token"]?.string
        else { return }
        if ended.remove(token) == nil { pending.insert(token) }
    }

    /// Exactly one of `prompt`, `granted` and `cancelled` ends a pending request.
    private func takeNotice(_ method: String, _ line: JSONValue) {
        let params = line["params"] ?? .null
        let token = params["token"]?.string
        guard line["jsonrpc"] == .string("2.0"), (line["id"] != nil) == (method == "confirm") else {
            return complain("a notice: \(line.text())")
        }
        switch method {
        case "prompt":
            guard let token, params["debug"]?.bool == false else { return }
            pending.remove(token)
            prompts.append(token)
        case "granted", "cancelled":
            guard let token else { return complain("a notice: \(line.text())") }
            if !token.hasPrefix("debug-"), pending.remove(token) == nil { ended.insert(token) }
        case "confirm", "decision", "counter", "lagged", "bye": break
        default: complain("a notice nobody knows: \(line.text())")
        }
    }
}

/// One parser for all lines, as the daemon has it.
final class LineParser {
    private var parser = MessageParser()

    func parse(_ line: [UInt8]) -> Incoming { parser.parse(line.span) }
}
