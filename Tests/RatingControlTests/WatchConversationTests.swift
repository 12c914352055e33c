import RatingWire
import Testing

@testable import RatingControl

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
    }

    @Test(
        arguments: [
            ("/proc", "/proc"), ("/proc/", "/proc"), ("/", "/"),
        ])
    func `for a directory the command that checks all of it is named`(
        directory: String, whole: String
    ) throws {
        let outcome = try run(["verify", directory], at: "/nowhere")
        #expect(outcome.code == .badData)
        #expect(
            outcome.lines == [
                "'\(directory)' is no configuration file but a directory; all of it is checked by "
                    + "'ratingd --check-config --config \(whole)'"
            ])
    }
}
