import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// What is counted per user, and the half of it that one process may have.
struct ShareTests {
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

    @Test func `pending requests: those whose connection is gone are still the process's`() {
        let bench = Bench(.free([.debounceMs: .integer(600_000)], limits: [.pendingPerUid: 4]))
        let agent = bench.connect(process: 9)
        #expect(agent.outcome(of: "subscribe", #""agent":true"#) == "ok")
        func request(_ app: String, process: Int32 = 1, startedAt: UInt64 = 0) -> String {
            let guest = bench.connect(process: process, startedAt: startedAt)
            defer { guest.close() }
            return guest.outcome(
                of: "request", #""app":"\#(app)","version":"1","deliver":"agent""#)
        }
        #expect([request("a"), request("b"), request("c")] == ["ok", "ok", "quota_exceeded"])
        // Another that was given its number is another.
        #expect(request("c", startedAt: 7) == "ok")
        #expect(agent.ask("cancel", #""app":"a""#)["cancelled"]?.bool == true)
        #expect([request("d"), request("e")] == ["ok", "quota_exceeded"])
    }

    @Test func `pending requests: those of others count for who takes them over`() {
        let bench = Bench(.free(limits: [.pendingPerUid: 4]))
        let first = bench.connect(process: 1)
        let second = bench.connect(process: 2)
        func request(_ guest: Guest, _ app: String) -> String {
            guest.outcome(of: "request", #""app":"\#(app)","version":"1""#)
        }
        #expect([request(second, "c"), request(second, "d")] == ["ok", "ok"])
        #expect([request(first, "a"), request(first, "c")] == ["ok", "ok"])
        #expect(request(first, "d") == "quota_exceeded")
        #expect(second.told() == ["cancelled superseded"])
        // What was taken from the second is free for it again, and no more.
        #expect([request(second, "e"), request(second, "f")] == ["ok", "quota_exceeded"])
        #expect(second.ask("cancel", #""app":"d""#)["cancelled"]?.bool == true)
        #expect(request(second, "a") == "ok")
        #expect(request(first, "d") == "ok")
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

    private func event(_ guest: Guest, _ app: String) -> String {
        guest.outcome(of: "event", #""app":"\#(app)""#)
    }

    @Test func `apps of a user: half of them for one process, however it connects`() {
        let bench = Bench(.free(limits: [.appsPerUid: 5]))
        let first = bench.connect(process: 1)
        #expect([event(first, "a"), event(first, "b")] == ["ok", "ok"])
        #expect(event(first, "c") == "quota_exceeded")
        #expect(first.outcome(of: "hello", #""app":"c","version":"1""#) == "quota_exceeded")
        #expect(
            first.outcome(of: "request", #""app":"c","version":"1""#) == "quota_exceeded")
        // Its apps alone keep it in mind: by then it may send as much as one that is new.
        bench.wait(60_000)
        first.close()
        let again = bench.connect(process: 1)
        #expect([event(again, "c"), event(again, "a")] == ["quota_exceeded", "ok"])
        // Another that was given its number is another, and so is the same number of another user.
        let second = bench.connect(process: 1, startedAt: 7)
        #expect([event(second, "c"), event(second, "d")] == ["ok", "ok"])
        #expect(event(bench.connect(user: 1001, process: 1), "c") == "ok")
        let third = bench.connect(process: 3)
        #expect([event(third, "e"), event(third, "f")] == ["ok", "quota_exceeded"])
    }

    @Test func `apps of a user: one that is taken away is its maker's no more`() {
        let bench = Bench(.free(limits: [.appsPerUid: 4]))
        let first = bench.connect(process: 1)
        let second = bench.connect(process: 2)
        #expect([event(first, "a"), event(first, "b")] == ["ok", "ok"])
        #expect(event(second, "c") == "ok")
        // Who takes away an app of another does not get the place, its maker does.
        let forget = #""app":"c","ledger":true"#
        #expect(first.outcome(of: "forget", forget) == "ok")
        #expect(event(first, "d") == "quota_exceeded")
        #expect([event(second, "d"), event(second, "e")] == ["ok", "ok"])
        #expect(event(second, "f") == "quota_exceeded")
        #expect(second.outcome(of: "forget", #""app":"a","ledger":true"#) == "ok")
        #expect(event(first, "f") == "ok")
    }

    @Test func `apps of a user: who acts for another user has no share of theirs`() {
        let bench = Bench(.free(limits: [.appsPerUid: 2]), scope: .system)
        let root = bench.connect(user: 0, process: 1)
        for app in ["a", "b"] {
            let opt = #""app":"\#(app)","uid":1001"#
            #expect(root.outcome(of: "opt_out", opt) == "ok")
        }
        #expect([event(root, "a"), event(root, "b")] == ["ok", "quota_exceeded"])
    }

    @Test func `apps of a user: a grant is counted for the process that asked`() {
        let bench = Bench(.eager([.debounceMs: .integer(1_000)], limits: [.appsPerUid: 4]))
        let agent = bench.connect(process: 9)
        #expect(agent.outcome(of: "subscribe", #""agent":true"#) == "ok")
        let guest = bench.connect(process: 1)
        let request = #""app":"a","version":"1","deliver":"agent""#
        #expect(guest.outcome(of: "request", request) == "ok")
        guest.close()
        bench.wait(1_000)
        #expect(agent.told().last == "prompt")
        let again = bench.connect(process: 1)
        #expect([event(again, "b"), event(again, "c")] == ["ok", "quota_exceeded"])
    }

    @Test func `of processes that are gone some are remembered, and none that use nothing`() {
        let max = Core.goneProcessesMax
        let bench = Bench(.free(limits: [.appsPerUid: 1_000, .ratePerSec: 1, .rateBurst: 10]))
        _ = bench.connect(process: 9_999)
        func process(_ number: Int) -> LiveProcess? {
            bench.core.users[.daemon]?.processes[ProcessID(number: Int32(number))]
        }
        for number in 1...(max + 10) {
            let guest = bench.connect(process: Int32(number))
            _ = event(guest, "app\(number)")
            guest.close()
        }
        #expect(bench.core.users[.daemon]?.processes.count == max + 1)
        #expect(process(10) == nil)
        #expect(process(11)?.content.appCount == 1)
        // What it may send is not whole again by connecting anew, but after a while.
        let fresh = bench.connect(process: 5_000)
        _ = fresh.outcome(of: "ping")
        fresh.close()
        #expect(process(5_000) != nil)
        bench.sleep(1_000)
        let last = bench.connect(process: 5_001)
        last.close()
        #expect(process(5_000) == nil)
        #expect(process(5_001) == nil)
    }

    @Test func `a turn that cannot be stored leaves every share as it was`() {
        let bench = Bench(.free(limits: [.appsPerUid: 4, .pendingPerUid: 4]))
        let guest = bench.connect(process: 1)
        _ = event(guest, "a")
        bench.memory.faults[bench.memory.commits + 1] = .refused
        bench.turn {
            guest.send("request", #""app":"c","version":"1""#)
            guest.send("event", #""app":"b""#)
            guest.close()
        }
        let content = bench.core.users[.daemon]?
            .processes[ProcessID(number: 1)]?.content
        #expect(content?.appCount == 1)
        #expect(content?.pendingCount == 0)
    }

    @Test func `apps of a user: known ones go on when no new one may come`() {
        let bench = Bench(.free(limits: [.appsPerUid: 2]))
        let guest = bench.connect(process: 1)
        let other = bench.connect(process: 2)
        func event(_ app: String) -> String { self.event(guest, app) }
        #expect([event("a"), self.event(other, "b")] == ["ok", "ok"])
        #expect(event("c") == "quota_exceeded")
        #expect([event("a"), event("b")] == ["ok", "ok"])
        #expect(guest.outcome(of: "status", #""app":"c""#) == "ok")
        bench.restart()
        let again = bench.connect()
        #expect(again.outcome(of: "event", #""app":"c""#) == "quota_exceeded")
        #expect(again.outcome(of: "event", #""app":"a""#) == "ok")
    }

    @Test func `an app that is forgotten with its ledger makes room for another`() {
        let bench = Bench(.free(limits: [.appsPerUid: 4]))
        let guest = bench.connect()
        func event(_ app: String) -> String { self.event(guest, app) }
        #expect([event("a"), event("b")] == ["ok", "ok"])
        #expect(guest.outcome(of: "forget", #""app":"a","ledger":true"#) == "ok")
        #expect([event("c"), event("a")] == ["ok", "quota_exceeded"])
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
}
