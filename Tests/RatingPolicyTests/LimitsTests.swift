import RatingPolicy
import Testing

struct LimitsTests {
    @Test func `names, keys and defaults are those of the table`() {
        let rows: [(Limit, String, String?, Int64)] = [
            (.lineBytes, "line_bytes", nil, 65_536), (.batch, "batch", nil, 100),
            (.connections, "connections", "ConnectionsMax", 768),
            (.connectionsPerUid, "connections_per_uid", "ConnectionsPerUidMax", 384),
            (.connectionsPerApp, "connections_per_app", "ConnectionsPerAppMax", 64),
            (.outputBytes, "output_bytes", "OutputBytesMax", 1_048_576),
            (.ratePerSec, "rate_per_sec", "RateLimitPerSec", 1_000),
            (.rateBurst, "rate_burst", "RateLimitBurst", 10_000),
            (.appsPerUid, "apps_per_uid", "AppsPerUidMax", 10_000),
            (.eventNamesPerApp, "event_names_per_app", "EventNamesPerAppMax", 100),
            (.pendingPerUid, "pending_per_uid", "PendingPerUidMax", 100),
            (.subscriptionsPerUid, "subscriptions_per_uid", "SubscriptionsPerUidMax", 32),
        ]
        #expect(rows.map(\.0) == Limit.allCases)
        let limits = Limits(descriptors: 1_024)
        for (limit, name, key, value) in rows {
            #expect(limit.rawValue == name)
            #expect(limit.key == key)
            #expect(limits[limit] == value)
        }
    }

    @Test(
        arguments: [
            (0, 1, 1), (1, 1, 1), (2, 1, 1), (32, 24, 12), (1_024, 768, 384),
            (21_845, 16_383, 8_191), (21_846, 16_384, 8_192), (1_048_576, 16_384, 8_192),
            (.max, 16_384, 8_192),
        ] as [(Int, Int64, Int64)])
    func `connections are three quarters of the descriptors up to a ceiling`(
        descriptors: Int, connections: Int64, perUid: Int64
    ) {
        let limits = Limits(descriptors: descriptors)
        #expect(limits[.connections] == connections)
        #expect(limits[.connectionsPerUid] == perUid)
    }

    @Test func `each limit is set alone`() {
        for limit in Limit.allCases {
            var limits = Limits(descriptors: 1_024)
            limits[limit] = 7
            for other in Limit.allCases {
                let standard = Limits(descriptors: 1_024)[other]
                #expect(limits[other] == (other == limit ? 7 : standard))
            }
        }
    }

    @Test func `whole numbers from 1, rates from 0`() {
        for limit in Limit.allCases {
            let isRate = limit == .ratePerSec || limit == .rateBurst
            #expect(limit.range == (isRate ? 0 : 1)...1_000_000_000)
        }
    }

    @Test func `the daemon's own settings`() {
        let settings = DaemonSettings(descriptors: 1_024)
        #expect(settings.syncSec == 5)
        #expect(settings.idleExitSec == 0)
        #expect(settings.appSockets)
        #expect(settings.logLevel == .info)
        #expect(DaemonSettings.syncSecRange == 0...60)
        #expect(LogLevel.allCases.sorted() == [.error, .warning, .notice, .info, .debug])
        #expect(LogLevel.allCases.map(\.priority) == [3, 4, 5, 6, 7])
    }
}
