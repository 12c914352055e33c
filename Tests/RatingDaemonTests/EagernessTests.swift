import Testing

@testable import RatingDaemon

/// Who is looked out for before the loop sleeps.
struct EagernessTests {
    private func isEager(after waits: [Int64], accepted: Bool = true) -> Bool {
        var eagerness = Eagerness()
        for wait in waits { eagerness.waited(nanoseconds: wait) }
        return eagerness.isEager(after: accepted)
    }

    @Test func `who was waited for a moment only is looked out for`() {
        #expect(isEager(after: [Eagerness.pauseMax - 1]))
        #expect(isEager(after: [1_000_000_000, 20_000]))
    }

    @Test func `nobody else is`() {
        #expect(!isEager(after: []))
        #expect(!isEager(after: [Eagerness.pauseMax]))
        #expect(!isEager(after: [20_000, 20_000, Eagerness.pauseMax]))
    }

    @Test func `nor is who is over its rate`() {
        #expect(!isEager(after: [20_000], accepted: false))
    }

    @Test func `a look in vain takes no longer than a short wait`() {
        #expect(Eagerness.lookMax < Eagerness.pauseMax)
    }
}
