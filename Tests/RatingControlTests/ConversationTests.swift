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
            ("quota_exceeded", #","limit":"apps_per_uid","max":3"#, .tryLater, "ratingd.conf(5)"),
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

    @Test func `a socket elsewhere is named instead of a path that was a guess`() {
        let error = PosixError(operation: "connect", code: ENOENT)
        let guessed = Address(path: "/tmp/s", kind: .user, warning: "a guess")
        let there = ControlFailure(connecting: guessed, error, others: ["There is one."])
        #expect(there.hint == "There is one.")
        let sure = Address(path: "/run/s", kind: .user)
        let both = ControlFailure(connecting: sure, error, others: ["There is one."])
        #expect(both.hint?.hasPrefix("Start it") == true)
        #expect(both.hint?.hasSuffix("There is one.") == true)
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

    @Test func `the overview tells of the daemon even if its state cannot be used`() throws {
        let daemon = try FakeDaemon { _, request in
            .say([FakeDaemon.error(request, "storage_unavailable")])
        }
        let outcome = try run(["status"], at: daemon.path)
        #expect(outcome.code == .tryLater)
        #expect(outcome.lines.first == "     Daemon: ratingd/0.1.0")
        #expect(outcome.lines.contains("     Socket: \(daemon.path)"))
    }

    @Test func `the overview has a row for each app`() throws {
        let daemon = try FakeDaemon { method, request in
            method == "apps"
                ? .say([FakeDaemon.result(request, #"{"apps":[{"app":"a"},{"app":"b"}]}"#)])
                : .say([
                    FakeDaemon.result(
                        request,
                        #"{"app":"\#(request["params"]?["app"]?.string ?? "")","eligible":true,"#
                            + #""prompts_in_window":1,"cap":3}"#)
                ])
        }
        let outcome = try run(["status"], at: daemon.path)
        #expect(outcome.code == .done)
        #expect(
            outcome.lines.suffix(3) == [
                "APP  PROMPT  USED  NEXT  WHY NOT", "a    yes      1/3  now   -",
                "b    yes      1/3  now   -",
            ])
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
