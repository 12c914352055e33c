import RatingPolicy
import RatingWire
import Testing

@testable import RatingDaemon

/// What the log is told of clients, and how often.
struct LogTests {
    private func suppressed(_ entry: LogEntry?) -> String? {
        entry?.fields.first { $0.field == .suppressed }?.value
    }

    @Test func `ten thousand bad lines are one entry of the log`() {
        let bench = Bench(.free(limits: [.outputBytes: 100_000_000]))
        let guest = bench.greet()
        _ = bench.core.takeLog()
        bench.turn { for _ in 0..<10_000 { guest.write("nonsense") } }
        #expect(bench.core.takeLog().map(\.kind) == [.badInput])
        bench.sleep(10_000)
        guest.write("nonsense")
        let entry = bench.core.takeLog().first
        #expect(entry?.fields.contains { $0 == (.suppressed, "9999") } == true)
    }

    @Test func `bad input is logged also by a turn that cannot be stored`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = bench.core.takeLog()
        bench.memory.fault = .refused
        bench.turn {
            guest.write("nonsense")
            guest.send("event")
        }
        #expect(bench.core.takeLog().map(\.kind) == [.badInput])
    }

    @Test func `what was held back is told when its time is over, though nothing else happens`() {
        let bench = Bench()
        let guest = bench.greet()
        _ = bench.core.takeLog()
        bench.turn { for _ in 0..<100 { guest.write("nonsense") } }
        #expect(bench.core.takeLog().map(suppressed) == ["0"])
        #expect(bench.core.nextDeadline == bench.now.monotonic.adding(10_000))
        bench.wait(9_999)
        #expect(bench.core.takeLog().isEmpty)
        bench.wait(1)
        let log = bench.core.takeLog()
        #expect(log.map(\.kind) == [.badInput])
        #expect(log.map(suppressed) == ["98"])
        #expect(log.first?.fields.contains { $0 == (.process, "1") } == true)
        #expect(bench.core.nextDeadline == nil)
    }

    @Test func `nothing held back means no wake-up`() {
        let bench = Bench()
        let guest = bench.greet()
        guest.write("nonsense")
        #expect(bench.core.nextDeadline == nil)
    }

    @Test func `what was held back is told once, also by a turn that cannot be stored`() {
        let bench = Bench()
        let guest = bench.greet()
        for _ in 0..<3 { guest.write("nonsense") }
        _ = bench.core.takeLog()
        bench.memory.fault = .refused
        bench.sleep(10_000)
        guest.send("event")
        bench.memory.fault = nil
        bench.wait(10_000)
        #expect(bench.core.takeLog().filter { $0.kind == .badInput }.map(suppressed) == ["1"])
    }

    @Test func `reloads without end are a few entries a minute`() {
        let bench = Bench(.free(limits: [.ratePerSec: 0]))
        let guest = bench.connect()
        for _ in 0..<50 { _ = guest.ask("reload") }
        #expect(bench.core.takeLog().count == Core.entriesPerMinuteMax)
        bench.wait(60_000)
        #expect(bench.core.takeLog().map(suppressed) == ["29"])
    }

    @Test func `who is unknown is told why, and so is the log, now and then`() {
        let bench = Bench()
        let guest = bench.connect(
            identity: .unknown, doubt: "open '/proc/1/root' failed: Permission denied")
        _ = bench.core.takeLog()
        let answer = guest.ask("session", #""app":"a","version":"1""#)
        let error = answer["error"]
        #expect(reason(of: answer) == "not_permitted")
        #expect(
            error?["message"]?.string?.hasSuffix("'/proc/1/root' failed: Permission denied") == true
        )
        #expect(error?["data"]?["identity"]?["source"]?.string == "unknown")
        #expect(guest.outcome(of: "apps") == "not_permitted")
        let log = bench.core.takeLog()
        #expect(log.map(\.kind) == [.peerUnknown])
        #expect(log.first?.fields.first { $0.field == .error }?.value.hasPrefix("open") == true)
        let whoami = guest.ask("whoami")
        #expect(whoami["doubt"]?.string?.hasPrefix("open") == true)
        #expect(bench.connect().ask("whoami")["doubt"] == nil)
    }
}
