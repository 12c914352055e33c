import Glibc
import Testing

@testable import RatingDaemon

/// Random lives of a daemon, judged by a witness who knows SPEC and nothing of the daemon's code.
///
/// `RATINGD_SIM_SEED` is the seed of the first run (else 1), `RATINGD_SIM_COUNT` how many runs
/// there are (else as many as fit in some seconds). A failure prints its seed and a shrunk script.
struct SimulationTests {
    @Test func `every run is what SPEC says`() {
        let first = Self.number("RATINGD_SIM_SEED") ?? 1
        let count = Self.number("RATINGD_SIM_COUNT")
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(15))
        var seed = first
        var failures = 0
        while failures < 3, count.map({ seed - first < $0 }) ?? (clock.now < end) {
            if Self.number("RATINGD_SIM_TRACE") != nil { print("seed \(seed)") }
            let script = ScriptWriter.script(seed: seed)
            if script.play() != nil {
                failures += 1
                Self.report(script.shrunk())
            }
            seed += 1
        }
        print("simulation: seeds \(first)..<\(seed), \(failures) bad")
    }

    @Test func `a disk that syncs nothing is found out, by a short script`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var script = ScriptWriter.script(seed: seed)
            script.syncs = false
            guard script.play() != nil else { continue }
            let shrunk = script.shrunk()
            #expect(shrunk.play() != nil)
            #expect(shrunk.steps.count <= 8, "\(shrunk.text)")
            return
        }
        Issue.record("twenty lives on a disk that syncs nothing, and nothing is wrong")
    }

    private static func report(_ script: Script) {
        let complaint = script.play()?.complaint ?? "nothing"
        Issue.record("RATINGD_SIM_SEED=\(script.seed): \(complaint)\n\(script.text)")
    }

    private static func number(_ name: String) -> UInt64? {
        unsafe getenv(name).flatMap { unsafe UInt64(String(cString: $0)) }
    }
}
