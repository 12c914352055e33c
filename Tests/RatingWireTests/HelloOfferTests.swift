import RatingPolicy
import Testing

@testable import RatingWire

/// What becomes of `hello.policy` (SPEC 3.1).
struct HelloOfferTests {
    private func offer(_ policy: String) throws -> HelloOffer {
        let params = #"{"app":"org.example.Notes","version":"1","policy":\#(policy)}"#
        guard case .hello(_, _, let offer?) = try call("hello", params) else {
            throw Unexpected(description: "no offer")
        }
        return offer
    }

    /// A good and a bad value of a key as JSON.
    private func values(_ key: PolicyKey) -> (good: String, value: PolicyValue, bad: [String]) {
        switch key.domain {
        case .flag: ("false", .flag(false), ["null", "0", #""no""#, "[]"])
        case .integer(let range):
            (
                "\(range.upperBound)", .integer(range.upperBound),
                [
                    "null", "\(range.lowerBound - 1)", "\(range.upperBound + 1)", "1.0", "1e0",
                    #""1""#, "true",
                ]
            )
        case .onActivity: (#""restart""#, .onActivity(.restart), ["null", #""Restart""#, "1"])
        case .reviewURL:
            (
                #""https://example.org/%a""#, .reviewURL(ReviewURL("https://example.org/%a")!),
                ["null", #""http://example.org""#, #""https://""#, #""https://e/%x""#, "1"]
            )
        }
    }

    private func nested(_ key: PolicyKey, _ value: String) -> String {
        let member = #""\#(key.wireName)":\#(value)"#
        return key.section == .user ? #"{"user":{\#(member)}}"# : "{\(member)}"
    }

    private func name(_ key: PolicyKey) -> String {
        (key.section == .user ? "user." : "") + key.wireName
    }

    @Test(arguments: PolicyKey.allCases)
    func `a key with a good value is taken`(key: PolicyKey) throws {
        let (good, value, _) = values(key)
        var expected = HelloOffer()
        expected.policy.values = [key: value]
        #expect(try offer(nested(key, good)) == expected)
    }

    @Test(arguments: PolicyKey.allCases)
    func `a key with a bad value is named and left out`(key: PolicyKey) throws {
        for bad in values(key).bad {
            var expected = HelloOffer()
            expected.bad = [name(key)]
            #expect(try offer(nested(key, bad)) == expected, "\(bad)")
        }
    }

    @Test func `unknown members are named and left out`() throws {
        let offer = try offer(
            #"{"z":1,"Enabled":true,"EventsUntilPrompt":1,"user":{"x":{"y":[]},"debounce_ms":1},"min_interval":null,"user.enabled":false}"#
        )
        #expect(
            offer.unknown == [
                "z", "Enabled", "EventsUntilPrompt", "user.x", "user.debounce_ms", "min_interval",
                "user.enabled",
            ])
        #expect(offer.bad.isEmpty)
        #expect(offer.policy.isEmpty)
    }

    @Test func `needs are taken by the name of their event`() throws {
        let offer = try offer(
            """
            {"event":{"saved":0,"é":1000000000,"e\u{301}":2,"much":1000000001,"less":-1,"half":0.5,\
            "none":null,"a[b":1,"":1}}
            """)
        #expect(
            offer.policy.needs
                == [
                    EventName("saved")!: 0, EventName("\u{E9}")!: 1_000_000_000,
                    EventName("e\u{301}")!: 2,
                ])
        #expect(
            offer.bad
                == [
                    "event.much", "event.less", "event.half", "event.none", "event.a[b", "event.",
                ])
    }

    @Test func `event and user that are no objects are bad`() throws {
        #expect(try offer(#"{"event":[],"user":true}"#).bad == ["event", "user"])
        #expect(try offer(#"{"event":null,"user":null}"#).bad == ["event", "user"])
        #expect(try offer(#"{"event":{},"user":{}}"#) == HelloOffer())
    }

    @Test func `an empty policy is an offer and none is not`() throws {
        #expect(try offer("{}") == HelloOffer())
        #expect(
            try call("hello", #"{"app":"a","version":"1"}"#)
                == .hello(app: AppID("a")!, version: Version("1")!, policy: nil))
    }

    @Test func `thousands of unknown members are named quickly`() throws {
        let names = (0..<4_000).map { "\"k\($0)\":1" }
        let start = ContinuousClock.now
        let unknown = try offer("{" + names.joined(separator: ",") + "}").unknown
        let duration = ContinuousClock.now - start
        #expect(unknown.count == 4_000)
        #expect(duration < .seconds(2))
    }
}
