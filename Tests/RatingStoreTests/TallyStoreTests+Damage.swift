import Testing

@testable import RatingStore

extension TallyStoreTests {
    @Test(arguments: [
        "DELETE FROM app WHERE name = 'org.example.App1'",
        "UPDATE app SET events = '' WHERE name = 'org.example.App1'",
        "UPDATE app SET events = '3 note-saved' WHERE name = 'org.example.App1'",
        "UPDATE tally SET marks = zeroblob(960)",
        "UPDATE tally SET marks = substr(marks, 1, 959)",
        "UPDATE tally SET sheet = 1",
    ])
    mutating func `a tally that does not fit its apps is damage`(sql: String) throws {
        try meet(3)
        try report(0..<3)
        let other = try ScratchDirectory()
        try FileTree.copyState(scratch.state, to: other.state)
        do {
            let connection = try Connection(path: other.database)
            connection.keepLogOnClose(true)
            try connection.run(sql, as: "test")
        }
        let again = try other.openUsable()
        #expect(try other.setAside().count == 1)
        #expect(!again.ledgerIsTrusted)
    }
}
