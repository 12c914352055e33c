import TestSupport
import Testing

/// Years of random lives in milliseconds, against an oracle that knows SPEC and not the code.
///
/// `RATINGD_TEST_SEED=… swift test --filter RandomLifeTests` plays the same lives again.
struct RandomLifeTests {
    private static let seed = Seeded.seed(of: "random lives")

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `the policy does what the whole history says`(batch: UInt64) {
        var prompts = 0
        for run in 0..<500 as Range<UInt64> {
            let seed = Self.seed &+ batch &* 500 &+ run
            do throws(Life.Mismatch) {
                prompts += try Life.live(seed: seed).grants.count
            } catch {
                Issue.record("seed \(Self.seed), life \(seed): \(error)")
                return
            }
        }
        // A test in which nobody is ever prompted would prove nothing.
        #expect(prompts > 500)
    }
}
