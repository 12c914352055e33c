import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// What ends comes before the answer, what starts comes after it.
struct OrderTests {
    @Test func `cancelled comes before the answer that caused it`() {
        let bench = Bench()
        let guest = bench.greet()
        for method in ["activity", "cancel", "opt_out"] {
            guest.send("request")
            guest.send(method)
            let told = guest.told()
            #expect(told.count == 3 && told[1].hasPrefix("cancelled"), "\(told)")
        }
    }

    @Test func `a newer request tells of the older one first`() {
        let bench = Bench()
        let guest = bench.greet()
        let other = bench.greet(process: 2)
        guest.send("request")
        other.send("request")
        other.send("request")
        #expect(guest.told() == ["2 pending", "cancelled superseded"])
        #expect(other.told() == ["2 pending", "cancelled superseded", "3 pending"])
    }

    @Test func `the prompt comes after the answers of its turn`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.turn {
            guest.send("request", #""debounce_ms":0"#)
            guest.send("ping")
        }
        #expect(guest.told() == ["2 pending", "3 ok", "prompt"])
    }

    @Test func `a batch is told in one line between what it ends and what it starts`() {
        let bench = Bench()
        let guest = bench.greet()
        let watcher = bench.connect(process: 2)
        _ = watcher.ask("subscribe", #""topics":["decisions","counters"]"#)
        _ = guest.request()
        _ = watcher.told()
        guest.write(
            "["
                + [
                    guest.line("event", id: 11), guest.line("activity", id: 12),
                    #"{"method":"event"}"#, guest.line("request", #""debounce_ms":0"#, id: 13),
                    "3",
                ].joined(separator: ",") + "]")
        #expect(
            guest.told() == [
                "cancelled activity", "[11 ok, 12 ok, 13 pending, null error invalid_request]",
                "prompt",
            ])
        #expect(
            watcher.told() == [
                "counter 2 events significant 1", "decision 3 cancelled activity",
                "counter 4 events significant 2", "decision 5 pending", "decision 6 granted",
            ])
    }

    @Test func `a batch of notifications has no answer`() {
        let bench = Bench()
        let guest = bench.greet()
        guest.write(#"[{"method":"event"},{"method":"no_such"},{"method":"event"}]"#)
        #expect(guest.told() == [])
        #expect(guest.ask("status")["events"]?.integer == 2)
        #expect(guest.ask("stats")["notifications_refused"]?.integer == 1)
    }

    @Test func `outcome and request in one turn: the request is refused`() {
        let bench = Bench(.eager([.daysAfterLater: .integer(14)]))
        let guest = bench.greet()
        let token = guest.request(#""debounce_ms":0"#)
        bench.wait(5_000)
        _ = guest.told()
        bench.turn {
            guest.send("outcome", #""token":"\#(token)","result":"later""#)
            guest.send("request")
        }
        #expect(guest.told() == ["3 ok", "4 refused later"])
    }

    @Test func `an outcome in the turn of its grant is known`() {
        let bench = Bench()
        let guest = bench.greet()
        let token = guest.request(#""confirm":true"#)
        bench.wait(2_000)
        #expect(guest.told() == ["confirm"])
        bench.turn {
            guest.write(#"{"id":"confirm-1","result":true}"#)
            guest.send("outcome", #""token":"\#(token)","result":"rated""#)
        }
        #expect(guest.told() == ["prompt", "3 ok"])
    }

    @Test func `activity in the turn in which the quiet time ends cancels`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.sleep(2_000)
        guest.send("activity")
        #expect(guest.told() == ["cancelled activity", "3 ok"])
    }

    @Test func `a yes in the turn in which its time ends is too late`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request(#""confirm":true"#)
        bench.wait(2_000)
        bench.sleep(2_000)
        guest.write(#"{"id":"confirm-1","result":true}"#)
        #expect(guest.told() == ["confirm", "cancelled confirm_timeout"])
    }

    @Test func `nothing is told before the turn is stored`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.turn {
            guest.send("event")
            #expect(guest.client.output.count > 0)
            #expect(guest.client.output.readyCount == 0)
            #expect(guest.told() == [])
        }
        #expect(guest.told() == ["2 ok"])
    }

    @Test func `shutting down ends what is pending, says goodbye and answers no more`() {
        let bench = Bench()
        let guest = bench.greet()
        let watcher = bench.connect(process: 2)
        _ = watcher.ask("subscribe", #""topics":["decisions"]"#)
        _ = guest.request()
        bench.turn {
            guest.send("ping")
            bench.core.shutDown()
            guest.send("no_such_method")
            guest.send("event")
        }
        #expect(
            Array(guest.told().prefix(3)) == [
                "3 ok", "cancelled shutting_down", "bye shutting_down",
            ])
        #expect(
            watcher.told() == [
                "decision 1 pending", "decision 2 cancelled shutting_down", "bye shutting_down",
            ])
        #expect(guest.client.isDone)
        #expect(bench.core.pendingTotal == 0)
    }
}
