import Testing

@testable import Posix

struct EscapedTextTests {
    @Test func `ordinary text of any language stays as it is`() {
        let text = #"org.example.Notes 1.4 'é' ü 日本 \ 🙂"#
        #expect(escapedForLog(text, maxBytes: 1000) == text)
        #expect(escapedForLog("", maxBytes: 3) == "")
    }

    @Test(arguments: [
        ("a\nb", #"a\x0ab"#), ("a\r\n\tb", #"a\x0d\x0a\x09b"#),
        ("\u{1B}[31m", #"\x1b[31m"#), ("\0", #"\x00"#), ("\u{7F}", #"\x7f"#),
        ("\u{85}", #"\u{85}"#), ("a\u{202E}b", #"a\u{202e}b"#), ("\u{2066}", #"\u{2066}"#),
        ("\u{200B}", #"\u{200b}"#), ("\u{2028}", #"\u{2028}"#), ("\u{FEFF}", #"\u{feff}"#),
        ("\u{E000}", #"\u{e000}"#), ("\u{115F}", #"\u{115f}"#), ("\u{E0001}", #"\u{e0001}"#),
    ])
    func `what could forge a line or turn it around is escaped`(text: String, expected: String) {
        #expect(escapedForLog(text, maxBytes: 1000) == expected)
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], #"a\xffb"#), ([0xC3], #"\xc3"#), ([0xC3, 0x28], #"\xc3("#),
            ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#), ([0xC0, 0x8A], #"\xc0\x8a"#),
            ([0xF0, 0x9F, 0x99], #"\xf0\x9f\x99"#), ([0xE2, 0x80, 0x41], #"\xe2\x80A"#),
        ] as [([UInt8], String)])
    func `bytes that are not UTF-8 are shown one by one`(bytes: [UInt8], expected: String) {
        #expect(escapedForLog(bytes, maxBytes: 1000) == expected)
    }

    @Test func `at the limit it stays whole and one byte above it is cut`() {
        #expect(escapedForLog("abcdef", maxBytes: 6) == "abcdef")
        #expect(escapedForLog("abcdefg", maxBytes: 6) == "abc…")
        #expect(escapedForLog("abcd", maxBytes: 3) == "…")
    }

    @Test func `a cut never splits a character or an escape`() {
        #expect(escapedForLog("éééé", maxBytes: 7) == "éé…")
        #expect(escapedForLog("ab\n\n", maxBytes: 9) == #"ab\x0a…"#)
        #expect(escapedForLog("ab\n\n", maxBytes: 8) == "ab…")
        #expect(escapedForLog("e\u{301}e\u{301}", maxBytes: 5) == "e…")
    }

    @Test func `escaping twice is escaping once`() {
        let once = escapedForLog(
            "a\n\u{202E}\u{1B}" + String(repeating: "x", count: 99), maxBytes: 40)
        #expect(escapedForLog(once, maxBytes: 40) == once)
    }

    @Test func `a megabyte is cut to the limit`() {
        let bytes = [UInt8](repeating: 0x0A, count: 1 << 20)
        let line = escapedForLog(bytes, maxBytes: 1024)
        #expect(line.utf8.count <= 1024)
        #expect(line.hasSuffix("…"))
        #expect(!line.utf8.contains(0x0A))
    }
}
