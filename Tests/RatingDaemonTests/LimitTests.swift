import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// Each limit at its value and one above; those of a user are in `ShareTests`.
struct LimitTests {
    @Test func `connections of an app: one above is told so and let go`() {
        let bench = Bench(.free(limits: [.connectionsPerApp: 2]))
        let first = bench.greet(process: 1)
        _ = bench.greet(process: 2)
        let third = bench.connect(process: 3)
        third.send("hello", #""app":"org.example.Notes","version":"1""#)
        #expect(third.told() == ["1 error quota_exceeded", "bye quota_exceeded"])
        #expect(third.client.isClosing)
        third.close()
        first.close()
        let fourth = bench.connect(process: 4)
        #expect(
            fourth.outcome(of: "hello", #""app":"org.example.Notes","version":"1""#) == "ok")
        // Saying hello again takes no second place, for another app it frees the first.
        #expect(
            fourth.outcome(of: "hello", #""app":"org.example.Notes","version":"2""#) == "ok")
        #expect(fourth.outcome(of: "hello", #""app":"org.gnome.Maps","version":"2""#) == "ok")
        let fifth = bench.connect(process: 5)
        #expect(fifth.outcome(of: "hello", #""app":"org.example.Notes","version":"1""#) == "ok")
    }

    @Test func `a request of an app too many is told so at once`() {
        let bench = Bench(.free(limits: [.appsPerUid: 1]))
        let guest = bench.connect()
        let other = #""app":"b","version":"1""#
        #expect(guest.outcome(of: "request", other) == "ok")
        #expect(guest.outcome(of: "event", #""app":"a""#) == "ok")
        #expect(guest.outcome(of: "cancel", #""app":"b""#) == "ok")
        #expect(guest.outcome(of: "request", other) == "quota_exceeded")
        #expect(guest.outcome(of: "request", #""app":"a","version":"1""#) == "ok")
    }

    @Test func `a refusal is one whatever limit is reached`() {
        let bench = Bench(.with([.eventsUntilPrompt: .integer(1)], limits: [.appsPerUid: 1]))
        let guest = bench.connect()
        #expect(guest.outcome(of: "event", #""app":"a""#) == "ok")
        let refused = guest.ask("request", #""app":"b","version":"1""#)
        #expect(refused["decision"]?.string == "refused")
    }

    @Test func `a hello over the limit of apps leaves the connection as it was`() {
        let bench = Bench(.free(limits: [.appsPerUid: 1]))
        let guest = bench.greet()
        #expect(
            guest.outcome(of: "hello", #""app":"org.gnome.Maps","version":"1""#)
                == "quota_exceeded")
        #expect(guest.ask("whoami")["app"]?.string == "org.example.Notes")
        #expect(guest.outcome(of: "event") == "ok")
        #expect(bench.core.apps[.notes]?.content.clientCount == 1)
    }

    @Test func `event names of an app`() {
        let bench = Bench(.free(limits: [.eventNamesPerApp: 2]))
        let guest = bench.greet()
        func event(_ name: String) -> String { guest.outcome(of: "event", #""name":"\#(name)""#) }
        #expect([event("a"), event("b"), event("c")] == ["ok", "ok", "quota_exceeded"])
        #expect([event("a"), event("b")] == ["ok", "ok"])
        #expect(guest.ask("status")["events"]?.integer == 4)
        #expect(guest.outcome(of: "event", #""name":"c","app":"org.gnome.Maps""#) == "ok")
    }

    @Test func `answers of a batch stop where the output is full`() {
        let bench = Bench(.free(limits: [.outputBytes: 500]))
        let guest = bench.greet()
        let pings = (1...20).map { guest.line("ping", id: $0) }
        guest.write("[\(pings.joined(separator: ","))]")
        let told = guest.told()
        let answered = told.first?.components(" ok") ?? 0
        #expect((5..<12).contains(answered))
        #expect((told.first?.components("error quota_exceeded") ?? 0) == 20 - answered)
        #expect(guest.outcome(of: "ping") == "ok")
    }

    @Test func `a limit that was hit is logged now and then`() {
        let bench = Bench(.free(limits: [.appsPerUid: 1]))
        let guest = bench.greet()
        _ = bench.core.takeLog()
        bench.turn { for app in ["b", "c", "d"] { guest.send("event", #""app":"\#(app)""#) } }
        #expect(bench.core.takeLog().map(\.kind) == [.limitHit])
        #expect(guest.told().allSatisfy { $0.hasSuffix("error quota_exceeded") })
    }
}

extension String {
    /// How often a text occurs in this one.
    func components(_ text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
