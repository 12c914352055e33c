import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// Answers that take several turns.
struct PiecesTests {
    private let bench: Bench

    init() {
        bench = Bench(
            .free(
                [.debounceMs: .integer(0), .sessionGapSec: .integer(0)],
                limits: [.appsPerUid: 10_000]))
    }

    /// Apps `a00`, `a01`, … of each of which one event is known.
    private func makeApps(_ count: Int) {
        let guest = bench.connect(process: 99)
        bench.turn {
            for number in 0..<count { guest.notify("event", #""app":"\#(name(number))""#) }
        }
        guest.close()
    }

    private func name(_ number: Int) -> String { "a" + (number < 10 ? "0" : "") + "\(number)" }

    private func rows(_ answer: JSONValue?) -> [String] {
        (answer?["result"]?["apps"]?.array ?? []).compactMap { row in
            row["app"]?.string.map { "\($0) \(row["events"]?.integer ?? -1)" }
        }
    }

    /// Goes on until there is an answer; how many turns that took.
    private func goOn(_ guest: Guest) -> Int {
        var turns = 0
        while guest.client.isUnfinished, turns < 1_000 {
            guest.goOn()
            turns += 1
        }
        return turns
    }

    @Test func `a list takes a turn for every sixteen apps, and others are answered between`() {
        makeApps(40)
        bench.isPatient = true
        let guest = bench.connect()
        let other = bench.connect(process: 2)
        guest.send("apps")
        guest.goOn()
        guest.goOn()
        #expect(guest.told().isEmpty)
        #expect(other.outcome(of: "event", #""app":"a39""#) == "ok")
        #expect(other.outcome(of: "event", #""app":"a00""#) == "ok")
        #expect(goOn(guest) == 1)
        let lines = guest.readLines()
        let wanted = (0..<40).map { "\(name($0)) \($0 == 39 ? 2 : 1)" }
        #expect(lines.count == 1 && rows(lines[0]) == wanted)
        #expect(lines[0]["result"]?["next"] == nil)
    }

    @Test func `what the turn itself has changed is in the list, in its place`() {
        makeApps(40)
        bench.isPatient = true
        let guest = bench.connect()
        guest.send("apps", #""limit":1000"#)
        for app in ["a155", "a15x", "zz", "A"] {
            bench.turn {
                guest.notify("event", #""app":"\#(app)""#)
                bench.core.goOn(with: guest.client)
            }
        }
        let names = rows(guest.readLines().first).map { $0.prefix { $0 != " " } }
        // `A` came behind its place.
        #expect(
            names == (0..<16).map { name($0)[...] } + ["a155", "a15x"]
                + (16..<40).map { name($0)[...] } + [
                    "zz"
                ])
    }

    @Test(arguments: [(39, "a38"), (40, nil), (41, nil), (16, "a15"), (1, "a00")])
    func `a page is as long as asked for, and says where the next begins`(
        limit: Int, next: String?
    ) {
        makeApps(40)
        let guest = bench.connect()
        let page = guest.ask("apps", #""limit":\#(limit)"#)
        #expect(page["apps"]?.array?.count == min(limit, 40))
        #expect(page["next"]?.string == next)
    }

    @Test func `a page passes over a hundred apps that are not listed, and ends`() {
        makeApps(1)
        for number in 0..<250 {
            bench.greet("b\(1000 + number)").close()
        }
        let guest = bench.connect()
        _ = guest.ask("event", #""app":"c""#)
        var names: [String] = []
        var cursor = ""
        var pages = 0
        repeat {
            let page = guest.ask("apps", #""limit":1\#(cursor)"#)
            names += (page["apps"]?.array ?? []).compactMap { $0["app"]?.string }
            cursor = page["next"]?.string.map { #","cursor":"\#($0)""# } ?? ""
            pages += 1
        } while !cursor.isEmpty && pages < 10
        #expect(names == ["a00", "c"])
        #expect(pages == 3)
    }

    @Test func `a report takes a turn for every 32 lines of the funnel`() {
        let guest = bench.greet(process: 7)
        for _ in 0..<40 {
            _ = guest.ask("review_url")
            bench.sleep(.day)
        }
        bench.turn { bench.core.storeWholeFunnel() }
        bench.isPatient = true
        for params in ["", #""app":"org.example.Notes""#] {
            guest.send("report", params)
            #expect(goOn(guest) == 2)
            let report = guest.readLines().first?["result"]
            #expect(report?["manual_reviews"]?.integer == 40)
        }
    }

    @Test func `further lines wait, a batch too takes pieces, and its answer is one line`() {
        bench.isPatient = true
        let guest = bench.connect()
        let events = (1...100).map { guest.line("event", #""app":"a""#, id: $0) }
        guest.write("[\(events.joined(separator: ","))]")
        #expect(guest.told().isEmpty)
        // What is counted so far is stored, and told to others.
        let other = bench.connect(process: 2)
        #expect(other.ask("status", #""app":"a""#)["events"]?.integer == 64)
        #expect(goOn(guest) == 1)
        let wanted = (1...100).map { "\($0) ok" }.joined(separator: ", ")
        #expect(guest.told() == ["[\(wanted)]"])
    }

    private func pings(_ guest: Guest, _ ids: ClosedRange<Int>) -> String {
        ids.map { guest.line("ping", id: $0) }.joined(separator: ",")
    }

    @Test func `what a batch starts is told behind its answer, whenever it happens`() {
        bench.isPatient = true
        let guest = bench.greet()
        let other = bench.connect(process: 2)
        for guest in [guest, other] { _ = guest.ask("subscribe", #""topics":["decisions"]"#) }
        guest.write("[\(guest.line("request", id: 1)),\(pings(guest, 2...99))]")
        bench.wait(1)
        #expect(guest.told().isEmpty)
        #expect(other.told() == ["decision 1 pending", "decision 2 granted"])
        #expect(goOn(guest) == 1)
        let told = guest.told()
        #expect(told.first?.hasPrefix("[1 pending, 2 ok, ") == true)
        #expect(told.dropFirst() == ["decision 1 pending", "prompt", "decision 2 granted"])
        #expect(guest.outcome(of: "ping") == "ok")
    }

    @Test func `what a batch ends is told before its answer, in whichever piece`() {
        bench.isPatient = true
        let guest = bench.greet()
        _ = guest.request(#""debounce_ms":5000"#)
        guest.write("[\(pings(guest, 1...99)),\(guest.line("activity", id: 100))]")
        #expect(guest.told().isEmpty)
        #expect(goOn(guest) == 1)
        let told = guest.told()
        #expect(told.count == 2 && told.first == "cancelled activity")
    }

    @Test func `the end of the daemon answers what is left with an error, and then says bye`() {
        makeApps(40)
        bench.isPatient = true
        let list = bench.connect()
        let batch = bench.connect(process: 2)
        list.send("apps")
        batch.write("[\(pings(batch, 1...99)),\(batch.line("apps", id: 100))]")
        bench.turn { bench.core.shutDown() }
        #expect(list.told() == ["1 error shutting_down", "bye shutting_down"])
        let told = batch.told()
        #expect(told.count == 2 && told.last == "bye shutting_down")
        #expect(told.first?.hasSuffix("99 error shutting_down, 100 error shutting_down]") == true)
    }

    @Test func `a store that cannot be read in the middle is an error`() {
        makeApps(40)
        bench.isPatient = true
        let guest = bench.connect()
        guest.send("apps")
        guest.goOn()
        bench.memory.readsFail = true
        guest.goOn()
        #expect(guest.told() == ["1 error storage_unavailable"])
    }

    @Test func `a turn that cannot be stored takes back its piece, which comes again`() {
        makeApps(40)
        bench.isPatient = true
        let guest = bench.connect()
        guest.send("apps")
        guest.goOn()
        let other = bench.connect(process: 2)
        bench.memory.fault = .refused
        bench.turn {
            other.send("event", #""app":"a30""#)
            bench.core.goOn(with: guest.client)
        }
        #expect(other.told() == ["1 error storage_unavailable"])
        bench.memory.fault = nil
        #expect(goOn(guest) == 1)
        #expect(rows(guest.readLines().first) == (0..<40).map { "\(name($0)) 1" })
    }

    @Test func `who is gone is not answered any more`() {
        makeApps(40)
        bench.isPatient = true
        let guest = bench.connect()
        guest.send("apps")
        guest.goOn()
        guest.close()
        #expect(!guest.client.isUnfinished)
        guest.goOn()
        #expect(bench.core.clientCount == 0)
    }
}
