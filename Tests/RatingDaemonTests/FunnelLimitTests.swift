import RatingPolicy
import RatingWire
import Testing

@testable import RatingDaemon

/// What bounds the figures of `report`.
struct FunnelLimitTests {
    @Test func `few figures are stored at once, and a report tells of all`() {
        let bench = Bench(.with([:]))
        let guest = bench.connect()
        bench.turn {
            for number in 0..<40 { guest.notify("event", #""app":"a\#(number)""#) }
        }
        bench.turn {
            for number in 0..<40 {
                guest.notify("request", #""app":"a\#(number)","version":"1""#)
            }
        }
        #expect(bench.memory.disk.image.funnel.isEmpty)
        for stored in [32, 64] {
            _ = guest.ask("event", #""app":"a0""#)
            #expect(bench.memory.disk.image.funnel.count == stored)
            #expect(guest.ask("report")["requests"]?.integer == 40)
        }
        #expect(bench.core.storeFunnel())
        #expect(bench.memory.disk.image.funnel.count == 96)
        bench.core.storeWholeFunnel()
        #expect(bench.memory.disk.image.funnel.count == 200)
        #expect(!bench.core.hasFunnelToStore)
        #expect(guest.ask("report")["refused"]?["days"]?.integer == 40)
    }

    @Test func `no more wait than may, and the others are let go`() {
        let bench = Bench(.with([:], limits: [.ratePerSec: 0, .appsPerUid: 10_000]))
        let guest = bench.connect()
        let other = bench.connect(process: 2)
        for part in 0..<10 {
            bench.turn {
                for number in 0..<100 {
                    let writer = part < 5 ? guest : other
                    writer.notify("event", #""app":"a\#(part)x\#(number)""#)
                }
            }
        }
        bench.turn {
            for part in 0..<10 {
                for number in 0..<100 {
                    guest.notify("request", #""app":"a\#(part)x\#(number)","version":"1""#)
                }
            }
        }
        #expect(bench.core.funnel.count == Core.funnelCellsMax)
    }

    @Test func `so many unmet needs of events are counted by name, and anew the next day`() {
        let bench = Bench(.with([:], limits: [.ratePerSec: 0]))
        let guest = bench.connect()
        func needs(_ letter: Character) -> String {
            (0..<100).map { #""\#(letter)\#($0)":1"# }.joined(separator: ",")
        }
        func named() -> Int {
            guard case .object(let members)? = guest.ask("report")["refused"] else { return -1 }
            return members.count { $0.name.hasPrefix("event:") }
        }
        func request(_ app: Character) {
            let policy = #""policy":{"event":{\#(needs(app))}}"#
            _ = guest.ask("hello", #""app":"\#(app)","version":"1",\#(policy)"#)
            _ = guest.ask("request")
        }
        for app in "abc" { request(app) }
        #expect(named() == NamedNeeds.countMax)
        // What was counted goes on to be.
        request("a")
        #expect(guest.ask("report")["refused"]?["event:a7"]?.integer == 2)
        bench.sleep(.day)
        request("d")
        #expect(named() == NamedNeeds.countMax + 100)
    }
}
