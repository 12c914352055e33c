import RatingPolicy
import TestSupport
import Testing

@testable import RatingStore

extension TallyStoreTests {
    @Test mutating func `whatever lies between commits, all counts are there`() throws {
        var random = Seeded(Seeded.seed(of: "tally"))
        try meet(40)
        var current = store
        var directory = scratch
        var kept = [scratch]
        for turn in 1...400 as ClosedRange<Int64> {
            let now = WallTime.start.adding(turn)
            let apps = Set((0..<random.number(1...12)).map { _ in random.number(0...39) }).sorted()
            asRises = random.number(0...1) == 0
            try report(apps, at: now, to: current)
            switch random.number(0...19) {
            case 0: try current.sync()
            case 1:
                let key = Self.key(apps.first!)
                let before = records[key]!
                records[key]?.sessions += 1
                records[key]?.events[EventName("name\(turn)")!] = 1
                try current.put(records[key]!, over: before, for: key)
            case 2: try current.recover(now: now)
            case 3: try expectAll(in: current)
            case 4:
                // Killed.
                let next = try ScratchDirectory()
                try FileTree.copyState(directory.state, to: next.state)
                current = try next.openUsable()
                directory = next
                kept.append(next)
            case 5:
                try current.close()
                current = try directory.openUsable()
            case 6:
                // The next app that is made has the row of one of these, or both.
                for number in Set([39, apps.first!]) {
                    try current.forget(places[number])
                    records[Self.key(number)] = nil
                }
            default: break
            }
        }
        try expectAll(in: current)
    }
}
