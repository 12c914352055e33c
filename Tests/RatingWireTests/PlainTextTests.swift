import TestSupport
import Testing

@testable import RatingWire

/// Short plain texts have a reader of their own, which must say what RapidJSON says.
struct PlainTextTests {
    /// What is read of a text, by whichever reader takes it.
    private func read(_ text: String) -> Result<JSONValue, JSONError> {
        var parser = JSONParser()
        let bytes = Array(text.utf8)
        return parser.read(bytes.span) { $0.map(JSONValue.init(node:)) }
    }

    /// The same by RapidJSON: a text that begins with a tab is not plain.
    private func readByRapidJSON(_ text: String) -> Result<JSONValue, JSONError> {
        read("\t" + text)
    }

    @Test(arguments: 0..<200)
    func `random texts, and what is near to them, are read as RapidJSON reads them`(seed: UInt64) {
        var texts = PlainTexts(seed: seed)
        for _ in 0..<200 {
            let text = texts.next()
            #expect(read(text) == readByRapidJSON(text), "seed \(seed): \(text)")
        }
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"abcdefgh":1,"abcdefgi":2,"abcdefgh":3}"#, #"{"":1,"":2}"#,
        #"{"a":{"b":1,"b":1}}"#,
    ])
    func `a member name that comes twice is refused`(text: String) {
        #expect(read(text) == .failure(.duplicateName))
    }

    @Test func `numbers are read up to the largest and not beyond`() {
        let largest = "999999999999999"
        for text in ["0", "7", largest, "9007199254740991", "9007199254740992", "00", "01", "1.0"] {
            #expect(read("{\"a\":\(text)}") == readByRapidJSON("{\"a\":\(text)}"), "\(text)")
        }
        #expect(
            read("{\"a\":\(largest)}")
                == .success(.object([.init("a", .integer(999_999_999_999_999))])))
    }

    @Test func `a text of any length is read to its end and no further`() {
        for count in 0..<700 {
            let text = "{\"a\":\"" + String(repeating: "x", count: count) + "\"}"
            #expect(read(text) == readByRapidJSON(text))
            #expect(read(text + "}") == .failure(.syntax))
        }
    }
}

/// Texts such as clients send, some of them damaged.
private struct PlainTexts {
    private var random: Seeded

    init(seed: UInt64) {
        random = Seeded(seed)
    }

    mutating func next() -> String {
        var text = Array(object(depth: 1))
        for _ in 0..<Int.random(in: 0...2, using: &random) where !text.isEmpty {
            let place = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0: text.remove(at: place)
            case 1: text.insert(pick("{}[]\",:0e.-\\ \u{7F}é\u{1}tn"), at: place)
            case 2: text[place] = pick("{}[]\",:0e.-\\ \u{7F}é\u{1}tn")
            default: text.removeLast(text.count - place)
            }
        }
        return String(text)
    }

    private mutating func pick(_ characters: String) -> Character {
        characters.randomElement(using: &random) ?? " "
    }

    private mutating func space() -> String {
        ["", "", "", " ", "  "].randomElement(using: &random) ?? ""
    }

    private mutating func name() -> String {
        let names = ["id", "method", "params", "name", "", "a", "b", "abcdefgh", "abcdefgi", "%é"]
        return names.randomElement(using: &random) ?? ""
    }

    private mutating func object(depth: Int) -> String {
        let members = (0..<Int.random(in: 0...(depth == 1 ? 9 : 3), using: &random)).map { number in
            let name = Bool.random(using: &random) ? name() : "n\(number)"
            return "\(space())\"\(name)\"\(space()):\(space())\(value(depth: depth))\(space())"
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0...(depth < 6 ? 9 : 7), using: &random) {
        case 0: "true"
        case 1: "false"
        case 2: "null"
        case 3: String(UInt64.random(in: 0...9, using: &random))
        case 4: String(UInt64.random(in: 0...1_000_000_000_000_000, using: &random))
        case 5: ["1.5", "1e2", "-1", "01", "[]"].randomElement(using: &random) ?? ""
        case 6, 7: "\"\(name())\""
        default: object(depth: depth + 1)
        }
    }
}
