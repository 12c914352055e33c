import Testing

@testable import RatingControl

struct ExitCodeTests {
    @Test func `the numbers are the ones that scripts know`() {
        let codes: [ExitCode] = [.done, .no, .usage, .badData, .noDaemon, .tryLater, .notPermitted]
        #expect(codes.map(\.rawValue) == [0, 1, 64, 65, 69, 75, 77])
        #expect(ExitCode.timedOut.rawValue == 124)
    }
}
