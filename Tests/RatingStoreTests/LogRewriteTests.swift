import Testing

@testable import RatingStore

struct LogRewriteTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `a log written over itself is what it was`() throws {
        let store = try scratch.openUsable()
        for number in 0..<80 { try store.grant(token: "\(number)") }
        let log = scratch.database + "-wal"
        let before = try FileTree.read(log)
        try #require(before.count > 1 << 16)
        try LogRewrite.run(log)
        #expect(try FileTree.read(log) == before)
        try store.grant(token: "t")
    }

    @Test func `a log that is not there cannot be synced`() throws {
        #expect(throws: StoreFailure.self) { try LogRewrite.run(scratch.database + "-wal") }
    }
}
