import RatingPolicy
import Testing

@testable import RatingDaemon

struct RecoveryPaceTests {
    private let start = Moment.start.monotonic

    /// The pauses before the first tries, all of which fail.
    private func pauses(syncSec: Int64) -> [Milliseconds] {
        var pace = RecoveryPace()
        var now = start
        return (0..<8).map { _ in
            pace.failed(at: now, syncSec: syncSec)
            defer { now = pace.due ?? now }
            return pace.due?.millisecondsLeft(from: now) ?? 0
        }
    }

    @Test func `the first try is when the sync was due, the next ones are further apart`() {
        #expect(
            pauses(syncSec: 5) == [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000, 60_000])
        #expect(pauses(syncSec: 60).allSatisfy { $0 == 60_000 })
    }

    @Test func `a disk that fails has its rest without a SyncSec, too`() {
        #expect(pauses(syncSec: 0).prefix(3) == [1_000, 2_000, 4_000])
    }

    @Test func `nothing is due of what is settled, and the next failure begins anew`() {
        var pace = RecoveryPace()
        #expect(pace.due == nil)
        pace.failed(at: start, syncSec: 5)
        pace.failed(at: start, syncSec: 5)
        pace.settled()
        #expect(pace.due == nil)
        pace.failed(at: start, syncSec: 5)
        #expect(pace.due == start.adding(5_000))
    }
}
