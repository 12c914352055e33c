import RatingPolicy
import Testing

struct FunnelTests {
    @Test func `every step has a key that leads back to it`() {
        let steps: [(FunnelStep, String)] = [
            (.request, "request"), (.refusedTotal, "refused"), (.pending, "pending"),
            (.granted, "granted"), (.manualReview, "manual_review"),
            (.refused("version"), "refused:version"), (.refused("event:a:b"), "refused:event:a:b"),
            (.refused("event:\u{301}é"), "refused:event:\u{301}é"),
            (.cancelled("confirm_timeout"), "cancelled:confirm_timeout"),
        ]
        for (step, key) in steps {
            #expect(step.key == key)
            #expect(FunnelStep(key: key) == step)
        }
    }

    @Test(arguments: ["", "requests", "Granted", "cancelled", "granted:x", ":", "refuse:version"])
    func `what is no step`(key: String) {
        #expect(FunnelStep(key: key) == nil)
    }

    @Test func `events whose names differ in bytes alone are different reasons`() {
        let composed = FunnelStep.refused("event:\u{E9}")
        let decomposed = FunnelStep.refused("event:e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `it is kept for 400 days`() {
        #expect(FunnelStep.daysKept == 400)
    }
}
