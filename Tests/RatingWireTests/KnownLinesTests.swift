import Testing

@testable import RatingWire

/// A line that is like one before is read as if it were the first.
struct KnownLinesTests {
    /// Each 5 stands where another text may be.
    private static let lines = [
        #"{"id":5,"method":"event","params":{"name":"note-saved"}}"#,
        #"{"id": 5, "method": "event", "params": {"name": "note-saved", "count": 5}}"#,
        #"{"jsonrpc":"2.0","id":5,"method":"event","params":{"name":"id","count":5}}"#,
        #"{"method":"event","params":{"name":"a name of some length"},"id":5}"#,
        #"{"method":"event","params":{"name":"\"id\":5","count":5},"id":5}"#,
        #"{"method":"event","params":{"name":"x","count":5}}"#,
        #"{"i\u0064":5,"method":"event","params":{"name":"x","count":5}}"#,
        #"{"id":5,"id":5,"method":"event","params":{"name":"note-saved"}}"#,
        #"{"id":5,"method":"event","params":{"id":5,"name":"note-saved"}}"#,
        #"{"id":"5","method":"event","params":{"name":"note-saved"}}"#,
        #"{"method":"hello","params":{"app":"a.b","version":"5","policy":{"id":5}},"id":5}"#,
        #"{"method":"hello","params":{"app":"a.b","version":"5","policy":{"id":5}},"id" :5}"#,
        #"{"method":"hello","params":{"app":"a.b","version":"5","policy":{"id":5}},"i\u0064":5}"#,
        #"{"id":5,"method":"session","params":{"app":"org.example.Notes","version":"5"}}"#,
        #"{"id":5,"method":"request","params":{"debounce_ms":5}}"#,
        #"[{"id":5,"method":"event","params":{"name":"note-saved"}}]"#,
        #"{"id":5,"result":true,"jsonrpc":"2.0"}"#,
    ]
    private static let others = [
        "5", "0", "7", "55", "05", "-5", "-0", "5.0", "5e1", "5 ", " 5", "", "null", "true",
        "\"5\"",
        "[5]", "5,\"id\":7", "999999999999999", "1000000000000000", "9007199254740993",
        "123456789012345678901234567890", "5\r", "5\\u0000", "x",
    ]

    private func read(_ line: String, by parser: inout MessageParser) -> Incoming {
        parser.parse(Array(line.utf8).span).asIfRead
    }

    @Test(arguments: lines)
    func `other digits, and other texts in their place, are read for what they are`(line: String) {
        var parser = MessageParser()
        let pieces = line.split(separator: "5", omittingEmptySubsequences: false)
        for place in 1..<pieces.count {
            for other in Self.others {
                _ = read(line, by: &parser)
                let changed =
                    pieces[..<place].joined(separator: "5") + other
                    + pieces[place...].joined(separator: "5")
                var fresh = MessageParser()
                let expected = read(changed, by: &fresh)
                #expect(read(changed, by: &parser) == expected, "\(changed)")
                #expect(read(changed, by: &parser) == expected, "again: \(changed)")
            }
        }
    }

    @Test func `lines up to the longest that is remembered, and beyond, are read alike`() {
        var parser = MessageParser()
        for count in [1, 2, 63, 64, 65]
            + Array(KnownLines.lineBytesMax - 60...KnownLines.lineBytesMax)
        {
            let name = String(repeating: "n", count: count)
            for id in [1, 99] {
                let line = #"{"id":\#(id),"method":"event","params":{"name":"\#(name)"}}"#
                var fresh = MessageParser()
                #expect(read(line, by: &parser) == read(line, by: &fresh), "\(line)")
            }
        }
    }

    @Test func `a line that is known shares what it asks for`() {
        var known = KnownLines()
        let line = Array(#"{"id":5,"method":"event","params":{"name":"note-saved"}}"#.utf8)
        var parser = MessageParser()
        guard case .single(let element) = parser.parse(line.span) else { return }
        #expect(known.call(in: line.span) == nil)
        known.remember(line.span, as: element)
        #expect(known.call(in: line.span)?.element == element)
        let other = Array(#"{"id":77,"method":"event","params":{"name":"note-saved"}}"#.utf8)
        #expect(known.call(in: other.span)?.id == 77)
        #expect(known.call(in: other.span)?.line === known.call(in: line.span)?.line)
    }

    @Test func `what hello says is read each time`() {
        var known = KnownLines()
        let line = Array(#"{"id":5,"method":"hello","params":{"app":"a.b","version":"1"}}"#.utf8)
        var parser = MessageParser()
        guard case .single(let element) = parser.parse(line.span) else { return }
        known.remember(line.span, as: element)
        #expect(known.call(in: line.span) == nil)
    }
}
