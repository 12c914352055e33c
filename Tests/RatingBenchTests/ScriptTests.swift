import Testing

@testable import RatingBench

struct ScriptTests {
    private func script(_ mix: String, pipeline: Int) throws -> Script {
        Script(try Mix(mix), pipeline: pipeline) { load, number in "\(load.rawValue) \(number)\n" }
    }

    @Test func `all requests that may be under way are in one piece`() throws {
        let script = try script("event=2,ping", pipeline: 4)
        #expect(script.count == 6)
        #expect(script.offsets.count == 13)
        let piece = script.bytes[script.offsets[5]..<script.offsets[8]]
        #expect(String(decoding: piece, as: UTF8.self) == "event 6\nevent 1\nping 2\n")
    }

    @Test func `the second time is the same as the first`() throws {
        let script = try script("event", pipeline: 3)
        #expect(script.bytes.count == 2 * script.roundBytes)
        #expect(
            Array(script.bytes[script.roundBytes...]) == Array(script.bytes[..<script.roundBytes]))
    }

    @Test func `notifications are written many at a time`() throws {
        #expect(try script("notify", pipeline: 1).count == Script.notificationsMin)
        #expect(try script("event", pipeline: 1).count == 1)
    }
}
