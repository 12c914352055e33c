import RatingPolicy
import Testing

@testable import RatingStore

/// Text is kept byte by byte.
struct TextTests {
    let scratch: ScratchDirectory
    let store: StateStore

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    @Test(arguments: [
        "\0", "1\u{0}2", composed, decomposed, "1 4", "\n", "'; DROP TABLE app; --", "%s",
        "\u{FFFF}", "🙂", String(repeating: "x", count: 64),
    ])
    func `a version of unusual bytes comes back`(text: String) throws {
        var record = AppRecord()
        record.version = Version(text)!
        try store.put(record)
        try store.grant(token: "t", version: text)
        let loaded = try #require(try store.load(.notes))
        #expect(loaded.version?.text == ExactText(text))
        #expect(loaded.grants[0].version?.text == ExactText(text))
    }

    @Test func `two spellings of one letter are two events`() throws {
        var record = AppRecord()
        record.events = [EventName(Self.composed)!: 1, EventName(Self.decomposed)!: 2]
        try #require(record.events.count == 2)
        try store.put(record)
        let events = try #require(try store.load(.notes)).events
        #expect(events[EventName(Self.composed)!] == 1)
        #expect(events[EventName(Self.decomposed)!] == 2)
    }

    @Test(arguments: [
        " ", "1 2", "=", "a=b", "\u{301}x", "\u{2028}", "3", "-", "\u{202E}", "e\u{301}",
        String(repeating: "é", count: 32),
    ])
    func `an event of an unusual name comes back`(name: String) throws {
        let events: EventCounts = [EventName(name)!: 7, .significant: 1]
        #expect(EventsText.events(from: EventsText.text(of: events)) == events)
        var record = AppRecord()
        record.events = events
        try store.put(record)
        #expect(try store.load(.notes)?.events == events)
    }

    @Test func `no event and the largest count come back`() {
        #expect(EventsText.text(of: [:]) == "")
        #expect(EventsText.events(from: "") == [:])
        let events: EventCounts = [.significant: Count(Count.max)]
        #expect(EventsText.events(from: EventsText.text(of: events)) == events)
    }

    @Test(arguments: [
        "significant", "1", "1 ", " significant", "x significant", "-1 significant", "1 a\n",
        "\n1 a", "1 a\n\n2 b", "1 a\n2 a", "1 a]", "99999999999999999999 a", "1\ta",
    ])
    func `what is no text of events is not read as one`(text: String) {
        #expect(EventsText.events(from: text) == nil)
    }

    @Test func `an app's wishes come back, also of events with unusual names`() throws {
        var record = AppRecord()
        var wishes = HelloPolicy()
        wishes.values[.onActivity] = .onActivity(.restart)
        wishes.values[.daysAfterRated] = .integer(-1)
        wishes.values[.oncePerVersion] = .flag(true)
        wishes.values[.reviewURL] = .reviewURL(.standard)
        for name in ["a=b", Self.composed, Self.decomposed, "\u{301}"] {
            wishes.needs[EventName(name)!] = 5
        }
        record.helloPolicy = wishes
        try store.put(record)
        #expect(try store.load(.notes)?.helloPolicy == wishes)
        record.helloPolicy = HelloPolicy()
        try store.put(record, over: try store.load(.notes))
        #expect(try store.load(.notes)?.helloPolicy == HelloPolicy())
    }

    @Test func `a hundred long event names fit`() throws {
        var record = AppRecord()
        for number in 100..<200 {
            record.events[EventName(String(repeating: "n", count: 61) + "\(number)")!] =
                Count(Count.max)
        }
        try store.put(record)
        try store.close()
        #expect(try scratch.openUsable().load(.notes) == record)
    }

    @Test(arguments: [
        (Int64(0), "19700101T000000Z"), (1_796_015_342_123, "20261130T050902Z"),
        (951_782_399_999, "20000228T235959Z"), (951_782_400_000, "20000229T000000Z"),
        (-1, "19691231T235959Z"), (253_402_300_799_999, "99991231T235959Z"),
    ])
    func `times in names of files`(milliseconds: Int64, expected: String) {
        #expect(UTCText.compact(WallTime(milliseconds: milliseconds)) == expected)
    }

    @Test(arguments: [Int64.min, Int64.max])
    func `no time is too far away for a name`(milliseconds: Int64) {
        let text = UTCText.compact(WallTime(milliseconds: milliseconds))
        #expect(text.hasSuffix("Z"))
    }
}
