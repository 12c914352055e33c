import RatingPolicy
import RatingWire
import Testing

@testable import RatingDaemon

/// Those who want to be told, and those who show prompts for others.
struct SubscriberTests {
    private func watcher(_ bench: Bench, _ params: String, process: Int32 = 9) -> Guest {
        let guest = bench.connect(process: process)
        _ = guest.ask("subscribe", params)
        return guest
    }

    @Test func `a subscriber is told of its topics and apps only`() {
        let bench = Bench()
        let decisions = watcher(bench, #""topics":["decisions"]"#, process: 7)
        let maps = watcher(
            bench, #""topics":["decisions","counters"],"apps":["org.gnome.Maps"]"#, process: 8)
        let guest = bench.greet()
        _ = guest.ask("event")
        _ = guest.request()
        _ = guest.ask("session", #""app":"org.gnome.Maps""#)
        #expect(decisions.told() == ["decision 1 pending"])
        #expect(maps.told() == ["counter 1 sessions 1"])
    }

    @Test func `the news of a batch come in the order in which it happened`() {
        let bench = Bench()
        let decisions = watcher(bench, #""topics":["decisions"]"#)
        let guest = bench.greet()
        guest.write(
            "["
                + [
                    guest.line("request", id: 1), guest.line("request", id: 2),
                    guest.line("activity", id: 3),
                ].joined(separator: ",") + "]")
        #expect(
            decisions.told() == [
                "decision 1 pending", "decision 2 cancelled superseded", "decision 3 pending",
                "decision 4 cancelled activity",
            ])
    }

    @Test func `another user's decisions are nobody's business`() {
        let bench = Bench()
        let other = bench.connect(user: 1001)
        _ = other.ask("subscribe", #""topics":["decisions"],"agent":true"#)
        let guest = bench.greet()
        _ = guest.request()
        #expect(other.told() == [])
        #expect(guest.ask("request", #""deliver":"agent""#)["decision"]?.string == "refused")
    }

    @Test func `one that does not read misses what is too much, and is told how many`() {
        let bench = Bench(.free(limits: [.outputBytes: 1_000]))
        let slow = watcher(bench, #""topics":["counters"]"#)
        let guest = bench.greet()
        for _ in 0..<30 { guest.notify("event") }
        let queued = slow.client.output.count
        #expect((1_001..<1_300).contains(queued))
        let told = slow.told()
        let missed = 30 - told.count
        #expect(missed > 0)
        #expect(told == (1...told.count).map { "counter \($0) events significant \($0)" })
        bench.turn { bench.core.outputDrained(slow.client) }
        #expect(slow.told() == ["lagged \(missed)"])
        guest.notify("event")
        #expect(slow.told() == ["counter 31 events significant 31"])
        #expect(guest.ask("stats")["lagged"]?.integer == Int64(missed))
    }

    @Test func `one that reads some is told of what it missed before what comes next`() {
        let bench = Bench(.free(limits: [.outputBytes: 1_000]))
        let slow = watcher(bench, #""topics":["counters"]"#)
        let guest = bench.greet()
        for _ in 0..<20 { guest.notify("event") }
        var bytes: [UInt8] = []
        unsafe slow.client.output.drain { ready in
            unsafe bytes.append(contentsOf: ready.prefix(900))
            return 900
        }
        bench.turn { bench.core.outputDrained(slow.client) }
        guest.notify("event")
        let rest = slow.drained()
        let lines = String(decoding: bytes + rest, as: UTF8.self).split(separator: "\n")
        let told = try? lines.map { summary(try JSONValue(parsing: String($0))) }
        let count = lines.count - 2
        #expect(told?.suffix(2) == ["lagged \(20 - count)", "counter 21 events significant 21"])
    }

    @Test func `a second subscription replaces the first and counts anew`() {
        let bench = Bench()
        let guest = bench.greet()
        let watcher = watcher(bench, #""topics":["counters"]"#)
        _ = guest.ask("event")
        _ = watcher.ask("subscribe", #""topics":["decisions"]"#)
        _ = guest.ask("event")
        _ = guest.request()
        #expect(watcher.told() == ["decision 1 pending"])
        #expect(watcher.ask("unsubscribe")["unsubscribed"]?.bool == true)
        #expect(watcher.ask("unsubscribe")["unsubscribed"]?.bool == false)
        _ = guest.ask("activity")
        #expect(watcher.told() == [])
    }

    @Test func `the newest agent whose apps fit gets the prompt, and nobody else`() {
        let bench = Bench(.eager())
        let older = watcher(bench, #""agent":true"#, process: 7)
        let newer = watcher(bench, #""agent":true"#, process: 8)
        let other = watcher(bench, #""agent":true,"apps":["org.gnome.Maps"]"#, process: 9)
        let guest = bench.greet()
        _ = guest.request(#""debounce_ms":0,"deliver":"agent""#)
        #expect(guest.told() == ["granted"])
        #expect([older.told(), newer.told(), other.told()] == [[], ["prompt"], []])
        // Subscribing again makes the newest.
        _ = older.ask("subscribe", #""agent":true"#)
        bench.wait(2_000)
        _ = guest.request(#""debounce_ms":0,"deliver":"agent""#)
        #expect([older.told(), newer.told(), other.told()] == [["prompt"], [], []])
    }

    @Test func `an agent that asks itself gets the prompt and no granted`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.ask("subscribe", #""agent":true"#)
        _ = guest.request(#""debounce_ms":0,"deliver":"agent""#)
        #expect(guest.told() == ["prompt"])
    }

    @Test func `without an agent a request is refused, or cancelled when it is due`() {
        let bench = Bench()
        let guest = bench.greet()
        guest.send("request", #""deliver":"agent""#)
        #expect(guest.told() == ["2 refused no_agent"])
        let agent = watcher(bench, #""agent":true"#)
        _ = guest.request(#""deliver":"agent""#)
        agent.close()
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled no_agent"])
        #expect(bench.memory.disk.image.apps[.notes]?.grants == [])
    }

    @Test func `an agent's prompt outlives the requester, unless it is to confirm`() {
        let bench = Bench()
        let agent = watcher(bench, #""agent":true,"topics":["decisions"]"#)
        let guest = bench.greet()
        _ = guest.request(#""deliver":"agent""#)
        guest.close()
        bench.wait(2_000)
        #expect(agent.told() == ["decision 1 pending", "prompt", "decision 2 granted"])
        let second = bench.greet("org.gnome.Maps")
        bench.wait(.day)
        _ = second.request(#""deliver":"agent","confirm":true"#)
        second.close()
        #expect(agent.told() == ["decision 3 pending", "decision 4 cancelled disconnected"])
        #expect(bench.core.pendingTotal == 0)
    }

    @Test func `a requester that is gone cancels, one that only ended its input does not`() {
        let bench = Bench()
        let guest = bench.greet()
        let watcher = watcher(bench, #""topics":["decisions"]"#)
        _ = guest.request()
        guest.endInput()
        #expect(!guest.client.isDone)
        bench.wait(2_000)
        #expect(guest.told() == ["prompt"])
        #expect(guest.client.isDone)
        let second = bench.greet("org.gnome.Maps")
        bench.wait(.day)
        _ = second.request()
        second.close()
        #expect(
            watcher.told() == [
                "decision 1 pending", "decision 2 granted", "decision 3 pending",
                "decision 4 cancelled disconnected",
            ])
    }

    @Test func `an agent that has hung up is none, though its lines are not all carried out`() {
        let bench = Bench()
        let agent = watcher(bench, #""agent":true"#)
        let guest = bench.greet()
        _ = guest.request(#""deliver":"agent""#)
        agent.hangUp()
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled no_agent"])
        #expect(guest.ask("request", #""deliver":"agent""#)["decision"]?.string == "refused")
        #expect(bench.memory.disk.image.apps[.notes]?.grants == [])
    }

    @Test(arguments: ["", #""confirm":true"#, #""confirm":true,"deliver":"agent""#])
    func `a requester that has hung up gets no prompt that nobody would see`(params: String) {
        let bench = Bench()
        let agent = watcher(bench, #""agent":true,"topics":["decisions"]"#)
        let guest = bench.greet()
        _ = guest.request(params)
        guest.hangUp()
        bench.wait(2_000)
        #expect(agent.told() == ["decision 1 pending", "decision 2 cancelled disconnected"])
        #expect(bench.memory.disk.image.apps[.notes]?.grants == [])
        guest.close()
        #expect(bench.core.pendingTotal == 0)
    }

    @Test func `what it said before it hung up still counts: an agent shows what was confirmed`() {
        let bench = Bench()
        let agent = watcher(bench, #""agent":true"#)
        let guest = bench.greet()
        _ = guest.request(#""confirm":true,"deliver":"agent""#)
        bench.wait(2_000)
        guest.hangUp()
        guest.write(#"{"id":"confirm-1","result":true}"#)
        #expect(agent.told() == ["prompt"])
    }

    @Test(arguments: ["subscribe", "unsubscribe", "stop"])
    func `what a subscription missed is told before it ends`(end: String) {
        let bench = Bench(.free(limits: [.outputBytes: 200]))
        let slow = watcher(bench, #""topics":["counters"]"#)
        let guest = bench.greet()
        for _ in 0..<9 { guest.notify("event") }
        switch end {
        case "subscribe": slow.send("subscribe", #""topics":["counters"]"#)
        case "unsubscribe": slow.send("unsubscribe")
        default: bench.turn { bench.core.shutDown() }
        }
        let told = slow.told()
        #expect(told.dropLast(2).count < 9)
        #expect(
            told.suffix(2) == [
                "lagged \(9 - told.dropLast(2).count)",
                end == "stop" ? "bye shutting_down" : "2 ok",
            ])
    }

    @Test func `a subscription keeps a client whose input has ended`() {
        let bench = Bench()
        let watcher = watcher(bench, #""topics":["counters"]"#)
        watcher.endInput()
        #expect(!watcher.client.isDone)
    }

    @Test func `activity while the app is asked ends the asking`() {
        let bench = Bench(.free([.onActivity: .onActivity(.restart)]))
        let guest = bench.greet()
        _ = guest.request(#""confirm":true"#)
        bench.wait(2_000)
        #expect(guest.told() == ["confirm"])
        #expect(guest.ask("activity")["restarted"]?.bool == true)
        guest.write(#"{"id":"confirm-1","result":true}"#)
        #expect(guest.told() == [])
        bench.wait(2_000)
        #expect(guest.told() == ["confirm"])
        guest.write(#"{"id":"confirm-2","result":true}"#)
        #expect(guest.told() == ["prompt"])
    }

    @Test(arguments: [
        #"{"id":"confirm-1","result":false}"#, #"{"id":"confirm-1","result":1}"#,
        #"{"id":"confirm-1","error":{"code":1,"message":""}}"#,
    ])
    func `anything but true is no`(answer: String) {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request(#""confirm":true"#)
        bench.wait(2_000)
        guest.write(answer)
        #expect(guest.told() == ["confirm", "cancelled declined_by_app"])
        #expect(bench.memory.disk.image.apps[.notes]?.grants == [])
    }

    @Test func `nobody answers for another connection`() {
        let bench = Bench()
        let guest = bench.greet()
        let other = bench.greet(process: 2)
        _ = guest.request(#""confirm":true"#)
        bench.wait(2_000)
        other.write(#"{"id":"confirm-1","result":true}"#)
        bench.wait(2_000)
        #expect(guest.told() == ["confirm", "cancelled confirm_timeout"])
        #expect(other.told() == [])
    }
}
