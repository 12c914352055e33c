import RatingPolicy
import Testing

@testable import RatingWire

/// What is refused, and which field is named (SPEC 1 and 2).
struct BadParameterTests {
    /// The field named in the refusal of these params; "" if they are not refused so.
    private func refusedField(_ method: String, _ params: String) -> String {
        let refused = failure(#"{"id":1,"method":"\#(method)","params":\#(params)}"#)
        guard let refused, refused.failure.reason == .invalidParams else { return "" }
        return refused.failure.extra("field")?.string ?? ""
    }

    private static let badApps = [
        "null", "1", "true", "[]", "{}", #""""#, #"" ""#, #""1a""#, #"".a""#, #""-a""#, #""a.""#,
        #""a..b""#, #""a b""#, #""a/b""#, #""é""#, #""a\u0000""#, #""\u0000""#,
        #""a\n""#, "\"" + String(repeating: "a", count: 256) + "\"",
    ]

    @Test(arguments: Method.allCases.filter { $0.fields.contains(.app) })
    func `a bad app is refused by every method that takes one`(method: Method) {
        for app in Self.badApps {
            #expect(refusedField(method.rawValue, #"{"app":\#(app)}"#) == "app", "\(app)")
        }
    }

    @Test(arguments: Method.allCases.filter { $0.fields.contains(.version) })
    func `a bad version is refused by every method that takes one`(method: Method) {
        let long = "\"" + String(repeating: "a", count: 65) + "\""
        for version in ["null", "1", "1.4", "[]", "{}", "false", #""""#, long] {
            #expect(
                refusedField(method.rawValue, #"{"version":\#(version)}"#) == "version",
                "\(version)")
        }
    }

    @Test(arguments: Method.allCases.filter { $0.fields.contains(.user) })
    func `a bad uid is refused by every method that takes one`(method: Method) {
        for user in ["null", "-1", "4294967295", "1.0", "1e2", "\"0\"", "true", "[]"] {
            #expect(refusedField(method.rawValue, #"{"uid":\#(user)}"#) == "uid", "\(user)")
        }
    }

    @Test func `uid is known to the methods that SPEC 2 names, and no others`() {
        let methods = Method.allCases.filter { $0.fields.contains(.user) }
        #expect(
            Set(methods)
                == [.status, .history, .report, .apps, .optOut, .optIn, .forget])
        #expect(refusedField("event", #"{"uid":0}"#) == "uid")
    }

    @Test(arguments: [
        (
            "event", "count",
            ["0", "-1", "10001", "1.0", "1e2", "1.5", "\"1\"", "null", "true", "[1]"]
        ),
        (
            "event", "name",
            [
                "null", "1", "[]", #""""#, #""a[b""#, #""a]b""#, #""\u0000""#, #""a\nb""#,
                #""\u007f""#, #""\u0080""#, #""\u009f""#,
                "\"" + String(repeating: "é", count: 33) + "\"",
            ]
        ),
        (
            "request", "debounce_ms",
            ["-1", "600001", "0.0", "2e3", "\"2000\"", "null", "false", "9007199254740991"]
        ),
        ("request", "on_activity", ["null", "1", #""""#, #""Cancel""#, #""restart ""#]),
        ("request", "confirm", ["null", "0", "1", #""true""#]),
        ("request", "deliver", ["null", "0", #""Self""#, #""requester""#]),
        ("request", "debug", ["null", "0", "1", #""true""#]),
        ("cancel", "token", ["null", "1", "[]", "true"]),
        ("outcome", "token", ["null", "1", "{}", "true"]),
        (
            "outcome", "result",
            ["null", "1", #""""#, #""Rated""#, #""unknown""#, #""rated\u0000""#]
        ),
        ("status", "explain", ["null", "1", #""yes""#]),
        ("history", "limit", ["0", "1001", "-1", "1.0", "1e2", "\"100\"", "null"]),
        ("apps", "limit", ["0", "1001", "-1", "1.0", "null"]),
        ("apps", "cursor", ["null", "1", #""""#, #""a b""#]),
        ("report", "since", ["null", "1", #""""#, #""2026-11-30""#, #""2026-02-30T00:00:00Z""#]),
        (
            "subscribe", "topics",
            ["null", "1", #""decisions""#, "[]", "[1]", "[null]", #"["all"]"#, #"["decisions",1]"#]
        ),
        ("subscribe", "apps", ["null", #""a""#, "[]", "[1]", #"["a b"]"#, #"["a",null]"#]),
        ("subscribe", "agent", ["null", "1", #""true""#]),
        ("opt_out", "all", ["null", "false", "1", #""true""#]),
        ("opt_in", "all", ["null", "false", "1"]),
        ("forget", "ledger", ["null", "1", #""true""#]),
        ("hello", "policy", ["null", "1", "[]", #""x""#, "true"]),
    ])
    func `a bad value is refused by its name`(method: String, field: String, values: [String]) {
        for value in values {
            #expect(refusedField(method, #"{"\#(field)":\#(value)}"#) == field, "\(value)")
        }
    }

    @Test(arguments: Method.allCases)
    func `a member that the method does not have is refused`(method: Method) {
        for field in Field.allCases where !method.fields.contains(field) {
            let name = field.name.description
            #expect(refusedField(method.rawValue, #"{"\#(name)":null}"#) == name)
        }
        for name in ["App", "app ", "nam", "names", "app\u{E9}"] {
            #expect(refusedField(method.rawValue, #"{"\#(name)":1}"#) == name)
        }
    }

    @Test func `an unknown member comes before a bad value and that before a missing one`() {
        #expect(refusedField("hello", #"{"version":1,"vresion":"1"}"#) == "vresion")
        #expect(refusedField("hello", #"{"version":1}"#) == "version")
        #expect(refusedField("hello", #"{"policy":1}"#) == "policy")
        #expect(refusedField("hello", "{}") == "app")
        #expect(refusedField("hello", #"{"app":"a"}"#) == "version")
        #expect(refusedField("outcome", #"{"result":"x"}"#) == "result")
        #expect(refusedField("outcome", "{}") == "token")
        #expect(refusedField("outcome", #"{"token":"x"}"#) == "result")
        #expect(refusedField("outcome", #"{"result":"rated"}"#) == "token")
        #expect(refusedField("forget", #"{"ledger":1}"#) == "ledger")
        #expect(refusedField("forget", "{}") == "app")
        #expect(refusedField("subscribe", "{}") == "topics")
        #expect(refusedField("subscribe", #"{"agent":false}"#) == "topics")
        #expect(refusedField("subscribe", #"{"apps":["a"]}"#) == "topics")
    }

    @Test func `params that exclude each other are refused together`() {
        #expect(refusedField("cancel", #"{"app":"a","token":"x"}"#) == "token")
        #expect(refusedField("opt_out", #"{"app":"a","all":true}"#) == "all")
        #expect(refusedField("opt_in", #"{"app":"a","all":true}"#) == "all")
    }

    @Test(arguments: [
        ("event", #"{"count":0}"#, "'count' must be a whole number from 1 to 10000, not 0"),
        ("event", #"{"count":1.0}"#, "'count' must be a whole number from 1 to 10000, not 1.0"),
        ("event", #"{"count":null}"#, "'count' must be a whole number from 1 to 10000, not null"),
        (
            "event", #"{"nmae":"x"}"#,
            "'nmae' is no parameter of event, which takes app, name, count"
        ),
        ("ping", #"{"x":1}"#, "'x' is no parameter of ping, which takes none"),
        ("request", #"{"deliver":"x"}"#, "'deliver' must be 'self' or 'agent', not 'x'"),
        ("request", #"{"confirm":[]}"#, "'confirm' must be true or false, not an array"),
        ("request", #"{"deliver":{}}"#, "'deliver' must be 'self' or 'agent', not an object"),
        ("outcome", "{}", "'token' is missing: outcome needs it"),
    ])
    func `a message says what was wrong and what is allowed`(
        method: String, params: String, message: String
    ) throws {
        let refused = try #require(failure(#"{"id":1,"method":"\#(method)","params":\#(params)}"#))
        #expect(refused.failure.message == message)
    }

    @Test func `client text in a message is cut and harmless`() throws {
        let long = String(repeating: "é", count: 30_000)
        for line in [
            #"{"id":1,"method":"\#(long)"}"#, #"{"id":1,"method":"ping","\#(long)":1}"#,
            #"{"id":1,"method":"ping","params":{"\#(long)":1}}"#,
            #"{"id":1,"method":"activity","params":{"app":"\#(long)"}}"#, "\"\(long)\"",
        ] {
            let refused = try #require(failure(line))
            let answer = written { MessageWriter.appendError(.null, refused.failure, to: &$0) }
            #expect(answer.utf8.count < 1_024)
        }
        let odd = try #require(failure(#"{"id":1,"method":"\u001b[31m\u202e\n\u2028x\u0085"}"#))
        #expect(
            odd.failure.message
                == #"there is no method '\u{1B}[31m\u{202E}\u{A}\u{2028}x\u{85}'"#)
    }

    @Test func `text is cut between scalars`() {
        #expect(ClientText.cut("abc", to: 3) == "abc")
        #expect(ClientText.cut("abcd", to: 3) == "abc…")
        #expect(ClientText.cut("aéb", to: 2) == "a…")
        #expect(ClientText.cut("😀", to: 3) == "…")
        #expect(ClientText.cut("e\u{301}x", to: 2) == "e…")
    }
}
