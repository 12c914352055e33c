import RatingWire
import Testing

@testable import RatingControl

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
