import RatingControl
import Testing

@testable import RatingBench

struct BenchOptionsTests {
    @Test func `without arguments it is one client of the user's daemon`() throws {
        let options = try BenchOptions([])
        #expect(options.action == .run)
        #expect(options.target == .unsaid)
        #expect((options.connections, options.pipeline) == (1, 1))
        #expect(options.patienceSeconds == 10)
        #expect(options.mix == Mix(.event))
        #expect(options.peer == .ratingd)
    }

    @Test func `values follow after a sign or as the next word, and the last wins`() throws {
        let options = try BenchOptions([
            "--connections", "50", "--pipeline=16", "--seconds=0.5", "--warm-up", "0",
            "--socket=/s", "--mix", "event=9,status=1", "--json", "--pipeline=8",
            "--patience=30",
        ])
        #expect(options.connections == 50)
        #expect(options.pipeline == 8)
        #expect(options.seconds == 0.5)
        #expect(options.warmUpSeconds == 0)
        #expect(options.patienceSeconds == 30)
        #expect(options.target == .socket("/s"))
        #expect(try options.mix == Mix("event=9,status=1"))
        #expect(options.isJSON)
    }

    @Test(arguments: [
        ["--connections", "0"], ["--connections", "100001"], ["--connections", "+5"],
        ["--pipeline", "0"], ["--pipeline", "10001"], ["--pipeline"], ["--pipeline="],
        ["--seconds", "0"], ["--seconds", "86401"], ["--seconds", "inf"], ["--seconds", "1e3"],
        ["--seconds", "-1"], ["--warm-up", "x"], ["--patience", "0"], ["--json=yes"],
        ["--user", "--system"],
        ["--user", "--socket", "/s"], ["--peer", "mysql"], ["--peer", "redis"],
        ["--peer", "redis", "--socket", "/s", "--mix", "status"],
        ["--peer", "echo", "--socket", "/s", "--mix", "notify"], ["more"], ["-x"], ["--moo"],
    ])
    func `what makes no sense is refused with where to read on`(arguments: [String]) {
        let failure = #expect(throws: ControlFailure.self) { _ = try BenchOptions(arguments) }
        #expect(failure?.code == .usage)
        #expect(failure?.hint != nil)
    }

    @Test func `a typo is answered with what was meant`() {
        let failure = #expect(throws: ControlFailure.self) {
            _ = try BenchOptions(["--conections"])
        }
        #expect(failure?.message == "unknown option '--conections'; did you mean '--connections'?")
    }

    @Test func `the help names every option and every load`() {
        let help = BenchOption.helpLines.joined(separator: "\n")
        for option in BenchOption.allCases { #expect(help.contains(option.rawValue)) }
        for load in Load.allCases { #expect(help.contains(load.rawValue)) }
        #expect(BenchOption.helpLines.allSatisfy { $0.count <= 92 })
    }
}
