import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// What simulated runs found in turns that are played again.
struct PlayAgainTests {
    @Test func `an outcome in the turn in which the store comes back is kept`() {
        let bench = Bench()
        let guest = bench.greet()
        let token = guest.request(#""debounce_ms":0"#)
        bench.memory.faults = [bench.memory.commits + 1: .broken]
        #expect(guest.outcome(of: "event") == "storage_unavailable")
        bench.memory.recoversOnUse = true
        bench.turn {
            guest.send("outcome", #""token":"\#(token)","result":"never""#)
            guest.send("event")
        }
        #expect(guest.told().suffix(2) == ["4 ok", "5 ok"])
        #expect(bench.memory.disk.image.apps[.notes]?.isOptedOut == true)
        #expect(bench.memory.disk.image.apps[.notes]?.grants.last?.outcome == .never)
    }

    @Test func `what came before a reload or the end is answered as before it, stored or not`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.files = .loaded(.free([.enabled: .flag(false)]), warnings: [])
        bench.memory.fault = .refused
        bench.turn {
            guest.send("request", #""debounce_ms":5000"#)
            guest.send("reload")
            guest.send("event")
            guest.send("request")
            bench.core.shutDown()
        }
        #expect(
            guest.told() == [
                "2 pending", "3 ok", "4 error storage_unavailable", "5 refused disabled",
                "cancelled shutting_down", "bye shutting_down",
            ])
    }

    @Test func `what is due in a turn that cannot be stored is not put off`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        let other = bench.connect(process: 2)
        bench.sleep(2_000)
        bench.memory.fault = .refused
        bench.turn {
            other.send("hello", #""app":"org.example.Notes","version":"2""#)
            other.send("forget", #""app":"org.example.Notes""#)
        }
        #expect(other.told() == ["1 ok", "2 error storage_unavailable"])
        #expect(guest.told() == ["cancelled storage_unavailable"])
    }

    @Test func `opting out of all again ends what is pending, too`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.memory.faults = [bench.memory.commits + 1: .syncFailed]
        bench.memory.recoversOnUse = true
        guest.send("opt_out", #""all":true"#)
        #expect(guest.told() == ["cancelled ineligible opted_out", "3 ok"])
        #expect(bench.memory.disk.isSynced)
    }

    @Test func `a request that was not due stays when the one that superseded it is undone`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.memory.faults = [bench.memory.commits + 1: .refused]
        bench.turn {
            bench.memory.readsFail = true
            guest.send("request", #""debounce_ms":0"#)
        }
        bench.memory.readsFail = false
        #expect(guest.told() == ["3 error storage_unavailable"])
        bench.wait(2_000)
        #expect(guest.told() == ["prompt"])
    }
}
