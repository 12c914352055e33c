import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// Each limit at its value and one above.
struct LimitTests {
    /// What a client is told that leaves at once if it is not let in; nil if it is.
    private func refusal(_ bench: Bench, user: UserID = .daemon, process: Int32) -> String? {
        let guest = bench.connect(user: user, process: process)
        let told = guest.told().first
        #expect(guest.client.isClosing == (told != nil))
        if told != nil { guest.close() }
        return told
    }

    @Test func `connections: the last place is for a process that has none`() {
        let bench = Bench(.free(limits: [.connections: 4, .connectionsPerUid: 100]))
        for _ in 0..<3 { #expect(refusal(bench, process: 1) == nil) }
        #expect(refusal(bench, process: 1) == "null error quota_exceeded")
        let control = bench.connect(process: 2)
        #expect(control.told() == [])
        #expect(refusal(bench, process: 3) == "null error quota_exceeded")
        control.close()
        #expect(refusal(bench, process: 4) == nil)
    }

    @Test func `connections of a user: half of them for one process, the last for a new one`() {
        let bench = Bench(.free(limits: [.connectionsPerUid: 6]))
        for _ in 0..<3 { #expect(refusal(bench, process: 1) == nil) }
        #expect(refusal(bench, process: 1) == "null error quota_exceeded")
        for _ in 0..<2 { #expect(refusal(bench, process: 2) == nil) }
        // The sixth place: not for those who have one already.
        #expect(refusal(bench, process: 2) == "null error quota_exceeded")
        #expect(refusal(bench, process: 3) == nil)
        #expect(refusal(bench, process: 4) == "null error quota_exceeded")
        let other = bench.connect(user: 1001, process: 4)
        #expect(other.ask("stats")["connections_refused"]?.integer == 3)
    }

    @Test func `a limit of one connection lets one in`() {
        let bench = Bench(.free(limits: [.connectionsPerUid: 1]))
        #expect(bench.connect(process: 1).told() == [])
        #expect(bench.connect(process: 2).told() == ["null error quota_exceeded"])
    }

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

    @Test func `pending requests: half of them for one process`() {
        let bench = Bench(.free(limits: [.pendingPerUid: 4]))
        let guest = bench.connect(process: 1)
        func request(_ guest: Guest, _ app: String) -> String {
            guest.outcome(of: "request", #""app":"\#(app)","version":"1""#)
        }
        #expect(request(guest, "a") == "ok")
        #expect(request(guest, "b") == "ok")
        #expect(request(guest, "c") == "quota_exceeded")
        // One that supersedes is not one more.
        #expect(request(guest, "a") == "ok")
        let second = bench.connect(process: 2)
        #expect(request(second, "c") == "ok")
        #expect(request(second, "d") == "ok")
        let third = bench.connect(process: 3)
        #expect(request(third, "e") == "quota_exceeded")
        #expect(request(bench.connect(user: 1001), "e") == "ok")
        _ = guest.ask("cancel", #""app":"a""#)
        #expect(request(third, "e") == "ok")
    }

    @Test func `subscriptions: half of them for one process`() {
        let bench = Bench(.free(limits: [.subscriptionsPerUid: 2]))
        func subscribe(_ guest: Guest) -> String {
            guest.outcome(of: "subscribe", #""topics":["decisions"]"#)
        }
        let first = bench.connect(process: 1)
        #expect(subscribe(first) == "ok")
        #expect(subscribe(first) == "ok")
        #expect(subscribe(bench.connect(process: 1)) == "quota_exceeded")
        #expect(subscribe(bench.connect(process: 2)) == "ok")
        #expect(subscribe(bench.connect(process: 3)) == "quota_exceeded")
        first.close()
        #expect(subscribe(bench.connect(process: 3)) == "ok")
    }

    @Test func `apps of a user: known ones go on when no new one may come`() {
        let bench = Bench(.free(limits: [.appsPerUid: 2]))
        let guest = bench.connect()
        func event(_ app: String) -> String { guest.outcome(of: "event", #""app":"\#(app)""#) }
        #expect([event("a"), event("b"), event("c")] == ["ok", "ok", "quota_exceeded"])
        #expect([event("a"), event("b")] == ["ok", "ok"])
        #expect(guest.outcome(of: "status", #""app":"c""#) == "ok")
        bench.restart()
        let again = bench.connect()
        #expect(again.outcome(of: "event", #""app":"c""#) == "quota_exceeded")
        #expect(again.outcome(of: "event", #""app":"a""#) == "ok")
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

    @Test func `an app that is forgotten with its ledger makes room for another`() {
        let bench = Bench(.free(limits: [.appsPerUid: 2]))
        let guest = bench.connect()
        func event(_ app: String) -> String { guest.outcome(of: "event", #""app":"\#(app)""#) }
        #expect([event("a"), event("b")] == ["ok", "ok"])
        #expect(guest.outcome(of: "forget", #""app":"a","ledger":true"#) == "ok")
        #expect([event("c"), event("a")] == ["ok", "quota_exceeded"])
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

    @Test func `messages of a connection, and ten times as many of a user`() {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 2]))
        let first = bench.connect()
        #expect((1...3).map { _ in first.outcome(of: "ping") } == ["ok", "ok", "rate_limited"])
        let answer = first.ask("ping")
        #expect(answer["error"]?["data"]?["retry_after_ms"]?.integer == 1_000)
        // What was refused took nothing from the others.
        for process in 2...10 {
            let guest = bench.connect(process: Int32(process))
            #expect((1...2).map { _ in guest.outcome(of: "ping") } == ["ok", "ok"], "\(process)")
        }
        #expect(bench.connect(process: 99).outcome(of: "ping") == "rate_limited")
        #expect(bench.connect(user: 1001).outcome(of: "ping") == "ok")
        bench.sleep(1_000)
        #expect((1...2).map { _ in first.outcome(of: "ping") } == ["ok", "rate_limited"])
    }

    @Test func `one process has half of its user's messages at most`() {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 2]))
        let own = (1...6).map { _ in bench.connect(process: 1) }
        var outcomes = own.map { guest in
            _ = guest.outcome(of: "ping")
            return guest.outcome(of: "ping")
        }
        #expect(outcomes == ["ok", "ok", "ok", "ok", "ok", "rate_limited"])
        outcomes = (Int32(2)...6).map { process in
            let guest = bench.connect(process: process)
            _ = guest.outcome(of: "ping")
            return guest.outcome(of: "ping")
        }
        #expect(outcomes == ["ok", "ok", "ok", "ok", "ok"])
    }

    @Test func `each element of a batch counts, and unknown methods do not`() {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 2]))
        let guest = bench.connect()
        let pings = (1...3).map { guest.line("ping", id: $0) }
        guest.write("[\(guest.line("nonsense", id: 0)),\(pings.joined(separator: ","))]")
        #expect(
            guest.told() == ["[0 error method_not_found, 1 ok, 2 ok, 3 error rate_limited]"])
    }

    @Test func `rates can be off`() {
        let bench = Bench(.free(limits: [.ratePerSec: 0]))
        let guest = bench.connect()
        bench.turn { for _ in 0..<20_000 { guest.notify("ping") } }
        #expect(guest.outcome(of: "ping") == "ok")
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
