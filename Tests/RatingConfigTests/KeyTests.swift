import RatingPolicy
import Testing

@testable import RatingConfig

struct KeyTests {
    private static let integers = PolicyKey.allCases.filter { key in
        if case .integer = key.domain { true } else { false }
    }
    private static let limits = Limit.allCases.filter { $0.key != nil }

    private func section(_ key: PolicyKey) -> String {
        key.section == .user ? "User" : "Policy"
    }

    private func range(_ key: PolicyKey) throws -> ClosedRange<Int64> {
        guard case .integer(let range) = key.domain else { throw NoRange() }
        return range
    }

    private struct NoRange: Error {}

    @Test(arguments: integers) func `a number at each end of its range is taken`(
        _ key: PolicyKey
    ) throws {
        let range = try range(key)
        for number in [range.lowerBound, range.upperBound] {
            let loaded = try loadText("[\(section(key))]\n\(key.fileName)=\(number)\n")
            #expect(loaded.general(key) == String(number))
            #expect(loaded.problems == [])
        }
    }

    @Test(arguments: integers) func `a number beyond its range is a warning`(
        _ key: PolicyKey
    ) throws {
        let range = try range(key)
        for text in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "1.0", "1e2", "x", "+1"]
        {
            let loaded = try loadText("[\(section(key))]\n\n\(key.fileName)=\(text)\n")
            #expect(loaded.general(key) == nil)
            #expect(
                loaded.problems
                    == [
                        "3: \(key.fileName)= is a whole number from \(range.lowerBound) to"
                            + " \(range.upperBound), not '\(text)'"
                    ])
        }
    }

    @Test(arguments: PolicyKey.allCases) func `a key in the wrong section is unknown`(
        _ key: PolicyKey
    ) throws {
        let loaded = try loadText("[Daemon]\n\(key.fileName)=1\n[Event e]\n\(key.fileName)=1\n")
        #expect(loaded.configuration.general.isEmpty)
        #expect(
            loaded.problems == [
                "2: unknown key '\(key.fileName)' in [Daemon]",
                "4: unknown key '\(key.fileName)' in '[Event e]'",
            ])
    }

    @Test func `flags read as in files of systemd`() throws {
        for (text, expected) in [("yes", "yes"), ("TRUE", "yes"), ("1", "yes"), ("off", "no")] {
            let loaded = try loadText("[Policy]\nEnabled=\(text)\n")
            #expect(loaded.general(.enabled) == expected)
        }
        #expect(
            try loadText("[Policy]\nEnabled=maybe").problems
                == ["2: Enabled= is yes or no, not 'maybe'"])
    }

    @Test func `a review URL keeps its semicolons and its length`() throws {
        let url = "https://example.org/;a=b?x#y;" + String(repeating: "z", count: 2_019)
        #expect(url.utf8.count == ReviewURL.bytesMax)
        #expect(try loadText("[Policy]\nReviewURL = \(url)").general(.reviewURL) == url)
        #expect(try loadText("[Policy]\nReviewURL=\(url)z").general(.reviewURL) == nil)
        #expect(try loadText("[Policy]\nReviewURL=https://a ;b").general(.reviewURL) == nil)
        #expect(try loadText("[Policy]\nReviewURL=ftp://a").problems.count == 1)
    }

    @Test func `what activity does is cancel or restart`() throws {
        #expect(try loadText("[Policy]\nOnActivity=restart").general(.onActivity) == "restart")
        #expect(
            try loadText("[Policy]\nOnActivity=Restart").problems
                == ["2: OnActivity= is cancel or restart, not 'Restart'"])
    }

    @Test func `needs of events are kept by name`() throws {
        let name = String(repeating: "n", count: EventName.bytesMax)
        let loaded = try loadText("[Event \(name)]\nNeed=3\n[Event ö ;x]\nNeed=1000000000\n")
        #expect(loaded.problems == [])
        let needs = loaded.configuration.general.needs
        #expect(needs.count == 2)
        #expect(EventName(name).flatMap { needs[$0]?.value } == 3)
        #expect(EventName("ö ;x").flatMap { needs[$0]?.value } == 1_000_000_000)
    }

    @Test func `a need out of range or of a name that is none is a warning`() throws {
        #expect(
            try loadText("[Event e]\nNeed=-1\nNeed=1000000001\nneed=1\n").problems == [
                "2: Need= is a whole number from 0 to 1000000000, not '-1'",
                "3: Need= is a whole number from 0 to 1000000000, not '1000000001'",
                "4: unknown key 'need' in '[Event e]'",
            ])
        let long = String(repeating: "n", count: EventName.bytesMax + 1)
        #expect(try loadText("[Event \(long)]\nNeed=1").problems.count == 1)
        #expect(try loadText("[Event ]\nNeed=1").problems.count == 1)
        #expect(
            try loadText("[Event]\nNeed=1").problems
                == ["1: section [Event] without the name of an event"])
    }

    @Test(arguments: limits) func `a limit is taken within its range`(_ limit: Limit) throws {
        let key = try #require(limit.key)
        for number in [limit.range.lowerBound, limit.range.upperBound] {
            let loaded = try loadText("[Daemon]\n\(key)=\(number)\n")
            #expect(loaded.configuration.daemon.limits[limit] == number)
            #expect(loaded.problems == [])
        }
        for number in [limit.range.lowerBound - 1, limit.range.upperBound + 1] {
            let loaded = try loadText("[Daemon]\n\(key)=\(number)\n")
            #expect(
                loaded.configuration.daemon.limits[limit]
                    == DaemonSettings(descriptors: 1_024).limits[limit])
            #expect(loaded.problems.count == 1)
        }
    }

    @Test func `the other settings of the daemon are taken within their ranges`() throws {
        let loaded = try loadText(
            "[Daemon]\nSyncSec=60\nIdleExitSec=1000000000\nAppSockets=no\nLogLevel=debug\n")
        #expect(loaded.problems == [])
        #expect(loaded.configuration.daemon.syncSec == 60)
        #expect(loaded.configuration.daemon.idleExitSec == 1_000_000_000)
        #expect(!loaded.configuration.daemon.appSockets)
        #expect(loaded.configuration.daemon.logLevel == .debug)
        let bad = try loadText(
            "[Daemon]\nSyncSec=61\nIdleExitSec=-1\nAppSockets=2\nLogLevel=chatty\nDebug=yes\n")
        #expect(bad.configuration.daemon == DaemonSettings(descriptors: 1_024))
        #expect(
            bad.problems == [
                "2: SyncSec= is a whole number from 0 to 60, not '61'",
                "3: IdleExitSec= is a whole number from 0 to 1000000000, not '-1'",
                "4: AppSockets= is yes or no, not '2'",
                "5: LogLevel= is one of error, warning, notice, info, debug, not 'chatty'",
                "6: unknown key 'Debug' in [Daemon]",
            ])
    }

    @Test func `a user's connections follow the machine's unless they are set`() throws {
        let half = try loadText("[Daemon]\nConnectionsMax=9\n").configuration.daemon.limits
        #expect(half[.connectionsPerUid] == 4)
        let one = try loadText("[Daemon]\nConnectionsMax=1\n").configuration.daemon.limits
        #expect(one[.connectionsPerUid] == 1)
        let set = try loadText("[Daemon]\nConnectionsPerUidMax=7\nConnectionsMax=9\n")
        #expect(set.configuration.daemon.limits[.connectionsPerUid] == 7)
        let reset = try loadText(
            "[Daemon]\nConnectionsPerUidMax=7\nConnectionsMax=9\nConnectionsPerUidMax=\n")
        #expect(reset.configuration.daemon.limits[.connectionsPerUid] == 4)
    }

    @Test func `default limits come from the number of descriptors`() throws {
        let directory = TemporaryDirectory()
        let loaded = try ConfigurationLoader.load(.only(directory.path), descriptors: 64)
        #expect(loaded.configuration.daemon == DaemonSettings(descriptors: 64))
    }
}
