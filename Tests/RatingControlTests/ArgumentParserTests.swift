import Testing

@testable import RatingControl

struct ArgumentParserTests {
    private func run(_ line: String) throws -> Invocation {
        let command = try ArgumentParser.parse(line.split(separator: " ").map(String.init))
        guard case .run(let invocation) = command else {
            throw ControlFailure(.internalError, "'\(line)' runs nothing")
        }
        return invocation
    }

    private func refusal(_ arguments: [String]) -> ControlFailure? {
        do {
            _ = try ArgumentParser.parse(arguments)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: Verb.allCases)
    func `every verb can be called by its synopsis`(verb: Verb) throws {
        let samples = [
            "APP": "org.example.Notes", "VERSION": "1.4", "NAME": "saved", "TOKEN": "Jm3_-x",
            "RESULT": "rated", "METHOD": "ping", "JSON": "{}", "FILE": "a",
        ]
        let words = verb.positionals.map { samples[$0.name] ?? $0.name }
        let invocation = try run(([verb.rawValue] + words).joined(separator: " "))
        #expect(invocation.verb == verb)
        #expect(invocation.words == words)
    }

    @Test(arguments: [
        "--timeout=2.5 --socket=/s --json status a.b",
        "status --timeout 2.5 a.b --json --socket /s",
        "--socket /x status --timeo 2.500 --js a.b --sock=/s",
    ])
    func `options may stand anywhere, in each of their forms`(line: String) throws {
        let invocation = try run(line)
        #expect(invocation.verb == .status)
        #expect(invocation.words == ["a.b"])
        #expect(invocation.target == .socket("/s"))
        #expect(invocation.format == .json(nil))
        #expect(invocation.timeLimit == .milliseconds(2_500))
    }

    @Test func `after two dashes everything is a word`() throws {
        let invocation = try run("event -- a.b --json")
        #expect(invocation.words == ["a.b", "--json"])
        #expect(invocation.format == .text)
    }

    @Test func `of logs what follows two dashes is for journalctl`() throws {
        let invocation = try run("logs a.b -f -n5 -- -o json")
        #expect(invocation.words == ["a.b"])
        #expect(invocation.rest == ["-o", "json"])
        #expect(invocation.options == [.follow: "", .limit: "5"])
    }

    @Test(arguments: [
        ("0", TimeLimit.never), ("infinity", .never), ("10", .milliseconds(10_000)),
        ("0.5", .milliseconds(500)), ("0.001", .milliseconds(1)),
    ])
    func `a time limit is seconds`(text: String, expected: TimeLimit) throws {
        #expect(try run("ping --timeout \(text)").timeLimit == expected)
    }

    @Test(arguments: [
        "", "-1", "1e3", ".5", "5.", "1.2345", "x", "99999999999", "31536001", "+1", "0x1", "nan",
    ])
    func `what is no time is refused`(text: String) {
        #expect(refusal(["ping", "--timeout", text])?.code == .usage)
    }

    @Test(arguments: [
        (["--nope", "ping"], "unknown option '--nope'"),
        (["--jsno", "ping"], "unknown option '--jsno'; did you mean '--json'?"),
        (["-x", "ping"], "unknown option '-x'"),
        (["--s", "ping"], "option '--s' could be any of --system, --socket, --since"),
        (["--user=yes", "ping"], "option --user takes no value, but got 'yes'"),
        (["ping", "--socket"], "option --socket needs a value: PATH"),
        (["ping", "--socket="], "option --socket has an empty value"),
        (["ping", "--socket", ""], "option --socket has an empty value"),
        (["ping", "--user", "--system"], "only one of --user, --system and --socket can be meant"),
        (["ping", "--json=yaml"], "--json takes short or pretty, not 'yaml'"),
        ([], "a verb is missing"),
        (["--json"], "a verb is missing"),
        (["statsu"], "unknown verb 'statsu'; did you mean 'status'?"),
        (["frobnicate"], "unknown verb 'frobnicate'"),
        (["explain"], "'explain' needs APP"),
        (["request", "a.b"], "'request' needs VERSION"),
        (["ping", "now"], "'now' is one word too many for 'ping'"),
        (["ping", "--limit=3"], "'ping' has no option --limit"),
        (["apps", "--limit=0"], "--limit takes a whole number from 1 to 1000, not '0'"),
        (["apps", "--limit=1001"], "--limit takes a whole number from 1 to 1000, not '1001'"),
        (["event", "a", "--count=1.0"], "--count takes a whole number from 1 to 10000, not '1.0'"),
        (
            ["request", "a", "1", "--debounce", "600001"],
            "--debounce takes a whole number from 0 to 600000, not '600001'"
        ),
        (["request", "a", "1", "--confirm=maybe"], "--confirm takes yes or no, not 'maybe'"),
        (
            ["request", "a", "1", "--on-activity=x"],
            "--on-activity takes cancel or restart, not 'x'"
        ),
        (["opt-out"], "'opt-out' needs APP or --all"),
        (["opt-in", "a.b", "--all"], "'opt-in' takes APP or --all, not both"),
        (["clock", "break"], "'break' is not 'repair'"),
        (["clock"], "'clock' needs repair"),
    ])
    func `a wrong line ends with one sentence and where to read on`(
        arguments: [String], message: String
    ) throws {
        let failure = try #require(refusal(arguments))
        #expect(failure.message == message)
        #expect(failure.code == .usage)
        #expect(failure.hint?.contains("--help'.") == true || arguments.contains("break"))
    }

    @Test(arguments: [
        ["status", "bad..id"], ["status", "a.b", ""], ["event", "a.b", "x[y]"],
        ["outcome", "to ken", "rated"], ["outcome", "token", "loved"], ["watch", "a.b", "9.x"],
    ])
    func `a word that is not of its kind is bad data, with what is allowed`(arguments: [String])
        throws
    {
        let failure = try #require(refusal(arguments))
        #expect(failure.code == .badData)
        #expect(failure.hint?.hasPrefix("Allowed: ") == true)
    }

    @Test func `what was typed reaches the terminal escaped`() throws {
        let failure = try #require(refusal(["\u{1B}[31m\u{202E}"]))
        #expect(failure.message == #"unknown verb '\x1b[31m\u{202e}'"#)
    }

    @Test(arguments: [
        (["--help"], Command.help(nil)), (["-h"], .help(nil)), (["help"], .help(nil)),
        (["status", "--help"], .help(.status)), (["--help", "event"], .help(.event)),
        (["help", "clock"], .help(.clock)), (["--version"], .version),
        (["ping", "--version"], .version),
    ])
    func `help and version need no complete line`(arguments: [String], expected: Command) throws {
        #expect(try ArgumentParser.parse(arguments) == expected)
    }
}

struct HelpTextTests {
    @Test func `the general help names every verb once and fits a terminal`() {
        let lines = HelpText.lines(for: nil)
        for verb in Verb.allCases {
            #expect(
                lines.count { $0.hasPrefix("  \(verb.rawValue) ") || $0 == "  \(verb.rawValue)" }
                    == 1)
        }
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test(arguments: Verb.allCases)
    func `the help of a verb names each of its options`(verb: Verb) {
        let lines = HelpText.lines(for: verb)
        for option in verb.options + Option.everywhere {
            #expect(lines.contains { $0.contains("--\(option.rawValue)") })
        }
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(verb.details.allSatisfy { $0.count <= 82 })
    }
}

struct NearestTests {
    @Test func `one slip is forgiven, another word is not`() {
        let words = ["status", "stats", "watch"]
        #expect(nearest(to: "sttaus", in: words) == "status")
        #expect(nearest(to: "wacth", in: words) == "watch")
        #expect(nearest(to: "stat", in: words) == "stats")
        #expect(nearest(to: "x", in: words) == nil)
        #expect(nearest(to: "", in: words) == nil)
        #expect(nearest(to: "restart", in: words) == nil)
        #expect(nearest(to: String(repeating: "a", count: 100_000), in: words) == nil)
    }
}
