import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// How much may be sent, and what counts.
struct RateTests {
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

    @Test func `only a turn with a message within its rates counts as one that accepted something`()
    {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 1]))
        let guest = bench.connect()
        #expect(guest.outcome(of: "ping") == "ok")
        #expect(bench.core.hasAccepted)
        #expect(guest.outcome(of: "ping") == "rate_limited")
        #expect(!bench.core.hasAccepted)
        let free = Bench(.free(limits: [.ratePerSec: 0]))
        #expect(!free.core.hasAccepted)
        #expect(free.connect().outcome(of: "ping") == "ok")
        #expect(free.core.hasAccepted)
    }

    @Test func `each element of a batch counts, unknown methods too, which are told first`() {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 3]))
        let guest = bench.connect()
        let pings = (1...3).map { guest.line("ping", id: $0) }
        let unknown = guest.line("nonsense", id: 0)
        guest.write("[\(unknown),\(pings.joined(separator: ",")),\(unknown)]")
        #expect(
            guest.told() == [
                "[0 error method_not_found, 1 ok, 2 ok, 3 error rate_limited, "
                    + "0 error method_not_found]"
            ])
    }

    @Test(arguments: [
        "rubbish", "{}", "[]", #"{"method":"nonsense"}"#, #"{"method":"ping","params":{"x":1}}"#,
        #"{"id":"confirm-1","result":true}"#, #"{"method":"ping","x":1}"#,
    ])
    func `what is no good request costs as much as one`(line: String) {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 2]))
        let guest = bench.connect()
        for _ in 0..<5 { guest.write(line) }
        _ = guest.told()
        #expect(guest.outcome(of: "ping") == "rate_limited")
        bench.sleep(1_000)
        #expect(guest.outcome(of: "ping") == "ok")
    }

    @Test
    func `a line that is too long costs as much as one, an answer that was asked for nothing`() {
        let bench = Bench(
            .free([.debounceMs: .integer(0)], limits: [.ratePerSec: 1, .rateBurst: 3]))
        let guest = bench.greet()
        _ = guest.request(#""confirm":true"#)
        #expect(guest.told() == ["confirm"])
        guest.write(#"{"id":"confirm-1","result":true}"#)
        #expect(guest.told() == ["prompt"])
        bench.turn { bench.core.receivedTooLong(from: guest.client) }
        #expect(guest.told() == ["null error line_too_long"])
        #expect(guest.outcome(of: "ping") == "rate_limited")
    }

    @Test(arguments: [
        ("reload", "", 10), ("repair_clock", "", 10), ("report", "", 201),
        ("report", #""app":"a""#, 201),
        ("apps", "", 21), ("apps", #""limit":1000"#, 111), ("stats", "", 1),
    ])
    func `what takes long costs more`(method: String, params: String, cost: Int) {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 300]))
        let guest = bench.connect()
        #expect(guest.outcome(of: method, params) != "rate_limited")
        var left = 0
        while guest.outcome(of: "ping") == "ok" { left += 1 }
        #expect(left == 300 - cost)
    }

    @Test func `what costs more than the burst needs all of it`() {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 5]))
        let guest = bench.connect()
        #expect(guest.outcome(of: "report") == "ok")
        #expect(guest.outcome(of: "ping") == "rate_limited")
        bench.sleep(4_000)
        let answer = guest.ask("report")
        #expect(answer["error"]?["data"]?["retry_after_ms"]?.integer == 1_000)
        bench.sleep(1_000)
        #expect(guest.outcome(of: "report") == "ok")
    }

    @Test func `rates can be off`() {
        let bench = Bench(.free(limits: [.ratePerSec: 0]))
        let guest = bench.connect()
        bench.turn { for _ in 0..<20_000 { guest.notify("ping") } }
        #expect(guest.outcome(of: "ping") == "ok")
    }
}
