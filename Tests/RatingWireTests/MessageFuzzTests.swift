import TestSupport
import Testing

@testable import RatingWire

/// Any line is read as SPEC 1 says, by a second reader that knows nothing of the first.
struct MessageFuzzTests {
    @Test func `any line is the message that SPEC says`() throws {
        // One for all inputs, as the daemon has one for all lines.
        let parser = LineParser()
        let target = FuzzTarget("message") { Self.objection(to: $0, read: parser.parse) }
        let objections = try target.objections()
        #expect(objections == [])
    }

    private static func objection(
        to line: [UInt8], read: ([UInt8]) -> Incoming
    ) -> String? {
        let incoming = read(line)
        let text = ReferenceJSON.value(line)
        let expected = text.map(PlainReading.init(of:)) ?? .failure("parse_error")
        if PlainReading(incoming) != expected {
            return "read as \(incoming), not as \(expected)"
        }
        for failure in failures(of: incoming) {
            if let objection = objection(to: failure) { return objection }
        }
        // What was read before does not matter.
        let known = Array(#"{"id":1,"method":"ping"}"#.utf8)
        guard read(known) == .single(.call(id: .integer(1), .success(.ping))),
            read(line) == incoming
        else { return "the parser remembers the line" }
        return text.flatMap(writingObjection)
    }

    /// What the daemon writes of a value is that value.
    private static func writingObjection(to value: JSONValue) -> String? {
        for layout in [JSONValue.Layout.short, .pretty] {
            let text = Array(value.text(layout).utf8)
            guard ReferenceJSON.value(text) == value, (try? JSONValue(parsing: text.span)) == value
            else { return "written \(layout) it is another value" }
        }
        return nil
    }

    private static func failures(of incoming: Incoming) -> [Failure] {
        let elements: [Incoming.Element] =
            switch incoming {
            case .failure(let failure): [.invalid(id: .null, failure)]
            case .single(let element): [element]
            case .known(let call): [call.element]
            case .batch(let elements): elements
            }
        return elements.compactMap { element in
            switch element {
            case .call(_, .failure(let failure)), .invalid(_, let failure): failure
            case .call(_, .success), .response: nil
            }
        }
    }

    /// An error is answered in one short line that no terminal would obey.
    private static func objection(to failure: Failure) -> String? {
        let isPlain = failure.message.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control
        }
        guard isPlain, !failure.message.isEmpty, failure.message.utf8.count < 1_024 else {
            return "the message of an error: \(failure.message)"
        }
        var bytes: [UInt8] = []
        MessageWriter.appendError(.string("a\"b"), failure, to: &bytes)
        guard bytes.last == UInt8(ascii: "\n"),
            let answer = ReferenceJSON.value(bytes.dropLast()),
            answer["id"] == .string("a\"b"), answer["jsonrpc"] == .string("2.0"),
            answer["error"]?["code"] == .integer(failure.reason.code),
            answer["error"]?["message"] == .string(failure.message),
            answer["error"]?["data"]?["reason"] == .string(failure.reason.rawValue)
        else { return "an error is written as \(String(decoding: bytes, as: UTF8.self))" }
        return nil
    }
}

private final class LineParser {
    private var parser = MessageParser()

    func parse(_ line: [UInt8]) -> Incoming { parser.parse(line.span).asIfRead }
}
