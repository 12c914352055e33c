import RatingControl
import RatingWire
import Testing

@testable import RatingBench

struct FiguresTests {
    private func figures(_ change: (inout Tally) -> Void, uncounted: Int? = 0) throws -> Figures {
        var tally = Tally()
        change(&tally)
        return Figures(
            server: "ratingd/1", options: try BenchOptions([]), tally: tally,
            nanoseconds: 2_000_000_000, serverNanoseconds: 1_000_000_000, ownNanoseconds: nil,
            uncounted: uncounted)
    }

    private let refusal = JSONValue.object([
        .init("message", .string("too many requests")),
        .init("data", .object([.init("reason", .string("rate_limited"))])),
    ])

    @Test func `answers and notifications make the rate, errors do not`() throws {
        let figures = try figures { tally in
            for _ in 0..<4 { tally.answered(after: 5_000) }
            for _ in 0..<2 { tally.letGo(.notify) }
            tally.failed(refusal)
        }
        #expect(figures.perSecond == 3)
        #expect(figures.json["per_second"] == .double(3))
        #expect(figures.json["errors"] == .object([.init("rate_limited", .integer(1))]))
        // Half of a second for each of seven requests.
        #expect(figures.json["server_cpu_us_per_request"] == .double(142_857.143))
        #expect(figures.json["own_cpu_share"] == .null)
    }

    @Test func `times are told in microseconds`() throws {
        let figures = try figures { $0.answered(after: 100) }
        #expect(figures.json["latency_us"]?["median"] == .double(0.1))
        #expect(figures.json["latency_us"]?["worst"] == .double(0.1))
    }

    @Test func `without answers there are no times`() throws {
        let figures = try figures { $0.letGo(.notify) }
        #expect(figures.json["latency_us"] == .object([]))
    }

    @Test func `all well is nothing to complain of`() throws {
        #expect(try figures { $0.answered(after: 1) }.complaint == nil)
    }

    @Test func `a limit that was hit is named, and how to go without`() throws {
        let complaint = try figures { $0.failed(refusal) }.complaint
        #expect(complaint?.code == .no)
        #expect(complaint?.message.contains("too many requests") == true)
        #expect(complaint?.hint?.contains("RateLimitPerSec=0") == true)
    }

    @Test func `notifications that nobody counted are told of`() throws {
        let complaint = try figures({ $0.letGo(.notify) }, uncounted: 1).complaint
        #expect(complaint?.message.contains("1 events were not counted") == true)
        #expect(complaint?.hint?.contains("RateLimitPerSec=0") == true)
    }

    @Test func `events that were answered and not counted are no matter of a limit`() throws {
        let complaint = try figures({ $0.letGo(.event) }, uncounted: 1).complaint
        #expect(complaint?.code == .no)
        #expect(complaint?.hint == nil)
    }

    @Test func `long times are in milliseconds for people`() {
        #expect(timeText(999.94) == "999.9 µs")
        #expect(timeText(12_345) == "12.3 ms")
    }

    @Test func `large numbers are grouped`() {
        #expect(grouped(0) == "0")
        #expect(grouped(999) == "999")
        #expect(grouped(1_000) == "1,000")
        #expect(grouped(1_234_567) == "1,234,567")
        #expect(grouped(-123_456) == "-123,456")
    }
}
