import RatingPolicy
import TestSupport
import Testing

/// Stored times under clocks that were wrong (SPEC 3.4).
struct StampTests {
    private let year: Milliseconds = 365 * 86_400_000

    @Test func `the age is the time since, and 0 in the future`() {
        let stamp = Stamp(.start)
        #expect(stamp.age(at: .start + 5) == 5)
        #expect(stamp.age(at: .start) == 0)
        #expect(stamp.age(at: .start - 1) == 0)
        #expect(stamp.age(at: WallTime(milliseconds: .min)) == 0)
        #expect(stamp.isAhead(of: .start - 1))
        #expect(!stamp.isAhead(of: .start))
    }

    @Test func `a repair changes nothing of a stamp that is not ahead`() {
        let stamp = Stamp(.start)
        #expect(stamp.repaired(at: .start) == stamp)
        #expect(stamp.repaired(at: .start + year) == stamp)
    }

    @Test func `a repaired stamp ages from the repair until its first time comes`() {
        let stamp = Stamp(.start + 2 * year).repaired(at: .start)
        #expect(stamp == Stamp(.start + 2 * year, repaired: .start))
        #expect(stamp.age(at: .start - 1) == 0)
        #expect(stamp.isAhead(of: .start - 1))
        #expect(stamp.age(at: .start) == 0)
        #expect(!stamp.isAhead(of: .start))
        #expect(stamp.age(at: .start + year) == year)
        #expect(stamp.age(at: .start + 2 * year - 1) == 2 * year - 1)
        #expect(stamp.age(at: .start + 2 * year) == 0)
        #expect(stamp.age(at: .start + 2 * year + 7) == 7)
    }

    @Test func `it never counts as a time in the future`() {
        let stamps = [Stamp(.start), Stamp(.start + 9, repaired: .start + 3)]
        for stamp in stamps {
            for offset in -12...12 as ClosedRange<Int64> {
                #expect(stamp.effective(at: .start + offset) <= .start + offset)
            }
        }
    }

    @Test func `a second repair leaves a repaired stamp as it is, unless that is ahead too`() {
        let once = Stamp(.start + year).repaired(at: .start)
        #expect(once.repaired(at: .start + 5) == once)
        #expect(once.repaired(at: .start - 5) == Stamp(.start + year, repaired: .start - 5))
    }

    @Test func `next eligible sees a rule that holds for a while and then no more`() {
        let day: Milliseconds = 86_400_000
        var app = App(.open([.minIntervalDays: 7, .daysUntilPrompt: 12]))
        app.state.record.firstSeen = Stamp(.start)
        // Old enough from day 7 to day 10, and then young again.
        var grant = Grant.made(at: .start + 10 * day, outcome: .failed, reportedAt: .start)
        grant.grantedAt = grant.grantedAt.repaired(at: .start)
        app.state.record.grants = [grant]
        #expect(app.nextEligible == .start + 17 * day)
        app.policy = .open([.minIntervalDays: 7, .daysUntilPrompt: 8])
        #expect(app.nextEligible == .start + 8 * day)
        app.now.wall = .start + 9 * day
        #expect(app.nextEligible == .start + 9 * day)
        app.now.wall = .start + 10 * day
        #expect(app.nextEligible == .start + 17 * day)
    }

    @Test func `a repair under a wrong clock frees nothing for good`() {
        // A right stamp, then a clock ten years behind, a repair, and the right clock again.
        let stamp = Stamp(.start).repaired(at: .start - 10 * year)
        #expect(stamp.age(at: .start) == 0)
        #expect([stamp].count(youngerThan: year, at: .start) == 1)
        #expect([stamp].earliest(with: 1, youngerThan: year, from: .start) == .start + year)
    }

    @Test(arguments: [1, 9, 10, 11, 25] as [Milliseconds])
    func `the earliest time of an age is exact before, between and after`(span: Milliseconds) {
        let stamps = [
            Stamp(.start), Stamp(.start + 10), Stamp(.start + 10, repaired: .start),
            Stamp(.start + 10, repaired: .start + 9), Stamp(.start + 10, repaired: .start - 20),
        ]
        for stamp in stamps {
            for offset in -15...50 as ClosedRange<Int64> {
                let from = WallTime.start + offset
                let searched = (0...100 as ClosedRange<Int64>).map { from + $0 }
                    .first { stamp.age(at: $0) >= span }
                #expect(stamp.earliest(ofAge: span, from: from) == searched)
            }
        }
    }

    @Test func `for several stamps the earliest time is found by looking at every time`() {
        var random = Seeded(Seeded.seed(of: "stamps"))
        for round in 0..<400 {
            let stamps = (0..<random.number(0...5)).map { _ in
                Stamp(
                    .start + random.number(0...40),
                    repaired: random.isTrue(oneIn: 2) ? .start + random.number(0...40) : nil)
            }
            let span: Milliseconds = random.number(1...30)
            let cap = Int(random.number(1...4))
            let from = WallTime.start + random.number(-10...60)
            let times = (0...200 as ClosedRange<Int64>).map { from + $0 }
            let all = times.first { time in stamps.allSatisfy { $0.age(at: time) >= span } }
            let few = times.first { time in
                stamps.filter { $0.age(at: time) < span }.count < cap
            }
            #expect(stamps.earliestAll(ofAge: span, from: from) == all, "round \(round)")
            #expect(
                stamps.earliest(with: cap, youngerThan: span, from: from) == few,
                "round \(round)")
        }
    }

    @Test func `the youngest age and counts are of nothing for no stamps`() {
        let none: [Stamp] = []
        #expect(none.youngestAge(at: .start) == nil)
        #expect(none.count(youngerThan: 1, at: .start) == 0)
        #expect(none.earliestAll(ofAge: 1, from: .start) == .start)
        #expect(none.earliest(with: 0, youngerThan: 1, from: .start) == nil)
    }

    @Test func `a record is ahead if any of its times is`() {
        var app = App(.open())
        app.session()
        app.prompt()
        app.report(.shown)
        app.report(.final(.rated))
        let record = app.state.record
        #expect(!record.isAhead(of: app.now.wall))
        let ahead = Stamp(app.now.wall + 1)
        let changes: [(inout AppRecord) -> Void] = [
            { $0.firstSeen = ahead }, { $0.lastSeen = ahead }, { $0.lastSession = ahead },
            { $0.grants[0].grantedAt = ahead }, { $0.grants[0].shownAt = ahead },
            { $0.grants[0].outcomeAt = ahead },
        ]
        for change in changes {
            var changed = record
            change(&changed)
            #expect(changed.isAhead(of: app.now.wall))
            #expect(!changed.isAhead(of: app.now.wall + 1))
        }
    }
}
