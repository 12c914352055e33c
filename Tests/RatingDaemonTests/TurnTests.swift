import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// A turn that cannot be stored changes nothing and tells nothing but that.
struct TurnTests {
    /// Requests that have to be stored, on an app with a token `T` that waits for its outcome.
    private static let storing = [
        ("hello", #""app":"org.example.Notes","version":"2""#),
        ("session", ""), ("event", ""), ("opt_out", ""), ("opt_out", #""all":true"#),
        ("forget", #""app":"org.example.Notes""#),
        ("forget", #""app":"org.example.Notes","ledger":true"#),
        ("outcome", #""token":"T","result":"later""#),
        ("outcome", #""token":"T","result":"never""#),
        ("outcome", #""token":"T","result":"shown""#),
        ("session", #""app":"org.gnome.Maps""#), ("repair_clock", ""),
    ]

    @Test(arguments: storing, MemoryStorage.Fault.allCases)
    func `what cannot be stored is answered so and changes nothing`(
        request: (String, String), fault: MemoryStorage.Fault
    ) {
        let bench = Bench(.eager([.outcomeTimeoutSec: .integer(600)]))
        let guest = bench.greet()
        _ = guest.ask("session")
        let token = guest.request(#""debounce_ms":0"#)
        let params = request.1.replacing("\"T\"", with: "\"\(token)\"")
        let other = bench.greet("org.gnome.Maps", process: 2)
        _ = other.ask("subscribe", #""topics":["decisions","counters"]"#)
        _ = guest.told()
        bench.memory.fault = fault
        let before = bench.core.portrait
        #expect(guest.outcome(of: request.0, params) == expected(request.0))
        #expect(other.told() == [])
        if request.0 == "hello", fault != .syncFailed {
            // The greeting itself is known to the connection; it waits to be kept.
            #expect(guest.client.content.greeting?.isKept == false)
        } else if fault != .syncFailed, request.0 != "repair_clock" {
            #expect(bench.core.portrait.filter { !before.contains($0) } == [])
        }
    }

    private func expected(_ method: String) -> String {
        method == "hello" ? "ok" : "storage_unavailable"
    }

    @Test func `what needs no store is answered in a turn that cannot be stored`() {
        let bench = Bench()
        let guest = bench.greet()
        let other = bench.greet("org.gnome.Maps", process: 2)
        bench.memory.fault = .refused
        bench.turn {
            guest.send("ping")
            other.send("event")
            guest.send("status")
            guest.send("request")
            other.send("cancel")
            guest.send("no_such_method")
            guest.write("nonsense")
        }
        #expect(
            guest.told() == [
                "2 ok", "3 ok", "4 pending", "5 error method_not_found", "null error parse_error",
            ])
        #expect(other.told() == ["2 error storage_unavailable", "3 ok"])
    }

    @Test(arguments: MemoryStorage.Fault.allCases)
    func `a prompt that cannot be stored is cancelled and not told later`(
        fault: MemoryStorage.Fault
    ) {
        let bench = Bench()
        let guest = bench.greet()
        let watcher = bench.greet("org.gnome.Maps", process: 2)
        _ = watcher.ask("subscribe", #""topics":["decisions"]"#)
        _ = guest.request()
        _ = watcher.told()
        bench.memory.fault = fault
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled storage_unavailable"])
        #expect(watcher.told() == ["decision 2 cancelled storage_unavailable"])
        bench.memory.fault = nil
        bench.memory.recover()
        bench.wait(10_000)
        #expect(guest.told() == [])
        #expect(bench.core.isIdle == false)
        #expect(bench.core.pendingTotal == 0)
        #expect(guest.client.content.pendingCount == 0)
        // One whose sync failed may be in the ledger, and then counts.
        let isStored = fault == .syncFailed
        #expect(bench.memory.disk.image.apps[.notes]?.grants.count == (isStored ? 1 : 0))
        #expect((guest.ask("request")["decision"]?.string == "refused") == isStored)
    }

    @Test func `a grant that the ledger has no room for is no grant`() throws {
        let bench = Bench(.eager([.promptsPerYear: .integer(1)]))
        let guest = bench.greet()
        _ = guest.request()
        // Another hand has written into the ledger.
        var image = bench.memory.disk.image
        image.apps[.notes]?.grants = [
            Grant(grantedAt: Stamp(bench.now.wall), token: Token("x"), version: Version("0"))
        ]
        image.ledger = [.daemon: [.notes]]
        bench.memory.disk.store(image)
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled ineligible annual_cap"])
        #expect(guest.ask("status")["prompts_in_window"]?.integer == 1)
    }

    @Test func `a yes whose grant cannot be stored is not asked for again`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request(#""confirm":true"#)
        bench.wait(2_000)
        #expect(guest.told() == ["confirm"])
        bench.memory.faults = [bench.memory.commits + 1: .refused]
        guest.write(#"{"id":"confirm-1","result":true}"#)
        #expect(guest.told() == ["cancelled storage_unavailable"])
        guest.write(#"{"id":"confirm-1","result":true}"#)
        bench.wait(10_000)
        #expect(guest.told() == [])
        _ = guest.request(#""debounce_ms":0"#)
        #expect(guest.told() == ["prompt"])
    }

    @Test func `a client that left in a turn that cannot be stored has left`() {
        let bench = Bench()
        let guest = bench.greet()
        let other = bench.greet(process: 2)
        _ = guest.request()
        bench.memory.fault = .refused
        bench.turn {
            other.send("event")
            guest.close()
        }
        #expect(bench.core.clientCount == 1)
        #expect(bench.core.pendingTotal == 0)
        #expect(bench.core.apps[.notes]?.content.clientCount == 1)
        #expect(guest.client.user.connectionCount == 1)
        #expect(other.told() == ["2 error storage_unavailable"])
    }

    @Test func `nothing is told twice, and messages count once for the rate`() {
        let bench = Bench(.free(limits: [.rateBurst: 5, .ratePerSec: 1]))
        let guest = bench.greet()
        let watcher = bench.connect(process: 2)
        _ = watcher.ask("subscribe", #""topics":["decisions"]"#)
        bench.memory.fault = .refused
        bench.turn {
            guest.send("request")
            guest.send("activity")
            guest.send("event")
        }
        #expect(
            guest.told() == [
                "2 pending", "cancelled activity", "3 ok", "4 error storage_unavailable",
            ])
        #expect(watcher.told() == ["decision 1 pending", "decision 2 cancelled activity"])
        #expect(guest.outcome(of: "ping") == "ok")
        #expect(guest.outcome(of: "ping") == "rate_limited")
    }

    @Test func `subscribing works in a turn that cannot be stored`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.memory.fault = .refused
        bench.turn {
            guest.send("subscribe", #""topics":["decisions"]"#)
            guest.send("event")
            guest.send("request")
        }
        #expect(
            guest.told() == [
                "2 ok", "3 error storage_unavailable", "4 pending", "decision 1 pending",
            ])
        #expect(guest.client.user.content.subscribers.count == 1)
    }

    @Test func `grants that were not stored are not counted`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.memory.fault = .refused
        bench.wait(2_000)
        let stats = guest.ask("stats")
        #expect(stats["grants"]?.integer == 0)
        #expect(stats["commits_failed"]?.integer == 1)
        #expect(stats["messages"]?.integer == 3)
    }

    @Test func `a grant is synced and a counter is not`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.ask("event")
        #expect(bench.memory.lastDurability == .relaxed)
        _ = guest.request(#""debounce_ms":0"#)
        #expect(bench.memory.lastDurability == .synced)
        #expect(bench.memory.disk.isSynced)
    }

    @Test(arguments: [
        ("opt_out", ""), ("opt_out", #""all":true"#), ("forget", #""app":"org.example.Notes""#),
        ("outcome", #""token":"T","result":"rated""#),
    ])
    func `what a person decided is synced before it is answered`(request: (String, String)) {
        let bench = Bench()
        let guest = bench.greet()
        let token = guest.request(#""debounce_ms":0"#)
        _ = guest.ask("event")
        #expect(!bench.memory.disk.isSynced)
        let params = request.1.replacing("\"T\"", with: "\"\(token)\"")
        #expect(guest.outcome(of: request.0, params) == "ok")
        #expect(bench.memory.disk.isSynced)
    }

    @Test func `a refusal and a question store nothing`() {
        let bench = Bench(.with([:]))
        let guest = bench.greet()
        let commits = bench.memory.commits
        for method in ["request", "status", "activity", "cancel", "history", "report", "apps"] {
            #expect(guest.outcome(of: method) == "ok")
        }
        #expect(bench.memory.commits == commits)
    }

    @Test func `a turn of many messages is one commit`() {
        let bench = Bench()
        let guests = (1...5).map { bench.greet(process: $0) }
        let commits = bench.memory.commits
        bench.turn {
            for guest in guests { for _ in 0..<10 { guest.send("event") } }
        }
        #expect(bench.memory.commits == commits + 1)
        #expect(bench.memory.disk.image.apps[.notes]?.events[.significant] == 50)
    }

    @Test func `a store that is whole again is used without a restart`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.ask("event")
        bench.memory.faults = [bench.memory.commits + 1: .broken]
        #expect(guest.outcome(of: "event") == "storage_unavailable")
        #expect(guest.outcome(of: "event") == "storage_unavailable")
        bench.memory.recoversOnUse = true
        #expect(guest.ask("event")["events"]?.integer == 2)
        #expect(guest.ask("event")["events"]?.integer == 3)
    }

    @Test func `counters of a commit that was stored after all are told as they are stored`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.memory.faults = [bench.memory.commits + 1: .syncFailed]
        #expect(guest.outcome(of: "event") == "storage_unavailable")
        #expect(guest.ask("status")["events"]?.integer == 1)
        bench.memory.recover()
        #expect(guest.ask("event")["events"]?.integer == 2)
    }

    @Test func `questions about what cannot be read are answered so`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.memory.readsFail = true
        #expect(guest.outcome(of: "status", #""app":"org.gnome.Maps""#) == "storage_unavailable")
        #expect(guest.outcome(of: "apps") == "storage_unavailable")
        #expect(guest.outcome(of: "report") == "storage_unavailable")
        #expect(
            guest.outcome(of: "outcome", #""token":"x","result":"rated""#)
                == "storage_unavailable")
        #expect(guest.outcome(of: "ping") == "ok")
        #expect(guest.outcome(of: "whoami") == "ok")
    }

    @Test func `a request whose rules cannot be read when it is due is cancelled`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.memory.faults = [bench.memory.commits + 1: .broken]
        #expect(guest.outcome(of: "event") == "storage_unavailable")
        bench.memory.readsFail = true
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled storage_unavailable"])
    }

    @Test func `a set-aside ledger answers every request so, and grants nothing that was pending`()
    {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.memory.disk.ledgerProblem = "damaged state was set aside"
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled storage_unavailable"])
        #expect(guest.outcome(of: "request") == "storage_unavailable")
        #expect(guest.outcome(of: "event") == "ok")
        bench.memory.disk.ledgerProblem = nil
        #expect(guest.outcome(of: "request") == "ok")
    }
}
