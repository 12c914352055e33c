import Glibc
import Posix
import RatingWire
import Testing

@testable import RatingControl

struct ConversationTests {
    @Test func `an answer is printed as text, or as JSON`() throws {
        for (option, expected) in [
            ("--no-pager", "a.b: 'saved' 3, all events 7"),
            ("--json", #"{"events":7,"name_total":3}"#),
        ] {
            let daemon = try FakeDaemon { method, request in
                #expect(method == "event")
                #expect(
                    request["params"]?.text() == #"{"app":"a.b","name":"saved","count":2}"#)
                return .say([FakeDaemon.result(request, #"{"events":7,"name_total":3}"#)])
            }
            let outcome = try run([option, "event", "a.b", "saved", "--count=2"], at: daemon.path)
            #expect(outcome == CommandOutcome(code: .done, lines: [expected]))
        }
    }

    @Test(
        arguments: [
            ("rate_limited", #","retry_after_ms":1500"#, ExitCode.tryLater, nil),
            ("storage_unavailable", #","detail":"disk full""#, .tryLater, "logs"),
            ("shutting_down", "", .tryLater, nil),
            ("quota_exceeded", #","limit":"apps_per_uid","max":3"#, .tryLater, nil),
            (
                "not_permitted", #","identity":{"source":"x","verified":true}"#, .notPermitted,
                "(source x, verified yes)"
            ),
            ("not_found", "", .no, nil),
            ("conflict", #","outcome":"rated""#, .no, nil),
            ("invalid_params", "", .badData, nil),
            ("invalid_request", "", .badData, nil),
            ("method_not_found", "", .badData, "another version"),
            ("internal_error", "", .internalError, nil),
            ("of a later version", "", .badData, nil),
        ] as [(String, String, ExitCode, String?)])
    func `each error has its exit status and says what to do`(
        reason: String, data: String, code: ExitCode, hint: String?
    ) throws {
        let daemon = try FakeDaemon { _, request in
            .say([FakeDaemon.error(request, reason, data: data)])
        }
        let outcome = try run(["session", "a.b"], at: daemon.path)
        #expect(outcome.code == code)
        #expect(outcome.failure?.message == "it is \(reason)")
        #expect(hint == nil ? outcome.failure?.hint == nil : true)
        if let hint { #expect(outcome.failure?.hint?.contains(hint) == true) }
    }

    @Test func `an error without an id is an answer too`() throws {
        let daemon = try FakeDaemon { _, _ in
            .say([FakeDaemon.error(.null, "line_too_long")])
        }
        #expect(try run(["ping"], at: daemon.path).code == .badData)
    }

    @Test func `an error of the version question is no failure of the command`() throws {
        let daemon = try FakeDaemon(stats: "") { method, request in
            method == "stats"
                ? .say([FakeDaemon.error(request, "rate_limited")])
                : .say([FakeDaemon.result(request, #"{"cancelled":true,"restarted":false}"#)])
        }
        #expect(try run(["activity", "a.b"], at: daemon.path).code == .done)
    }

    @Test func `a daemon that goes away without an answer is no daemon`() throws {
        let daemon = try FakeDaemon { _, _ in .close([]) }
        let outcome = try run(["ping"], at: daemon.path)
        #expect(outcome.code == .noDaemon)
        #expect(outcome.failure?.message == "the daemon closed the connection without an answer")
    }

    @Test func `a daemon that says goodbye can be asked later`() throws {
        let daemon = try FakeDaemon { _, _ in
            .close([
                #"{"jsonrpc":"2.0","method":"bye","params":{"reason":"shutting_down"}}"#
            ])
        }
        let outcome = try run(["ping"], at: daemon.path)
        #expect(outcome.code == .tryLater)
        #expect(outcome.failure?.message == "the daemon ended the connection: it is stopping")
    }

    @Test(arguments: ["220 mail.example ESMTP", "{", "[]", "{}", #"{"id":1}"#])
    func `something else at the socket is told from a daemon`(line: String) throws {
        let daemon = try FakeDaemon { _, _ in .say([line]) }
        let outcome = try run(["ping"], at: daemon.path)
        #expect(outcome.code == .noDaemon)
        #expect(outcome.failure?.message.hasSuffix("is not ratingd") == true)
    }

    @Test func `a daemon that does not answer is not waited for longer than asked`() throws {
        let daemon = try FakeDaemon { _, _ in .say([]) }
        let outcome = try run(["ping", "--timeout=0.05"], at: daemon.path)
        #expect(outcome.code == .timedOut)
        #expect(outcome.failure?.message == "the daemon did not answer within 50 ms")
    }

    @Test func `no socket, and nobody behind one, are told apart`() throws {
        let nothing = try run(["ping"], at: "/nowhere/s")
        #expect(nothing.code == .noDaemon)
        #expect(
            nothing.failure?.message
                == "no daemon: there is no socket at '/nowhere/s' (No such file or directory)")
        let file = try run(["ping"], at: "/proc/version")
        #expect(file.code == .noDaemon)
        #expect(file.failure?.message.hasPrefix("no daemon: nobody listens at") == true)
        let long = try run(["ping"], at: "/" + String(repeating: "x", count: 107))
        #expect(long.code == .usage)
    }

    @Test func `a socket of someone else says whose it is`() {
        let address = Address(path: "/proc/version", kind: .user)
        let error = PosixError(operation: "connect", code: EACCES)
        let failure = ControlFailure(connecting: address, error)
        #expect(failure.code == .noDaemon)
        #expect(failure.message.contains("not allowed to connect"))
        #expect(failure.hint?.hasPrefix("It belongs to uid 0.") == true)
    }

    @Test func `every page of a list is fetched`() throws {
        let daemon = try FakeDaemon { _, request in
            let cursor = request["params"]?["cursor"]?.string
            return .say([
                FakeDaemon.result(
                    request, cursor == nil ? #"{"apps":[{"app":"a"}],"next":"a"}"# : #"{"apps":[]}"#
                )
            ])
        }
        let outcome = try run(["apps", "--json=short"], at: daemon.path)
        #expect(outcome.lines == [#"{"apps":[{"app":"a"}]}"#])
    }

    @Test func `call prints the bare result and checks what is sent`() throws {
        let daemon = try FakeDaemon { method, request in
            #expect(request["params"]?.text() == #"{"n":1.5}"#)
            return .say([FakeDaemon.result(request, #"{"m":"\#(method)","x":"\u202e"}"#)])
        }
        let outcome = try run(["call", "any", #"{"n":1.5}"#], at: daemon.path)
        #expect(outcome.lines == [#"{"m":"any","x":"\u202e"}"#])
        for text in ["{", "[]", "1", #"{"a":1,"a":2}"#, #"{"a":1,}"#, ""] {
            #expect(try run(["call", "any", text], at: "/nowhere").code == .badData)
        }
        let long = #"{"a":"\#(String(repeating: "x", count: 65_536))"}"#
        let other = try FakeDaemon { _, _ in .close([]) }
        #expect(try run(["call", "any", long], at: other.path).code == .badData)
    }
}

struct RequestConversationTests {
    private static let pending = #"{"decision":"pending","token":"T1","fires_in_ms":2000}"#

    private func daemon(_ lines: [String], ends: Bool = false) throws -> FakeDaemon {
        try FakeDaemon { _, request in
            let all = [FakeDaemon.result(request, Self.pending)] + lines
            return ends ? .close(all) : .say(all)
        }
    }

    private static func notification(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#
    }

    @Test func `a request is followed to its prompt`() throws {
        let daemon = try daemon([
            Self.notification("cancelled", #"{"token":"T0","app":"a.b","reason":"activity"}"#),
            Self.notification(
                "prompt",
                #"{"token":"T1","app":"a.b","version":"1","prompts_in_window":1,"cap":3,"#
                    + #""review_url":"appstream://a.b","debug":false}"#),
        ])
        let outcome = try run(["request", "a.b", "1"], at: daemon.path)
        #expect(
            outcome
                == CommandOutcome(
                    code: .done,
                    lines: [
                        "Pending: due after 2 s of quiet, token T1", "Prompt now: a.b 1",
                        "  1 of 3 in 365 days; review at appstream://a.b",
                        "  Report it: ratingctl outcome T1 rated|later|declined|never|dismissed|failed",
                    ]))
    }

    @Test(arguments: [
        (
            #"{"token":"T1","reason":"activity"}"#, ExitCode.no,
            ["Cancelled: activity, the user was busy"]
        ),
        (
            #"{"token":"T1","reason":"ineligible","reasons":["opted_out"]}"#, .no,
            [
                "Cancelled: ineligible, a rule does not hold any more",
                "  opted_out: the user does not want to be asked",
            ]
        ),
        (
            #"{"token":"T1","reason":"shutting_down"}"#, .tryLater,
            ["Cancelled: shutting_down, the daemon is stopping"]
        ),
    ])
    func `a cancelled request says why`(params: String, code: ExitCode, lines: [String]) throws {
        let daemon = try daemon([Self.notification("cancelled", params)])
        let outcome = try run(["request", "a.b", "1"], at: daemon.path)
        #expect(outcome.code == code)
        #expect(Array(outcome.lines.dropFirst()) == lines)
    }

    @Test func `a refusal gives its reasons and the next time`() throws {
        let daemon = try FakeDaemon { _, request in
            .say([
                FakeDaemon.result(
                    request,
                    #"{"decision":"refused","reasons":["days","event:x"],"next_eligible":null}"#)
            ])
        }
        let outcome = try run(["request", "a.b", "1"], at: daemon.path)
        #expect(outcome.code == .no)
        #expect(
            outcome.lines == [
                "Refused: days, event:x", "  days: the app has not been in use long enough",
                "  event:x: too few events of this name", "Waiting alone will not help.",
            ])
    }

    @Test func `who does not wait is told only that it is pending`() throws {
        let daemon = try daemon([])
        let outcome = try run(["request", "a.b", "1", "--no-wait", "--json"], at: daemon.path)
        #expect(outcome == CommandOutcome(code: .done, lines: [Self.pending]))
    }

    @Test func `as JSON the end is one object`() throws {
        let daemon = try daemon([
            Self.notification("prompt", #"{"token":"T1","app":"a.b","debug":false}"#)
        ])
        let outcome = try run(["request", "a.b", "1", "--json=short"], at: daemon.path)
        #expect(
            outcome.lines == [#"{"decision":"granted","token":"T1","app":"a.b","debug":false}"#])
        let other = try self.daemon([
            Self.notification("cancelled", #"{"token":"T1","reason":"stale"}"#)
        ])
        let cancelled = try run(["request", "a.b", "1", "--json=short"], at: other.path)
        #expect(
            cancelled.lines == [#"{"decision":"cancelled","token":"T1","reason":"stale"}"#])
    }

    @Test func `a request that does not end in time times out`() throws {
        let daemon = try daemon([])
        #expect(
            try run(["request", "a.b", "1", "--timeout=0.05"], at: daemon.path).code == .timedOut)
    }

    @Test(arguments: ["yes", "no"])
    func `a confirmation is answered as the command line says`(word: String) throws {
        let daemon = try FakeDaemon { method, request in
            switch method {
            case "request":
                #expect(request["params"]?["confirm"] == .bool(true))
                return .say([
                    FakeDaemon.result(request, Self.pending),
                    #"{"jsonrpc":"2.0","id":"c1","method":"confirm","params":{"token":"T1","app":"a"}}"#,
                ])
            default:
                #expect(request["id"] == .string("c1"))
                #expect(request["result"] == .bool(word == "yes"))
                return .say([
                    Self.notification("cancelled", #"{"token":"T1","reason":"declined_by_app"}"#)
                ])
            }
        }
        let outcome = try run(["request", "a.b", "1", "--confirm=\(word)"], at: daemon.path)
        #expect(outcome.code == .no)
    }
}

struct WatchConversationTests {
    @Test func `what happens is printed a line each until the daemon stops`() throws {
        let daemon = try FakeDaemon { method, request in
            #expect(method == "subscribe")
            #expect(
                request["params"]?.text() == #"{"topics":["decisions","counters"],"apps":["a.b"]}"#)
            return .close([
                FakeDaemon.result(request, #"{"seq":0}"#),
                #"{"method":"decision","params":{"seq":1,"time":"2026-11-30T05:09:02.123Z","#
                    + #""app":"a.b","decision":"refused","reasons":["days","version"]}}"#,
                #"{"method":"counter","params":{"seq":2,"time":"2026-11-30T05:09:03.000Z","#
                    + #""app":"a.b","counter":"events","name":"\u001b[31m","value":5}}"#,
                #"{"method":"lagged","params":{"dropped":3}}"#,
                #"{"method":"bye","params":{"reason":"shutting_down"}}"#,
            ])
        }
        let outcome = try run(["watch", "a.b"], at: daemon.path)
        #expect(outcome.code == .tryLater)
        #expect(
            outcome.lines == [
                "2026-11-30T05:09:02.123Z  refused    a.b  days, version",
                #"2026-11-30T05:09:03.000Z  events     a.b  5 (\x1b[31m)"#,
            ])
    }

    @Test func `one JSON text a line says what it is`() throws {
        let daemon = try FakeDaemon { _, request in
            .close([
                FakeDaemon.result(request, #"{"seq":0}"#),
                #"{"jsonrpc":"2.0","method":"counter","params":{"seq":1}}"#,
            ])
        }
        let outcome = try run(["watch", "--json"], at: daemon.path)
        #expect(outcome.code == .noDaemon)
        #expect(outcome.lines == [#"{"method":"counter","params":{"seq":1}}"#])
    }

    @Test func `a watch ends with its time`() throws {
        let daemon = try FakeDaemon { _, request in
            .say([FakeDaemon.result(request, #"{"seq":0}"#)])
        }
        #expect(try run(["watch", "--timeout=0.05"], at: daemon.path).code == .timedOut)
    }
}

struct VerifyVerbTests {
    @Test func `files are checked without a daemon`() throws {
        #expect(try run(["verify", "/dev/null"], at: "/nowhere").lines == ["/dev/null: fine"])
        let bad = try run(["verify", "--json", "/proc/self/cmdline"], at: "/nowhere")
        #expect(bad.code == .badData)
        #expect(bad.lines.first?.hasPrefix(#"{"files":[{"file":"/proc/self/cmdline","#) == true)
        #expect(try run(["verify", "/nowhere/x"], at: "/nowhere").code == .badData)
        #expect(try run(["verify", "/proc"], at: "/nowhere").code == .badData)
    }
}
