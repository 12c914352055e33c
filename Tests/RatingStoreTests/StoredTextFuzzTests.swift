import RatingPolicy
import TestSupport
import Testing

@testable import RatingStore

/// Texts of the database: what the daemon writes it reads again, and of what it cannot have
/// written it says so.
///
/// An input is read as such a text, and its pieces between bytes of 1 as names, each with the
/// count that its first eight bytes make.
struct StoredTextFuzzTests {
    @Test func `what is written is read again`() throws {
        let target = FuzzTarget("stored") { Self.objection(to: $0) }
        let objections = try target.objections()
        #expect(objections == [])
    }

    private static func objection(to input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        if let events = EventsText.events(from: text) {
            if events.entries.contains(where: { $0.count.value < 0 }) {
                return "a count below zero"
            }
            guard EventsText.events(from: EventsText.text(of: events)) == events else {
                return "events that were read and written are others"
            }
        }
        let read = HelloPolicy(text: text)
        guard HelloPolicy(text: read.text) == read else {
            return "wishes that were read and written are others"
        }
        for (key, value) in read.values where !key.allows(value) {
            return "\(key.rawValue) may not be \(value)"
        }
        let stamp = UTCText.compact(WallTime(milliseconds: number(in: input[...])))
        guard stamp.utf8.allSatisfy({ (0x2D...0x5A).contains($0) && $0 != UInt8(ascii: "/") })
        else { return "\(stamp) in the name of a file" }
        return objection(toNames: input.split(separator: 1))
    }

    private static func objection(toNames pieces: [ArraySlice<UInt8>]) -> String? {
        var events = EventCounts()
        var wishes = HelloPolicy()
        for piece in pieces {
            guard let name = EventName(String(decoding: piece, as: UTF8.self)) else { continue }
            let count = number(in: piece) & Int64.max
            events[name] = Count(count)
            wishes.needs[name] = count % (EventNeed.range.upperBound + 1)
        }
        guard EventsText.events(from: EventsText.text(of: events)) == events else {
            return "events: \(events)"
        }
        return HelloPolicy(text: wishes.text) == wishes ? nil : "wishes: \(wishes)"
    }

    private static func number(in bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
