import Testing

@testable import RatingStore

/// When the write-ahead log wants a checkpoint.
struct LogStateTests {
    /// So many pages are worth a checkpoint.
    private let enough = LogState.checkpointBytes / Int64(Schema.pageBytes + 24) + 1

    private func needs(_ log: LogState) -> Bool {
        if case .beside = log.need { true } else { false }
    }

    @Test func `one that somebody's reading held up is tried again only when the log has grown`() {
        for isBusy in [true, false] {
            var log = LogState()
            log.committed(pages: enough)
            #expect(needs(log))
            if isBusy { log.couldNotCheckpoint() } else { log.checkpointed(done: 1, seen: enough) }
            #expect(!needs(log))
            log.committed(pages: enough + 1)
            #expect(!needs(log))
            log.committed(pages: enough + enough / 4 + 1)
            #expect(needs(log))
        }
    }

    @Test func `a log that begins anew forgets what held it up`() {
        var log = LogState()
        log.committed(pages: 2 * enough)
        log.checkpointed(done: 0, seen: 2 * enough)
        log.committed(pages: 1)
        log.committed(pages: enough)
        #expect(needs(log))
    }
}
