import TestSupport
import Testing

@testable import RatingWire

struct JSONParserTests {
    private func value(_ text: [UInt8]) -> JSONValue? {
        try? JSONValue(parsing: text.span)
    }

    private func value(_ text: String) -> JSONValue? {
        value(Array(text.utf8))
    }

    private func error(_ text: [UInt8], capacity: Int = JSONParser.capacity) -> JSONError? {
        var parser = JSONParser(capacity: capacity)
        return parser.read(text.span) { result in
            if case .failure(let error) = result { error } else { nil }
        }
    }

    private func error(_ text: String) -> JSONError? {
        error(Array(text.utf8))
    }

    @Test(
        arguments: [
            ("{", .syntax), ("[1}", .syntax), ("\u{0}", .syntax), ("{}\u{0}{}", .syntax),
            (" \u{0}1", .syntax), ("\u{BB}1", .syntax), ("\"a", .string), ("\"\\q\"", .string),
            ("[\"\t\"]", .string), ("1.", .number), ("1e+", .number), ("1e309", .number),
            ("-9007199254740992", .number), ("99999999999999999999", .number),
        ] as [(String, JSONError)])
    func `a text that is refused is refused for a reason`(text: String, reason: JSONError) {
        #expect(error(text) == reason)
    }

    @Test func `the rest of a byte order mark is no text`() {
        for rest in [[0xEF], [0xBB], [0xBF], [0xEF, 0xBB], [0xBB, 0xBF]] as [[UInt8]] {
            #expect(error(rest + [0x31]) == .syntax)
        }
    }

    @Test func `a text without memory for it is refused`() {
        #expect(error(Array("[1]".utf8), capacity: 1 << 58) == .noMemory)
        let spaces = [UInt8](repeating: 0x20, count: JSONParser.bytesMax + 1)
        #expect(error(spaces) == .noMemory)
        #expect(error(Array(spaces.dropLast())) == .empty)
    }

    @Test func `a string may be as long as a text`() {
        var text = [UInt8](repeating: UInt8(ascii: "a"), count: JSONParser.bytesMax)
        text[0] = UInt8(ascii: "\"")
        text[text.count - 1] = UInt8(ascii: "\"")
        var parser = JSONParser(capacity: 0)
        let count = parser.read(text.span) { result in
            if case .success(let node) = result { node.byteCount } else { 0 }
        }
        #expect(count == text.count - 2)
    }

    @Test(arguments: [
        "[1,]", "{\"a\":1,}", "[,]", "{,}", "{a:1}", "{'a':1}", "[1 2]", "{\"a\" 1}", "1 2", "[",
        "]",
        "{", "}", "{\"a\"}", "{\"a\":}", "{1:2}", "tru", "truee", "True", "nul", "NaN", "Infinity",
        "-Infinity", "// a", "/**/1", "[1]]", "{}{}", "\"a\" \"b\"", ":", ",",
        "\u{FEFF}1", "1\u{FEFF}", "\u{A0}1", "\u{C}1", "1\u{B}",
    ])
    func `what RFC 8259 does not have is refused`(text: String) {
        #expect(value(text) == nil)
    }

    @Test(arguments: [
        "01", "-01", "+1", ".5", "1.", "-", "1e", "1e+", "0x10", "1_000", "--1", "1.e1", "00",
        "9007199254740992", "-9007199254740992", "99999999999999999999999999", "1e309", "-1e309",
        "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "100000000000000000000000000000000000000001", "-1e999999999999999999999",
    ])
    func `numbers that are malformed or out of range are refused`(text: String) {
        #expect(value(text) == nil)
        #expect(value("{\"a\":[\(text)]}") == nil)
    }

    @Test func `integers, and numbers that are none, are told apart`() {
        #expect(value("-0") == .integer(0))
        #expect(value("9007199254740991") == .integer(9_007_199_254_740_991))
        #expect(value("-9007199254740991") == .integer(-9_007_199_254_740_991))
        #expect(value("1.0") == .double(1))
        #expect(value("1e2") == .double(100))
        #expect(value("1E-2") == .double(0.01))
        #expect(value("1e308") == .double(1e308))
        #expect(value("1e-400") == .double(0))
        #expect(value("9007199254740993.0") == .double(9_007_199_254_740_992))
        #expect(value("-0.0")?.text() == "-0.0")
    }

    @Test(arguments: [
        "1.7976931348623157e308", "1.7976931348623158e308", "2.2250738585072011e-308", "5e-324",
        "2.4703282292062328e-324", "0.1", "8.5", "9007199254740993.5", "123456789012345678e-4",
        "7.2057594037927933e16", "1e23", "4.35", "0.000000000000000000000000000000000000001e40",
        "6.02214076e+23", "1e-999999999999999999999",
        "0." + String(repeating: "0", count: 400) + "1e400", "0e0", "0e308",
        String(repeating: "1", count: 300) + "." + String(repeating: "1", count: 2_000),
    ])
    func `a number is the double that is nearest to it`(text: String) {
        #expect(value(text) == Double(text).map(JSONValue.double))
        #expect(value("[-\(text)]") == Double("-" + text).map { .array([.double($0)]) })
    }

    @Test func `of what no double could hold a power of ten makes no number`() {
        let large = "1" + String(repeating: "0", count: 310)
        #expect(error(large + "e-10") == .number)
        #expect(error(large + ".0e-10") == .number)
        #expect(error("0e309") == .number)
        #expect(error("0.0e310") == .number)
        #expect(value("0.0e309") == .double(0))
    }

    @Test func `a byte order mark and UTF-16 are refused`() {
        #expect(error("\u{FEFF}{}") == .byteOrderMark)
        #expect(value("{}".utf16.flatMap { [UInt8($0), 0] }) == nil)
        #expect(value("{}".utf16.flatMap { [0, UInt8($0)] }) == nil)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3],
            [0xE2, 0x82], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        let quote = [UInt8(ascii: "\"")]
        #expect(value(quote + bytes + quote) == nil)
        #expect(value(quote + Array("é€😀".utf8) + quote) == .string("é€😀"))
    }

    @Test func `of all escapes of one UTF-16 unit the surrogates are refused`() {
        for unit in UInt32(0)...0xFFFF {
            let digits = String(unit, radix: 16)
            let padded = String(repeating: "0", count: 4 - digits.count) + digits
            let expected = Unicode.Scalar(unit).map { JSONValue.string(String($0)) }
            if value("\"\\u\(padded)\"") != expected { Issue.record("\\u\(padded)") }
        }
    }

    @Test func `a surrogate pair is one scalar and half of one is refused`() {
        #expect(value(#""\ud83d\ude00""#) == .string("😀"))
        #expect(value(#""\uD83D\uDE00""#) == .string("😀"))
        #expect(value(#""\udbff\udfff""#) == .string("\u{10FFFF}"))
        for text in [
            #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#,
            #""\ud83d\ud83d""#, #""\ude00\ud83d""#, #""\ud83d\\ude00""#, #""\ud83d\u""#,
            #"{"\ude00":1}"#,
        ] {
            #expect(error(text) == .string, "\(text)")
        }
    }

    @Test func `raw control characters are refused and escaped ones are not`() {
        for byte in UInt8(0)..<0x20 {
            #expect(value([0x22, byte, 0x22]) == nil, "\(byte)")
        }
        #expect(value(#""\u0000\u001f""#) == .string("\u{0}\u{1F}"))
        #expect(value("\"\u{7F}\"") == .string("\u{7F}"))
    }

    @Test func `a raw NUL anywhere is refused`() {
        let text = Array(#"{"a":[1,-2.5,true,null,"b"]}"#.utf8)
        for at in 0...text.count {
            var broken = text
            broken.insert(0, at: at)
            #expect(value(broken) == nil, "\(at)")
        }
    }

    @Test func `a member name stands once in an object`() {
        #expect(error(#"{"a":1,"a":1}"#) == .duplicateName)
        #expect(error(#"{"a":1,"b":{},"a":2}"#) == .duplicateName)
        #expect(error(#"{"a":1,"\u0061":2}"#) == .duplicateName)
        #expect(error(#"{"x":[{"":1,"":2}]}"#) == .duplicateName)
        #expect(error(#"{"é":1,"\u00e9":2}"#) == .duplicateName)
        #expect(error(#"{"longer than eight":1,"longer than eight":2}"#) == .duplicateName)
        #expect(value(#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#) != nil)
        #expect(value(#"{"a":1,"a\u0000":2,"A":3,"":4}"#) != nil)
        #expect(
            value(#"{"longer than eight":1,"longer than nine!":2,"longer than eigh":3}"#) != nil)
        // One name in two spellings of Unicode: different bytes, different names.
        #expect(value("{\"\u{E9}\":1,\"e\u{301}\":2}") != nil)
    }

    @Test(arguments: [2, 7, 8, 9, 10, 100, 7_000])
    func `a name that comes twice is found in objects of any size`(count: Int) {
        let names = (0..<count).map { "n\(String($0, radix: 36))" }
        let object = { (names: [String]) in
            "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        }
        #expect(value(object(names))?.members?.count == count)
        for (first, second) in [(0, count - 1), (count / 2, count - 1), (0, 1)]
        where first != second {
            var doubled = names
            doubled[second] = names[first]
            #expect(error(object(doubled)) == .duplicateName)
        }
    }

    @Test func `32 levels are read and 33 are not`() {
        for (open, inner, close) in [("[", "", "]"), ("[", "1", "]"), (#"{"a":"#, "{}", "}")] {
            let levels = { (count: Int) in
                String(repeating: open, count: count) + inner
                    + String(repeating: close, count: count)
            }
            let own = inner == "{}" ? 1 : 0
            #expect(value(levels(32 - own)) != nil)
            for count in [33, 34, 64, 200, 1_024, 200_000] {
                #expect(error(levels(count - own)) == .tooDeep, "\(count) of \(open)")
            }
        }
        #expect(error(String(repeating: "[", count: 200_000)) != nil)
        #expect(value(#"[[],[[]],{"a":[]}]"#) != nil)
    }

    @Test func `white space alone is no text`() {
        #expect(error("") == .empty)
        #expect(error(" \t\r") == .empty)
    }

    @Test func `texts longer than a line are read too`() {
        let long = "[" + Array(repeating: "\"abc\"", count: 100_000).joined(separator: ",") + "]"
        #expect(value(long)?.array?.count == 100_000)
    }

    @Test func `a parser that refused a text reads the next`() {
        var parser = JSONParser()
        for (text, expected) in [
            ("[1", false), ("[1]", true), ("\"\\ud800\"", false), ("{}", true),
        ] {
            let bytes = Array(text.utf8)
            let isRead = parser.read(bytes.span) { result in
                if case .success = result { true } else { false }
            }
            #expect(isRead == expected)
        }
    }

    @Test func `where a text lies in memory does not matter`() {
        let text = Array(#"{"name":"value","list":[1,2.5,"x"]}"#.utf8)
        let expected = value(text)
        var memory = [UInt8](repeating: 0x22, count: 8_192)
        for offset in stride(from: 0, to: 8_192 - text.count, by: 1) {
            memory.replaceSubrange(offset..<(offset + text.count), with: text)
            let read = try? JSONValue(
                parsing: memory.span.extracting(offset..<(offset + text.count)))
            if read != expected { Issue.record("at \(offset)") }
            memory[offset] = 0x22
        }
    }

    @Test func `two readers agree on texts that are broken at random`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = Seeded(seed)
        let texts = [
            #"{"jsonrpc":"2.0","id":-12,"method":"event","params":{"name":"n\u00e9\n","count":3}}"#,
            #"[1,2.5,-0.1e+3,true,false,null,"a\"b\\",{},[],{"a":{"b":[[]]}},"\ud83d\ude00é"]"#,
            " {\t\"x\" : [ ] ,\r\"y\" : \"\" } ",
        ].map { Array($0.utf8) }
        let alphabet = Array("{}[]:,\"\\/truefalsn0123456789.-+eEudDcC x \t\r\u{0}\u{1F}é".utf8)
        for _ in 0..<30_000 {
            var text = texts.randomElement(using: &random)!
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let at = Int.random(in: 0..<text.count, using: &random)
                let byte = alphabet.randomElement(using: &random)!
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[at] = byte
                case 1: text.insert(byte, at: at)
                case 2 where text.count > 1: text.remove(at: at)
                default: text.swapAt(at, Int.random(in: 0..<text.count, using: &random))
                }
            }
            if value(text) != ReferenceJSON.value(text) {
                Issue.record("seed \(seed): \(String(decoding: text, as: UTF8.self))")
                return
            }
        }
    }
}
