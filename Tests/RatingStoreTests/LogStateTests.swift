import Testing

@testable import RatingStore

/// When the write-ahead log wants a checkpoint.
struct LogStateTests {
    /// So many pages are worth a checkpoint.
    private let enough = LogState.checkpointBytes / Int64(Schema.pageBytes + 24) + 1

    private let brief = LogState.briefBytes / Int64(Schema.pageBytes + 24)

    private func needs(_ log: LogState) -> Bool {
        log.need == .beside
    }

    @Test func `a checkpoint beside commits is followed by a brief one, and that by a new log`() {
        var log = LogState()
        log.committed(pages: enough - 2)
        #expect(log.need == .none)
        log.committed(pages: enough)
        #expect(log.need == .beside)
        // So much was committed meanwhile that commits would wait for long.
        log.committed(pages: enough + brief + 1)
        log.checkpointed(done: enough, seen: enough)
        #expect(log.need == .beside)
        log.committed(pages: enough + 2 * brief + 1)
        log.checkpointed(done: enough + brief + 1, seen: enough + brief + 1)
        #expect(log.need == .brief && !log.beginsAnew)
        log.checkpointed(done: enough + 2 * brief + 1, seen: enough + 2 * brief + 1)
        #expect(log.need == .none && log.beginsAnew)
        log.committed(pages: 1)
        #expect(log.need == .none && !log.beginsAnew)
    }

    @Test func `a brief checkpoint that somebody's reading held up is not tried at every commit`() {
        var log = LogState()
        log.committed(pages: enough)
        log.checkpointed(done: enough - 1, seen: enough)
        #expect(log.need == .none)
        log.committed(pages: enough + enough / 4 + 1)
        #expect(log.need == .beside)
    }

    @Test func `the log is emptied with commits waiting when nothing else helped`() {
        var log = LogState()
        log.committed(pages: LogState.wrapBytes / Int64(Schema.pageBytes + 24) + 1)
        #expect(log.need == .whileWaiting)
        log.emptied()
        #expect(log.need == .none)
    }

    @Test func `a sync does not wait for its time once much is not synced`() {
        let much = LogState.syncBytes / Int64(Schema.pageBytes + 24) + 1
        var log = LogState()
        log.committed(pages: much - 1)
        #expect(!log.isSyncLarge)
        log.committed(pages: much)
        #expect(log.isSyncLarge)
        log.syncBegins()
        #expect(!log.isSyncLarge)
        log.committed(pages: 2 * much)
        #expect(log.isSyncLarge)
        // The log has begun anew.
        log.committed(pages: 1)
        #expect(!log.isSyncLarge)
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
