import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// What is kept in memory, and what is let go.
struct MemoryTests {
    @Test func `apps nobody uses are let go, and come back as they were`() {
        let most = Core.appsKeptMax * 2
        let bench = Bench(.free(limits: [.ratePerSec: 0, .appsPerUid: 100_000]))
        let guest = bench.greet()
        let other = bench.connect(process: 2)
        let pending = #""app":"waits","version":"1","debounce_ms":600000"#
        _ = other.ask("request", pending)
        for first in stride(from: 0, to: most + 500, by: 500) {
            bench.turn {
                for app in first..<first + 500 { other.notify("event", #""app":"a\#(app)""#) }
            }
        }
        bench.turn {}
        bench.turn {}
        #expect(bench.core.apps.count <= most)
        #expect(bench.core.apps[.notes] != nil)
        #expect(bench.core.apps[AppKey(user: .daemon, app: .named("waits"))]?.pending != nil)
        #expect(guest.ask("status", #""app":"a0""#)["events"]?.integer == 1)
        #expect(guest.ask("event", #""app":"a0""#)["events"]?.integer == 2)
        #expect(bench.memory.disk.image.apps.count == 9_001)
        bench.wait(600_000)
        #expect(other.told().last == "prompt")
    }

    @Test func `apps in use are not looked through again and again`() {
        let most = Core.appsKeptMax * 2
        let bench = Bench(
            .free(limits: [.ratePerSec: 0, .connectionsPerUid: 100_000, .connections: 100_000]))
        bench.turn {
            for number in 0...most {
                let guest = bench.connect(process: Int32(number))
                guest.send("hello", #""app":"a\#(number)","version":"1""#)
            }
        }
        #expect(bench.core.apps.count == most + 1)
        #expect(bench.core.appsSweptAt == (most + 1) * 5 / 4)
    }

    @Test func `users nobody needs are let go`() {
        let bench = Bench(scope: .system)
        for user in 0..<UserID(Core.usersKeptMax + 100) {
            bench.connect(user: 2_000 + user).close()
        }
        bench.turn {}
        #expect(bench.core.users.count <= Core.usersKeptMax)
        #expect(bench.core.usersSweptAt == Core.usersKeptMax)
    }

    @Test func `an app in memory is not read again`() {
        let bench = Bench()
        let guest = bench.greet()
        let reads = bench.memory.reads
        for _ in 0..<10 { _ = guest.ask("event") }
        #expect(bench.memory.reads == reads)
    }

    @Test func `a new process knows what was stored`() {
        let bench = Bench(.eager())
        let guest = bench.greet()
        for _ in 0..<3 { _ = guest.ask("event") }
        _ = guest.ask("session")
        let token = guest.request(#""debounce_ms":0"#)
        let status = guest.ask("status").text()
        bench.restart()
        let again = bench.greet()
        #expect(again.ask("status").text() == status)
        let outcome = #""token":"\#(token)","result":"rated""#
        #expect(again.outcome(of: "outcome", outcome) == "ok")
        #expect(again.ask("request")["reasons"]?.text() == #"["rated"]"#)
    }

    @Test func `what was pending is gone with the process, and nothing is granted`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.restart()
        let again = bench.greet()
        bench.wait(10_000)
        #expect(again.told() == [])
        #expect(again.ask("status")["pending"] == .null)
        #expect(bench.memory.disk.image.apps[.notes]?.grants == [])
    }

    @Test func `a restart grants nothing that the ledger forbids`() {
        let bench = Bench()
        _ = bench.greet().request(#""debounce_ms":0"#)
        bench.restart()
        let guest = bench.greet(version: "2")
        #expect(
            guest.ask("request")["reasons"]?.text()
                == #"["outstanding","interval","user_interval"]"#)
    }

    @Test func `reading the configuration again applies to what is pending`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = guest.request()
        bench.files = .loaded(.free([.enabled: .flag(false)]), warnings: ["a warning"])
        let answer = guest.ask("reload")
        #expect(answer.text() == #"{"reloaded":true,"warnings":["a warning"]}"#)
        bench.wait(2_000)
        #expect(guest.told() == ["cancelled ineligible disabled"])
        bench.files = .kept(reason: "no such directory")
        #expect(guest.ask("reload")["reason"]?.string == "no such directory")
        #expect(guest.ask("request")["reasons"]?.text() == #"["disabled"]"#)
    }

    @Test func `an unreadable configuration grants nothing until it is read`() {
        let bench = Bench()
        bench.core.configurationProblem = "the configuration cannot be read"
        let guest = bench.greet()
        #expect(guest.outcome(of: "request") == "storage_unavailable")
        #expect(guest.outcome(of: "event") == "ok")
        bench.files = .loaded(.free, warnings: [])
        _ = guest.ask("reload")
        #expect(guest.outcome(of: "request") == "ok")
    }

    @Test func `the funnel goes along with the next commit, or by itself`() {
        let bench = Bench(.with([:]))
        let guest = bench.greet()
        _ = guest.ask("request")
        #expect(bench.memory.disk.image.funnel.isEmpty)
        #expect(guest.ask("report")["requests"]?.integer == 1)
        _ = guest.ask("event")
        #expect(bench.memory.disk.image.funnel.count == 5)
        _ = guest.ask("request")
        bench.core.storeWholeFunnel()
        #expect(!bench.core.hasFunnelToStore)
        bench.restart()
        #expect(bench.greet().ask("report")["requests"]?.integer == 2)
    }
}
