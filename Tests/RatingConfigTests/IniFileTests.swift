import Testing

@testable import RatingConfig

struct IniFileTests {
    private func entries(_ text: String) -> [IniFile.Entry] {
        IniFile(Array(text.utf8)).lines.map(\.entry)
    }

    @Test func `sections and assignments come with their lines`() {
        let lines = IniFile(Array("# one\n\n[Policy]\n  Enabled = no \n;five\nX=\n".utf8)).lines
        #expect(lines.map(\.number) == [3, 4, 6])
        #expect(
            lines.map(\.entry) == [
                .section("Policy"), .assignment(key: "Enabled", value: "no"),
                .assignment(key: "X", value: ""),
            ])
    }

    @Test func `comments begin lines and nothing else`() {
        #expect(
            entries("Key=https://x/;a ;b #c\n  ; indented\n\t# too\n")
                == [.assignment(key: "Key", value: "https://x/;a ;b #c")])
    }

    @Test func `an indented line is a line of its own`() {
        #expect(
            entries("A=1\n  B=2\n  word\n")
                == [
                    .assignment(key: "A", value: "1"), .assignment(key: "B", value: "2"),
                    .fault("no '=' in 'word'"),
                ])
    }

    @Test func `quotes, colons and further signs stay in the value`() {
        #expect(
            entries("A=\"b\" : = c\\\nB=1\n")
                == [
                    .assignment(key: "A", value: "\"b\" : = c\\"),
                    .assignment(key: "B", value: "1"),
                ])
        #expect(entries("A: 1") == [.fault("no '=' in 'A: 1'")])
    }

    @Test func `a key may be empty`() {
        #expect(entries("=5") == [.assignment(key: "", value: "5")])
    }

    @Test func `names of sections are never cut`() {
        let name = "Event " + String(repeating: "n", count: 64)
        #expect(entries("[\(name)]") == [.section(name)])
        #expect(entries("[a b ; c]") == [.section("a b ; c")])
    }

    @Test func `a section needs its end on the same line`() {
        #expect(entries("[Policy\n[Policy] x\n") == [.section(nil), .section(nil)])
        #expect(entries("[]") == [.section("")])
        #expect(entries("[") == [.section(nil)])
    }

    @Test func `line ends of other systems and a byte order mark are dropped`() {
        let text = "\u{FEFF}[Policy]\r\nEnabled=no\r\n"
        #expect(
            entries(text) == [.section("Policy"), .assignment(key: "Enabled", value: "no")])
    }

    @Test func `the last line needs no end`() {
        #expect(entries("A=1") == [.assignment(key: "A", value: "1")])
        #expect(entries("") == [])
        #expect(entries("\n") == [])
    }

    @Test(arguments: [-1, 0]) func `a line up to the limit is read`(_ offset: Int) {
        let value = String(
            repeating: "v", count: ConfigurationLimits.lineBytesMax + offset - "A=".utf8.count)
        #expect(
            entries("A=\(value)\nB=2") == [
                .assignment(key: "A", value: value), .assignment(key: "B", value: "2"),
            ])
    }

    @Test(arguments: [1, 2, 3, 4, 200, 60_000])
    func `a longer line is a fault and the next one is read`(
        _ excess: Int
    ) {
        let line =
            "A="
            + String(
                repeating: "v", count: ConfigurationLimits.lineBytesMax + excess - "A=".utf8.count)
        #expect(
            entries(line + "\nB=2") == [
                .fault("a line of more than 4096 bytes"), .assignment(key: "B", value: "2"),
            ])
    }

    @Test func `bytes that are no text are faults, but not in comments`() {
        let bytes: [UInt8] =
            Array("A=1\u{0}2\nB=".utf8) + [0xFF] + Array("\n#".utf8) + [0xFF, 0x00, 0x0A]
            + Array("C=3".utf8)
        #expect(
            IniFile(bytes).lines.map(\.entry) == [
                .fault("a line with a NUL byte"), .fault("a line that is not UTF-8"),
                .assignment(key: "C", value: "3"),
            ])
    }

    @Test func `random bytes are read to their end`() {
        let seed = UInt64.random(in: 1 ... .max)
        var generator = Xorshift(state: seed)
        for _ in 0..<200 {
            let count = Int.random(in: 0...4_000, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let signs = Array("\n\n\n=[]#; AB".utf8)
            for index in bytes.indices where Bool.random(using: &generator) {
                bytes[index] = signs.randomElement(using: &generator)!
            }
            let last = IniFile(bytes + Array("\nEnd=1".utf8)).lines.last
            #expect(
                last
                    == IniFile.Line(
                        number: bytes.count { $0 == UInt8(ascii: "\n") } + 2,
                        entry: .assignment(key: "End", value: "1")),
                "seed \(seed)")
        }
    }
}

/// A generator that can be started again from the same place.
private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
