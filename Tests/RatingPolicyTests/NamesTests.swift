import RatingPolicy
import Testing

struct NamesTests {
    private static func long(_ count: Int, _ character: String = "a") -> String {
        String(repeating: character, count: count)
    }

    @Test(arguments: [
        "a", "Z", "_", "org.gnome.Maps", "_.x", "a-b_c.9", "a.b.c-", long(255),
        long(253) + ".b",
    ])
    func `app ids`(text: String) {
        #expect(AppID(text)?.string == text)
    }

    @Test(arguments: [
        "", ".", "-", "9", "9a", "-a", ".a", "a.", "a..b", "a...b", "a b", "a/b", "a\0", "a\n", "é",
        "aé", "org.gnome.Ma\u{301}ps", "\u{212A}", "a\u{212A}", "a:b", "a@b", long(256),
        long(255) + ".",
    ])
    func `what is no app id`(text: String) {
        #expect(AppID(text) == nil)
    }

    @Test func `app ids are ordered by their bytes`() {
        let ids = ["Z", "_", "a", "a-b", "a.b", "a0", "aZ", "ab"].compactMap { AppID($0) }
        #expect(ids.count == 8)
        #expect(ids.shuffled().sorted() == ids)
    }

    @Test(arguments: [
        "a", " ", "=", "#", "note-saved", "é", "\u{301}", "\u{200B}", "\u{2028}", long(64),
        long(32, "é"), long(16, "🙂"), "\u{600}", "a\u{301}",
    ])
    func `event names`(text: String) {
        #expect(EventName(text).map { Array($0.string.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [
        "", "[", "]", "a[b", "a]", "[\u{301}", "\0", "a\n", "\t", "\u{7F}", "\u{85}", "\u{9F}",
        "\r\n", long(65), long(32, "é") + "a", long(33, "é"),
    ])
    func `what is no event name`(text: String) {
        #expect(EventName(text) == nil)
    }

    @Test func `every scalar but controls and brackets may stand in an event name`() {
        for value in 0...0x3000 as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl = value < 0x20 || (0x7F...0x9F).contains(value)
            let isRefused = isControl || scalar == "[" || scalar == "]"
            #expect((EventName(String(scalar)) == nil) == isRefused, "U+\(value)")
        }
    }

    @Test func `an event without a name is significant`() {
        #expect(EventName.significant == "significant")
    }

    @Test(arguments: ["1", " ", "\0", "\n", "1.0 [é]", long(64), long(32, "é")])
    func `versions are opaque`(text: String) {
        #expect(Version(text)?.string == text)
    }

    @Test(arguments: ["", long(65), long(33, "é")])
    func `what is no version`(text: String) {
        #expect(Version(text) == nil)
    }

    @Test func `é and e with an accent are two names and two versions`() {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        #expect(composed == decomposed)
        #expect(EventName(composed) != EventName(decomposed))
        #expect(Version(composed) != Version(decomposed))
        #expect(ExactText(composed) != ExactText(decomposed))
        var app = App(
            .open([.oncePerVersion: true], needs: [EventName(stringLiteral: composed): 1]))
        app.event(EventName(stringLiteral: decomposed))
        #expect(app.refusals == [.event(EventName(stringLiteral: composed))])
        app.event(EventName(stringLiteral: composed))
        #expect(app.state.record.events.count == 2)
        app.version = Version(stringLiteral: composed)
        app.prompt()
        app.report(.final(.failed))
        #expect(app.refusals == [.version])
        app.version = Version(stringLiteral: decomposed)
        #expect(app.refusals == [])
    }

    @Test func `event names are ordered by their bytes`() {
        let names = ["A", "a", "e\u{301}", "z", "\u{E9}"].compactMap { EventName($0) }
        #expect(names.shuffled().sorted() == names)
        #expect(!names.contains { $0 < $0 })
    }

    @Test(arguments: ["a", "Jm3", "A-_9", long(64)])
    func `tokens`(text: String) {
        #expect(Token(text)?.string == text)
    }

    @Test(arguments: ["", "a b", "a=", "a+b", "a/b", "é", "a\0", "\u{212A}", long(65)])
    func `what is no token`(text: String) {
        #expect(Token(text) == nil)
    }

    @Test func `random bytes make 22 characters of base64url`() {
        #expect(Token(random: Array(repeating: 0, count: 16)).string == Self.long(22, "A"))
        #expect(
            Token(random: Array(repeating: 255, count: 16)).string == Self.long(21, "_") + "w")
        // No token starts like an option of a command.
        #expect(
            Token(random: [0xF8] + Array(repeating: 0, count: 15)).string == Self.long(22, "A"))
        #expect(Token(random: Array(0...15)).string == "AAECAwQFBgcICQoLDA0ODw")
        #expect(Token(random: Array(0xF0...0xFF)).string == "8PHy8_T19vf4-fr7_P3-_w")
    }
}
