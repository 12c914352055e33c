import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// Clock repair, debug requests, a system daemon's users, sandboxed peers.
struct AdministrationTests {
    // MARK: - repair_clock

    /// A bench on which an app had a prompt two years ahead of the clock.
    private func ahead() -> (Bench, Guest) {
        let bench = Bench(.eager([.minIntervalDays: .integer(7)]))
        bench.stepClock(2 * .window)
        let guest = bench.greet()
        _ = guest.ask("event")
        _ = guest.request(#""debounce_ms":0"#)
        bench.stepClock(-2 * .window)
        _ = guest.told()
        return (bench, guest)
    }

    @Test func `times in the future count as now after a repair`() {
        let (bench, guest) = ahead()
        #expect(guest.ask("status")["clock"]?.string == "behind")
        #expect(guest.ask("repair_clock")["repaired"]?.integer == 3)
        #expect(guest.ask("repair_clock")["repaired"]?.integer == 0)
        #expect(guest.ask("status")["clock"]?.string == "ok")
        #expect(guest.ask("request")["reasons"]?.text() == #"["outstanding","interval"]"#)
        bench.wait(7 * .day)
        #expect(guest.ask("request")["decision"]?.string == "pending")
    }

    @Test func `nothing is looked through again before the clock has gone back`() {
        let bench = Bench()
        let guest = bench.greet()
        for _ in 0..<3 {
            _ = guest.ask("repair_clock")
            _ = guest.ask("event")
            bench.sleep(1_000)
        }
        #expect(bench.memory.repairs == 1)
        bench.stepClock(-.day)
        #expect((guest.ask("repair_clock")["repaired"]?.integer ?? 0) > 0)
        #expect(bench.memory.repairs == 2)
        // An error of the store may mean that it holds something else than was known.
        bench.memory.faults[bench.memory.commits + 1] = .refused
        _ = guest.ask("event")
        _ = guest.ask("repair_clock")
        #expect(bench.memory.repairs == 3)
    }

    @Test func `in a batch the repair knows what was said before it, and what follows knows it`() {
        let (bench, guest) = ahead()
        guest.write(
            "["
                + [
                    guest.line("event", id: 1), guest.line("repair_clock", id: 2),
                    guest.line("event", id: 3), guest.line("status", id: 4),
                ].joined(separator: ",") + "]")
        let answers = guest.readLines().first?.array ?? []
        #expect(answers.map { $0["id"]?.integer } == [1, 2, 3, 4])
        #expect(answers[2]["result"]?["events"]?.integer == 3)
        #expect(answers[3]["result"]?["clock"]?.string == "ok")
        #expect(bench.memory.disk.image.apps[.notes]?.events[.significant] == 3)
        #expect(bench.memory.disk.image.apps[.notes]?.grants.first?.grantedAt.repaired != nil)
    }

    @Test func `what a batch did before the repair stays when what follows cannot be stored`() {
        let (bench, guest) = ahead()
        bench.memory.faults = [bench.memory.commits + 2: .refused]
        guest.write(
            "["
                + [
                    guest.line("event", id: 1), guest.line("repair_clock", id: 2),
                    guest.line("event", id: 3), guest.line("status", id: 4),
                ].joined(separator: ",") + "]")
        #expect(guest.told() == ["[1 ok, 2 ok, 3 error storage_unavailable, 4 ok]"])
        #expect(bench.memory.disk.image.apps[.notes]?.events[.significant] == 2)
        #expect(bench.memory.disk.image.apps[.notes]?.grants.first?.grantedAt.repaired != nil)
    }

    @Test func `a prompt granted before a repair in the same batch is told, come what may`() {
        let (bench, guest) = ahead()
        let other = bench.greet("org.gnome.Maps", process: 2)
        bench.wait(.day)
        bench.configuration = .eager()
        bench.files = .loaded(.eager(), warnings: [])
        _ = other.ask("reload")
        _ = guest.ask("repair_clock")
        bench.stepClock(-3 * .day)
        _ = other.request(#""confirm":true"#)
        bench.wait(2_000)
        #expect(other.told() == ["confirm"])
        bench.memory.faults = [bench.memory.commits + 2: .refused]
        other.write(
            "["
                + [
                    #"{"id":"confirm-1","result":true}"#, other.line("repair_clock", id: 8),
                    other.line("event", id: 9),
                ].joined(separator: ",") + "]")
        #expect(other.told() == ["[8 ok, 9 error storage_unavailable]", "prompt"])
        let maps = AppKey(user: .daemon, app: .maps)
        #expect(bench.memory.disk.image.apps[maps]?.grants.count == 1)
    }

    @Test func `a repair that cannot be stored is answered so`() {
        let (bench, guest) = ahead()
        bench.memory.fault = .refused
        bench.turn {
            guest.send("event")
            guest.send("repair_clock")
        }
        let told = guest.told()
        #expect(told.allSatisfy { $0.hasSuffix("error storage_unavailable") })
        #expect(told.count == 2)
        #expect(bench.memory.disk.image.apps[.notes]?.grants.first?.grantedAt.repaired == nil)
    }

    @Test func `repair and reload are for the daemon's user and root`() {
        let bench = Bench(scope: .system)
        bench.files = .loaded(.free, warnings: [])
        for method in ["repair_clock", "reload"] {
            #expect(bench.connect(user: 1001).outcome(of: method) == "not_permitted")
            #expect(bench.connect(user: 0).outcome(of: method) == "ok")
            #expect(bench.connect().outcome(of: method) == "ok")
            let sandboxed = bench.connect(identity: .flatpak("org.example.Notes"))
            #expect(sandboxed.outcome(of: method) == "not_permitted")
        }
    }

    // MARK: - debug

    @Test func `debug needs a file's leave`() {
        let guest = Bench().greet()
        #expect(guest.outcome(of: "request", #""debug":true"#) == "not_permitted")
    }

    @Test func `a debug prompt leaves everything as it was`() {
        let bench = Bench(.free([.allowDebug: .flag(true)]))
        let guest = bench.greet()
        _ = guest.ask("event")
        let real = guest.request()
        let watcher = bench.connect(process: 2)
        _ = watcher.ask("subscribe", #""topics":["decisions","counters"]"#)
        let image = bench.memory.disk.image
        let commits = bench.memory.commits
        let portrait = bench.core.portrait
        let answer = guest.ask("request", #""debug":true"#)
        #expect(answer["debug"]?.bool == true)
        #expect(answer["fires_in_ms"]?.integer == 0)
        let token = answer["token"]?.string ?? ""
        for result in ["shown", "rated", "never"] {
            let params = #""token":"\#(token)","result":"\#(result)""#
            #expect(guest.ask("outcome", params)["result"]?.string == result)
        }
        #expect(bench.core.portrait == portrait)
        #expect(bench.memory.commits == commits)
        #expect(bench.memory.disk.image == image)
        #expect(!bench.core.hasFunnelToStore || bench.core.funnel.keys.allSatisfy { $0.day > 0 })
        #expect(watcher.told() == [])
        bench.wait(2_000)
        let prompts = guest.readLines().filter { $0["method"]?.string == "prompt" }
        #expect(prompts.map { $0["params"]?["token"]?.string } == [real])
    }

    @Test func `a debug prompt follows its answer, marked`() {
        let bench = Bench(.with([.allowDebug: .flag(true)]))
        let guest = bench.greet()
        guest.send("request", #""debug":true,"debounce_ms":5000"#)
        let lines = guest.readLines()
        #expect(lines.map(summary) == ["2 pending", "prompt"])
        #expect(lines.last?["params"]?["debug"]?.bool == true)
        #expect(lines.last?["params"]?["prompts_in_window"]?.integer == 0)
    }

    @Test func `an opt-out and a switched-off daemon refuse debug too`() {
        let bench = Bench(.with([.allowDebug: .flag(true), .enabled: .flag(false)]))
        let guest = bench.greet()
        _ = guest.ask("opt_out")
        guest.send("request", #""debug":true,"deliver":"agent""#)
        #expect(guest.told() == ["3 refused disabled opted_out no_agent"])
    }

    // MARK: - A system daemon

    @Test func `root may ask for a user on a system daemon, and nobody else`() {
        let bench = Bench(scope: .system)
        let guest = bench.greet(user: 1001)
        _ = guest.ask("session")
        let app = #""app":"org.example.Notes","uid":1001"#
        let root = bench.connect(user: 0)
        #expect(root.ask("status", app)["sessions"]?.integer == 1)
        #expect(root.ask("history", app)["grants"]?.array?.count == 0)
        #expect(root.ask("report", #""uid":1001"#)["requests"]?.integer == 0)
        #expect(root.ask("apps", #""uid":1001"#)["apps"]?.array?.count == 1)
        #expect(root.ask("apps")["apps"]?.array?.count == 0)
        #expect(root.ask("opt_out", app)["opted_out"]?.bool == true)
        #expect(guest.ask("status")["opted_out"]?.bool == true)
        #expect(root.ask("opt_in", app)["opted_out"]?.bool == false)
        #expect(root.ask("opt_out", #""all":true,"uid":1001"#)["opted_out"]?.bool == true)
        #expect(guest.ask("status")["opted_out"]?.bool == true)
        #expect(root.ask("forget", app)["forgotten"]?.bool == true)
        #expect(guest.ask("status")["sessions"]?.integer == 0)
        for method in ["status", "history", "opt_out", "opt_in", "forget"] {
            #expect(guest.outcome(of: method, app) == "not_permitted", "\(method)")
        }
        for method in ["report", "apps"] {
            #expect(guest.outcome(of: method, #""uid":1001"#) == "not_permitted")
        }
    }

    @Test func `a user daemon has no users to choose from, not even for root`() {
        let bench = Bench()
        let root = bench.connect(user: 0)
        #expect(root.outcome(of: "apps", #""uid":1000"#) == "not_permitted")
        #expect(bench.greet().outcome(of: "status", #""uid":1000"#) == "not_permitted")
    }

    @Test func `users share nothing`() {
        let bench = Bench(scope: .system)
        let first = bench.greet(user: 1001)
        let second = bench.greet(user: 1002)
        _ = first.ask("event")
        let token = first.request()
        #expect(second.ask("status")["events"]?.integer == 0)
        #expect(second.ask("cancel", #""token":"\#(token)""#)["cancelled"]?.bool == false)
        bench.wait(2_000)
        #expect(first.told() == ["prompt"])
        let outcome = #""token":"\#(token)","result":"rated""#
        #expect(second.outcome(of: "outcome", outcome) == "not_found")
        #expect(second.ask("request")["decision"]?.string == "pending")
        // Not even uid 0: only the user's own processes know what became of the prompt.
        #expect(bench.connect(user: 0).outcome(of: "outcome", outcome) == "not_found")
        #expect(first.outcome(of: "outcome", outcome) == "ok")
    }

    // MARK: - Sandboxed peers

    @Test func `a sandboxed peer acts for its own app only`() {
        let bench = Bench()
        let other = bench.greet("org.gnome.Maps")
        let token = other.request(#""debounce_ms":0"#)
        let guest = bench.connect(process: 2, identity: .flatpak("org.example.Notes"))
        #expect(guest.ask("whoami")["app"]?.string == "org.example.Notes")
        #expect(guest.outcome(of: "event") == "ok")
        let maps = #""app":"org.gnome.Maps""#
        let methods = [
            "event", "session", "activity", "cancel", "status", "history", "report",
            "review_url", "opt_out", "opt_in", "forget",
        ]
        for method in methods { #expect(guest.outcome(of: method, maps) == "not_permitted") }
        // What is missing is told before what is not permitted (SPEC 1).
        #expect(guest.outcome(of: "request", maps) == "invalid_params")
        #expect(guest.outcome(of: "request", maps + #","version":"1""#) == "not_permitted")
        #expect(guest.outcome(of: "hello", maps + #","version":"1""#) == "not_permitted")
        #expect(guest.outcome(of: "opt_out", #""all":true"#) == "not_permitted")
        let outcome = #""token":"\#(token)","result":"rated""#
        #expect(guest.outcome(of: "outcome", outcome) == "not_permitted")
        let own = #""app":"org.example.Notes""#
        #expect(guest.outcome(of: "forget", own + #","ledger":true"#) == "not_permitted")
        #expect(guest.outcome(of: "forget", own) == "ok")
        _ = guest.ask("event")
        let apps = guest.ask("apps")["apps"]?.array ?? []
        #expect(apps.map { $0["app"]?.string } == ["org.example.Notes"])
        #expect(guest.ask("report")["requests"]?.integer == 0)
    }

    @Test func `a sandboxed subscriber and agent hears of its own app only`() {
        let bench = Bench()
        let guest = bench.connect(process: 2, identity: .flatpak("org.example.Notes"))
        let maps = #""topics":["counters"],"apps":["org.gnome.Maps"]"#
        #expect(guest.outcome(of: "subscribe", maps) == "not_permitted")
        #expect(guest.outcome(of: "subscribe", #""topics":["counters"],"agent":true"#) == "ok")
        _ = bench.greet("org.gnome.Maps").ask("event")
        #expect(guest.told() == [])
        let other = bench.greet("org.gnome.Maps")
        #expect(other.ask("request", #""deliver":"agent""#)["decision"]?.string == "refused")
        _ = bench.greet().ask("event")
        #expect(guest.told() == ["counter 1 events significant 1"])
    }

    @Test func `a peer of unknown identity has no app and may do nothing for any`() {
        let bench = Bench()
        let guest = bench.connect(identity: .unknown)
        #expect(guest.outcome(of: "event", #""app":"org.example.Notes""#) == "not_permitted")
        #expect(guest.outcome(of: "subscribe", #""topics":["counters"]"#) == "not_permitted")
        #expect(guest.outcome(of: "apps") == "not_permitted")
        #expect(guest.outcome(of: "report") == "not_permitted")
        #expect(guest.ask("whoami")["identity"]?["source"]?.string == "unknown")
        #expect(guest.outcome(of: "ping") == "ok")
    }

    @Test func `figures of the process are counted once a second at most`() {
        let bench = Bench()
        let guest = bench.connect()
        func memory() -> Int64? { guest.ask("stats")["memory_bytes"]?.integer }
        #expect([memory(), memory()] == [1, 1])
        bench.sleep(999)
        #expect(memory() == 1)
        bench.sleep(1)
        #expect([memory(), memory()] == [2, 2])
    }
}

extension Identity {
    static func flatpak(_ app: String) -> Identity {
        Identity(source: .flatpak, isVerified: true, app: .named(app))
    }
}
