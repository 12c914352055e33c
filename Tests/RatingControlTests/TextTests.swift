import Posix
import RatingPolicy
import RatingWire
import Testing

@testable import RatingControl

struct TableTests {
    @Test func `columns are as wide as their widest cell`() {
        var table = Table([("APP", .left), ("N", .right), ("LAST", .left)])
        table.append(["org.example.Notes", "7", "now"])
        table.append(["ü", "1234", ""])
        #expect(
            table.lines == [
                "APP                   N  LAST",
                "org.example.Notes     7  now",
                "ü                  1234",
            ])
    }

    @Test func `labels end at the same column`() {
        var fields = Fields()
        fields.append("A", "1")
        fields.append("Long", "2")
        #expect(fields.lines == ["   A: 1", "Long: 2"])
    }
}

struct SpanTextTests {
    @Test(
        arguments: [
            (0, "0 ms"), (999, "999 ms"), (1_099, "1 s"), (1_500, "1.5 s"), (2_000, "2 s"),
            (59_999, "59.9 s"), (60_000, "1 min"), (61_000, "1 min 1 s"), (3_600_000, "1 h"),
            (3_660_000, "1 h 1 min"), (86_400_000, "1 d"), (90_000_000, "1 d 1 h"),
            (-61_000, "1 min 1 s"), (36_500 * 86_400_000, "36500 d"),
            (.max, "106751991167 d 7 h"), (.min, "106751991167 d 7 h"),
        ] as [(Milliseconds, String)])
    func `a span has at most two units`(span: Milliseconds, expected: String) {
        #expect(spanText(span) == expected)
    }
}

struct UTCTimeTests {
    private let now = WallTime(milliseconds: 1_796_000_000_000)

    @Test func `a time on the wire is shown without its milliseconds`() {
        #expect(UTCTime.text("2026-11-30T05:09:02.123Z") == "2026-11-30 05:09:02Z")
        #expect(UTCTime.text("no \u{1B} time") == #"no \x1b time"#)
    }

    @Test(
        arguments: [
            (0, "now"), (999, "now"), (-999, "now"), (1_000, "in 1 s"), (-1_000, "1 s ago"),
            (Milliseconds.day, "in 1 d"), (.max, "in"),
        ] as [(Milliseconds, String)])
    func `how far away it is stands beside`(span: Milliseconds, expected: String) {
        let text = UTCTime.text(now.adding(span).rfc3339, now: now)
        #expect(text.contains("(\(expected)"))
    }

    @Test func `a day or a time can be typed`() {
        #expect(UTCTime.typed("2026-11-30")?.rfc3339 == "2026-11-30T00:00:00.000Z")
        #expect(UTCTime.typed("2026-11-30T05:09:02Z")?.rfc3339 == "2026-11-30T05:09:02.000Z")
        #expect(UTCTime.typed("yesterday") == nil)
        #expect(UTCTime.typed("2026-02-30") == nil)
    }
}

struct JSONLineTests {
    @Test func `what a terminal would obey is escaped and says the same`() throws {
        let text = "a\u{1B}[31m\u{202E}\u{9B}\u{E0001}ü\"\\\n"
        let line = JSONValue.object([.init(text, .string(text))]).line
        let escaped = #""a\u001b[31m\u202e\u009b\udb40\udc01ü\"\\\n""#
        #expect(line == "{\(escaped):\(escaped)}")
        #expect(try JSONValue(parsing: line)[text]?.string == text)
    }

    @Test func `pretty lines are the same value`() throws {
        let value = try JSONValue(parsing: #"{"a":[1,{"b":[]}],"c":{}}"#)
        #expect(value.prettyLines.count > 4)
        #expect(try JSONValue(parsing: value.prettyLines.joined(separator: "\n")) == value)
    }
}

struct StatusTextTests {
    private let now = WallTime(rfc3339: "2026-11-30T05:09:02Z") ?? WallTime(milliseconds: 0)

    private static let status = #"""
        {"app":"org.example.Notes","sessions":12,"events":14,
        "events_by_name":{"note-saved":10,"significant":4},
        "first_seen":"2026-11-28T05:09:02.000Z","last_seen":"2026-11-30T05:06:02.000Z",
        "version":"1.4","prompts_in_window":1,"cap":3,"last_prompt":"2026-11-29T05:09:02.000Z",
        "prompted_versions":["1.3"],"outcome":"later","outstanding":null,"opted_out":false,
        "pending":null,"eligible":false,"reasons":["days","interval"],
        "next_eligible":"2026-12-06T05:09:02.000Z","clock":"ok",
        "policy":{"DaysUntilPrompt":{"value":7,"source":"default"}},
        "rules":[{"rule":"sessions","ok":true,"have":12,"need":3},
        {"rule":"days","ok":false,"have":2,"need":7,"at":"2026-12-05T05:09:02.000Z"}]}
        """#

    private func answer(_ extent: StatusText.Extent, _ text: String = status) throws -> Answer {
        StatusText(try JSONValue(parsing: text), now).answer(extent)
    }

    @Test func `status shows counters and rules`() throws {
        #expect(
            try answer(.status)
                == Answer(
                    [
                        "org.example.Notes 1.4",
                        "",
                        "  Prompt: refused now: days, interval",
                        "    Next: 2026-12-06 05:09:02Z (in 6 d) if nothing else changes",
                        "Sessions: 12, first seen 2026-11-28 05:09:02Z (2 d ago), "
                            + "last 2026-11-30 05:06:02Z (3 min ago)",
                        "  Events: 14 (note-saved 10, significant 4)",
                        " Prompts: 1/3 in 365 days, the last 2026-11-29 05:09:02Z (1 d ago); "
                            + "versions 1.3",
                        " Outcome: later",
                        "",
                        "RULE      HAVE  NEED  REFUSES  WHEN",
                        "sessions    12     3  no",
                        "days       2 d   7 d  yes      2026-12-05 05:09:02Z (in 5 d)",
                    ], .no, isLong: true))
    }

    @Test func `explain adds sentences and the policy`() throws {
        #expect(
            try answer(.explain).lines.suffix(6) == [
                "Why not:", "  days: the app has not been in use long enough",
                "  interval: the last prompt of this app was not long enough ago", "",
                "POLICY           VALUE  SOURCE", "DaysUntilPrompt  7      default",
            ])
    }

    @Test func `an app that was never seen is told apart from one that was`() throws {
        let unseen = #"{"app":"a","eligible":true,"reasons":[],"first_seen":null}"#
        #expect(try answer(.status, unseen).lines.contains { $0.hasPrefix("    Seen: never; ") })
        #expect(try !answer(.status).lines.contains { $0.contains("Seen: ") })
        let forgotten = #"{"app":"a","first_seen":null,"last_prompt":"2026-11-29T05:09:02.000Z"}"#
        let expected = "    Seen: no session or event is known; the app may have been forgotten"
        #expect(try answer(.status, forgotten).lines.contains(expected))
    }

    @Test func `the switch of the configuration reads as such`() throws {
        let text = #"""
            {"app":"a","eligible":false,"reasons":["disabled"],
            "rules":[{"rule":"disabled","ok":false,"have":false,"need":true}]}
            """#
        #expect(
            try answer(.status, text).lines.suffix(2) == [
                "RULE          HAVE     NEED  REFUSES  WHEN", "disabled  disabled  enabled  yes",
            ])
    }

    @Test func `an app that may be asked about is a yes`() throws {
        let text = #"""
            {"app":"a","eligible":true,"reasons":[],"next_eligible":"2026-11-30T05:09:02.000Z",
            "pending":{"token":"T","version":"1","fires_in_ms":1500},"outstanding":"U",
            "opted_out":true,"clock":"behind"}
            """#
        let answer = try answer(.status, text)
        #expect(answer.code == .done)
        #expect(answer.lines.contains("     Prompt: allowed now"))
        #expect(answer.lines.contains("    Pending: T, due after 1.5 s of quiet"))
        #expect(answer.lines.contains("Outstanding: U"))
        #expect(answer.lines.contains("  Opted out: yes"))
        #expect(answer.lines.contains { $0.hasPrefix("      Clock: behind") })
    }

    @Test func `nothing that is missing or odd ends the program`() throws {
        for text in ["{}", "[]", "null", #"{"rules":[1],"policy":3,"events_by_name":[]}"#] {
            #expect(try answer(.explain, text).code == .no)
        }
    }
}

struct ManageTextTests {
    private func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test func `a reload that failed is a no with its reason`() throws {
        let failed = ManageText.reload(
            try value(#"{"reloaded":false,"warnings":["w"],"reason":"no directory"}"#))
        #expect(
            failed
                == Answer(
                    [], .no,
                    notes: [
                        "warning: w", "not reloaded, the old configuration stays: no directory",
                    ]))
        let done = ManageText.reload(try value(#"{"reloaded":true,"warnings":["w\u001b"]}"#))
        #expect(done == Answer(["Reloaded."], notes: [#"warning: w\x1b"#]))
    }

    @Test func `an app that stays opted out because all are is a no`() throws {
        let answer = ManageText.opt(try value(#"{"opted_out":true}"#), app: "a.b", out: false)
        #expect(answer.code == .no)
        #expect(answer.lines[0].contains("opt-in --all"))
        for out in [true, false] {
            let all = ManageText.opt(try value(#"{"opted_out":true}"#), app: nil, out: out)
            #expect(all.code == .done)
        }
    }

    @Test func `fields are named by their place`() throws {
        let answer = ManageText.fields(try value(#"{"a":{"b":1,"c":{"d":true}},"e":{},"f":[1,2]}"#))
        #expect(answer.lines == ["  a.b: 1", "a.c.d: yes", "    e: -", "    f: 1, 2"])
    }

    @Test func `nothing to cancel or forget is a no`() throws {
        #expect(PlayText.activity(try value(#"{"cancelled":false,"restarted":false}"#)).code == .no)
        #expect(
            PlayText.activity(try value(#"{"cancelled":false,"restarted":true}"#)).code == .done)
        #expect(ManageText.forget(try value(#"{"forgotten":false}"#), app: "a").code == .no)
    }
}

struct LogsTests {
    private func arguments(_ line: String, _ selection: [String]) throws -> [String] {
        let command = try ArgumentParser.parse(line.split(separator: " ").map(String.init))
        guard case .run(let invocation) = command else { return [] }
        return Logs(invocation).arguments(selection: selection)
    }

    @Test func `the app and the options go to journalctl`() throws {
        #expect(
            try arguments("logs a.b -f -n 5 --since today --json -- -x", ["--user"]) == [
                "--user", "--follow", "--lines=5", "--since=today", "--output=json", "-x",
                "RATINGD_APP=a.b",
            ])
        #expect(try arguments("logs --no-pager", []) == ["--no-pager"])
    }

    @Test func `the service is told by the path of its socket`() throws {
        func unit(_ arguments: [String]) throws -> Logs.Unit? {
            guard case .run(let invocation) = try ArgumentParser.parse(arguments + ["logs"]) else {
                return nil
            }
            return try Logs(invocation).unit()
        }
        #expect(try unit(["--system"]) == .system)
        #expect(try unit(["--user"]) == .user)
        #expect(try unit(["--socket", SocketPath.system.string]) == .system)
        #expect(try unit(["--socket", SocketPath.user().string]) == .user)
        #expect(try unit(["--socket", "/nowhere/s"]) == nil)
    }

    @Test func `a journal that is not split by user is read as a whole`() {
        #expect(Logs.userUnit(hasOwnJournal: true) == ["--user", "--unit=ratingd.service"])
        #expect(Logs.userUnit(hasOwnJournal: false) == ["--user-unit=ratingd.service"])
    }
}

struct PagerTests {
    @Test func `the user says which pager, or none`() {
        #expect(Pager.command(nil) == "less")
        #expect(Pager.command("more -s") == "more -s")
        #expect(Pager.command("") == nil)
        #expect(Pager.command("cat") == nil)
    }
}
