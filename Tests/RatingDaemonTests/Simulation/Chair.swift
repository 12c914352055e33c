import RatingPolicy
import RatingWire

@testable import RatingDaemon

/// A simulated client: its end of the socket, and the loop's.
final class Chair {
    let client: Client
    let seat: Seat
    var framer = LineFramer()
    /// Bytes written and not yet arrived.
    private var outbox: [UInt8] = []
    /// Lines written and not yet carried out, in order.
    var inFlight: [Line] = []
    var isSlow = false
    var isInputEnded = false
    var isEndTold = false
    var isHungUp = false
    var isClosed = false
    /// It has read since the core was last told of that.
    var hasRead = false
    /// The ids of the `confirm` requests it has not answered.
    var toConfirm: [String] = []
    private var lastID = 0
    /// How many bytes of the queue were looked at already.
    private var seen = 0

    init(_ client: Client, _ seat: Seat) {
        self.client = client
        self.seat = seat
    }

    func write(_ messages: [Message], tokens: [UserID: [String]]) {
        guard !isInputEnded, !isHungUp else { return }
        var parts: [Line.Part] = []
        var texts: [String] = []
        for message in messages {
            if !message.isNotification { lastID += 1 }
            var part = Line.Part(content: message.content)
            part.id = message.isNotification ? nil : lastID
            part.token = message.content.token(tokens[seat.user] ?? [])
            parts.append(part)
            texts.append(message.content.text(id: part.id, token: part.token))
        }
        if case .malformed? = messages.first?.content {
            return send(Line(text: #"{"method":"#, parts: []))
        }
        let isBatch = messages.count > 1
        let text = isBatch ? "[\(texts.joined(separator: ","))]" : texts[0]
        send(Line(text: text, parts: parts, isBatch: isBatch))
    }

    func answerConfirm(_ result: String) {
        guard !toConfirm.isEmpty, !isInputEnded, !isHungUp else { return }
        let id = toConfirm.removeFirst()
        var part = Line.Part()
        part.confirm = id
        part.isYes = result == "true"
        send(Line(text: #"{"jsonrpc":"2.0","id":"\#(id)","result":\#(result)}"#, parts: [part]))
    }

    private func send(_ line: Line) {
        inFlight.append(line)
        outbox += Array(line.text.utf8) + [UInt8(ascii: "\n")]
    }

    func deliver(_ count: Int) {
        guard !isInputEnded else { return }
        let bytes = Array(outbox.prefix(count == 0 ? outbox.count : count))
        outbox.removeFirst(bytes.count)
        framer.append(bytes.span)
    }

    func endInput() {
        guard !isInputEnded else { return }
        deliver(0)
        isInputEnded = true
        framer.end()
    }

    /// It is gone; what had not arrived is lost.
    func hangUp() {
        isHungUp = true
        isInputEnded = true
    }

    /// Reads so many bytes of what is ready; 0: all.
    func read(_ count: Int) {
        let before = client.output.count
        unsafe client.output.drain { ready in count == 0 ? ready.count : min(count, ready.count) }
        seen -= before - client.output.count
        hasRead = hasRead || client.output.count < before
    }

    /// The lines that were released since the last call, read or not.
    func newLines(onProblem complain: (String) -> Void) -> [JSONValue] {
        let output = client.output
        if output.readyCount != output.count { complain("a stored turn left bytes unreleased") }
        let new = output.bytes.suffix(output.count - seen)
        seen = output.count
        return new.split(separator: UInt8(ascii: "\n")).map { line in
            let bytes = Array(line)
            do throws(JSONSyntaxError) {
                return try JSONValue(parsing: bytes.span)
            } catch {
                complain("no JSON: \(String(decoding: bytes, as: UTF8.self))")
                return .null
            }
        }
    }
}
