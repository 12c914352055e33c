import RatingPolicy
import RatingStore
import RatingWire
import TestSupport
import Testing

@testable import RatingDaemon

/// Events in lines like one before are taken together and stored together, and nobody can tell.
struct StreakTests {
    /// Three clients of two apps and processes and what they do, with lines that are like one another or, each
    /// being longer by a space than the one before, all different.
    private final class Stage {
        let bench: Bench
        let guests: [Guest]
        private let areAlike: Bool
        private var spaces = 0

        init(areAlike: Bool, _ configuration: Configuration) {
            self.areAlike = areAlike
            bench = Bench(configuration)
            guests = [
                bench.greet(), bench.greet("org.gnome.Maps", process: 2), bench.greet(process: 2),
            ]
        }

        func write(_ line: String, by guest: Int) {
            spaces += areAlike ? 0 : 1
            guests[guest].write(line + String(repeating: " ", count: spaces))
        }

        /// All that can be told of it from outside, and what each may still send.
        var picture: [String] {
            let core = bench.core
            return guests.flatMap { $0.told() + ["\($0.client.bucket)"] } + core.portrait
                + ["\(guests[0].client.process.bucket) \(guests[0].client.user.bucket)"]
                + ["\(core.statistics.messages) \(core.statistics.commits) \(core.hasAccepted)"]
                + bench.memory.disk.image.apps.map { "\($0.key) \($0.value)" }.sorted()
        }
    }

    private static let others = [
        #""method":"event","params":{"name":"other"}"#, #""method":"event","params":{"count":3}"#,
        #""method":"event","params":{"app":"org.gnome.Maps"}"#, #""method":"session""#,
        #""method":"request""#, #""method":"cancel""#, #""method":"stats""#,
        #""method":"subscribe","params":{"topics":["counters"]}"#, #""method":"unsubscribe""#,
        #""method":"opt_out""#, #""method":"reload""#, #""method":"repair_clock""#,
        #""method":"forget","params":{"app":"org.example.Notes","ledger":true}"#,
        #""method":"hello","params":{"app":"org.example.Other","version":"1"}"#,
    ]

    @Test(arguments: 0..<40)
    func `they are answered, counted and charged as if each were alone`(seed: UInt64) {
        var random = Seeded(seed)
        let limits: [Limit: Int64] = random.pick([
            [:], [.ratePerSec: 0], [.ratePerSec: 5, .rateBurst: 30],
            [.ratePerSec: 5, .rateBurst: 30, .eventNamesPerApp: 1],
        ])
        let stages = [true, false].map { Stage(areAlike: $0, .free(limits: limits)) }
        for stage in stages {
            stage.bench.memory.takesRises = seed % 4 != 0
            stage.bench.files = .loaded(
                .free(limits: [.ratePerSec: 7, .rateBurst: 9]), warnings: [])
        }
        var id = 1
        for _ in 0..<12 {
            var lines: [(guest: Int, text: String)] = []
            while lines.count < random.number(1...40) {
                let guest = random.number(0...2)
                let isOther = random.number(0...3) == 0
                let call = isOther ? random.pick(Self.others) : #""method":"event""#
                let isNotification = random.number(0...5) == 0
                for _ in 0..<(isOther ? 1 : random.number(1...9)) {
                    id += 1
                    lines.append((guest, isNotification ? "{\(call)}" : #"{"id":\#(id),\#(call)}"#))
                }
            }
            let fault = random.number(0...3) == 0 ? random.pick(MemoryStorage.Fault.allCases) : nil
            let pause = Milliseconds(random.pick([0, 1, 300, 4_000]))
            for stage in stages {
                stage.bench.memory.recoversOnUse = true
                if let fault {
                    stage.bench.memory.faults = [stage.bench.memory.commits + 1: fault]
                }
                stage.bench.turn {
                    for line in lines { stage.write(line.text, by: line.guest) }
                }
                stage.bench.sleep(pause)
            }
            #expect(stages[0].picture == stages[1].picture, "seed \(seed)")
        }
    }

    /// Of each turn, what the clients write in it, and whether it is stored without records.
    @Test(arguments: [
        (["event", "event"], true), (["event"], true), (["event", "ping"], false),
        (["session", "event"], false), (["event", "subscribe"], false),
    ])
    func `a turn of nothing but known events is stored without records`(
        methods: [String], isOfRises: Bool
    ) {
        let bench = Bench()
        let guests = [bench.greet(), bench.greet("org.gnome.Maps", process: 2)]
        for guest in guests { _ = guest.ask("event") }
        let before = (bench.memory.rises, bench.memory.commits)
        bench.turn {
            for guest in guests {
                for method in methods { guest.send(method, Self.parameters[method] ?? "") }
            }
        }
        #expect(bench.memory.rises == before.0 + (isOfRises ? guests.count : 0))
        #expect(bench.memory.commits == before.1 + 1)
        for key in [AppKey.notes, AppKey(user: .daemon, app: AppID("org.gnome.Maps")!)] {
            let events = Count(1 + Int64(methods.count { $0 == "event" }))
            #expect(bench.memory.disk.image.apps[key]?.eventsTotal == events)
            #expect(bench.core.apps[key]?.record == bench.memory.disk.image.apps[key])
        }
    }

    private static let parameters = ["subscribe": #""topics":["counters"]"#]

    @Test func `two clients of an app, and two names of one, each find what was before them`() {
        let bench = Bench()
        let guests = [bench.greet(), bench.greet(process: 2)]
        for name in ["event", "other"] { _ = guests[0].ask("event", #""name":"\#(name)""#) }
        for _ in 1...2 {
            bench.turn {
                for name in ["event", "other", "event"] {
                    for guest in guests { guest.send("event", #""name":"\#(name)""#) }
                }
            }
        }
        let totals = guests.map { $0.readLines().compactMap { $0["result"]?["events"]?.integer } }
        #expect(totals == [[3, 5, 7, 9, 11, 13], [4, 6, 8, 10, 12, 14]])
        #expect(bench.memory.disk.image.apps[.notes]?.eventsTotal == 14)
        #expect(bench.memory.disk.image.apps[.notes]?.events[EventName("event")!] == 9)
    }

    @Test func `each has its own answer, and those over the rate are refused`() {
        let bench = Bench(.free(limits: [.ratePerSec: 1, .rateBurst: 6]))
        let guest = bench.greet()
        bench.turn { for _ in 1...7 { guest.send("event") } }
        let answers = guest.readLines()
        #expect(answers.map { $0["id"]?.integer } == [2, 3, 4, 5, 6, 7, 8])
        #expect(
            answers.map { $0["result"]?["events"]?.integer } == [1, 2, 3, 4, 5, nil, nil])
        #expect(
            answers.suffix(2).map { $0["error"]?["data"]?["reason"]?.string }
                == ["rate_limited", "rate_limited"])
        #expect(bench.memory.disk.image.apps[.notes]?.eventsTotal == 5)
    }

    @Test func `those of a turn that cannot be stored are all refused, and none is counted`() {
        let bench = Bench()
        let guest = bench.greet()
        bench.memory.faults = [bench.memory.commits + 1: .refused]
        bench.turn { for _ in 1...5 { guest.send("event") } }
        #expect(guest.told() == (2...6).map { "\($0) error storage_unavailable" })
        #expect(bench.core.apps[.notes]?.record.eventsTotal == 0)
        #expect(guest.ask("event")["events"]?.integer == 1)
    }

    @Test func `a request behind them knows of all of them`() {
        let bench = Bench(.free([.eventsUntilPrompt: .integer(5)]))
        let guest = bench.greet()
        bench.turn {
            for _ in 1...4 { guest.send("event") }
            guest.send("request")
            guest.send("event")
            guest.send("request")
        }
        #expect(guest.told().filter { !$0.hasSuffix("ok") } == ["6 refused events", "8 pending"])
    }
}
