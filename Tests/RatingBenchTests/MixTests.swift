import RatingControl
import Testing

@testable import RatingBench

struct MixTests {
    @Test func `a load alone has the weight 1`() throws {
        #expect(try Mix("status") == Mix(.status))
        #expect(try Mix("status").description == "status")
    }

    @Test func `shares are read, and told again`() throws {
        let mix = try Mix("event=9,ping,status=2")
        #expect(mix.parts.map(\.weight) == [9, 1, 2])
        #expect(mix.description == "event=9,ping=1,status=2")
    }

    @Test(arguments: [
        "", "event,", "evnt", "event=0", "event=1001", "event=-1", "event=+1", "event=1.5",
        "event=", "event=1=2", "event,event=2",
    ])
    func `what makes no sense is refused`(text: String) {
        let failure = #expect(throws: ControlFailure.self) { _ = try Mix(text) }
        #expect(failure?.code == .usage)
    }

    @Test func `a typo is answered with what was meant`() {
        let failure = #expect(throws: ControlFailure.self) { _ = try Mix("notfy") }
        #expect(failure?.message == "'notfy' is nothing that can be sent; did you mean 'notify'?")
    }

    @Test func `a round has each load as often as its share, the rare ones spread`() throws {
        let round = try Mix("event=6,status=2,ping=1").round
        #expect(round.count == 9)
        #expect(round.filter { $0 == .event }.count == 6)
        #expect(round.filter { $0 == .status }.count == 2)
        #expect(round.filter { $0 == .ping }.count == 1)
        let places = round.indices.filter { round[$0] == .status }
        #expect(places[1] - places[0] > 2)
    }
}
