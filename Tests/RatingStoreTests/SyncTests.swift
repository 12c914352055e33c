import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// Syncs and checkpoints.
struct SyncTests {
    let scratch: ScratchDirectory
    let store: StateStore

    init() throws {
        scratch = try ScratchDirectory()
        store = try scratch.openUsable()
    }

    private static let failed = SyncJob.Result(
        failure: .posix(PosixError(operation: "fdatasync", code: 5)))

    @Test func `a sync is needed after relaxed commits only`() throws {
        #expect(!store.syncNeeded)
        try store.put(fullRecord())
        #expect(store.syncNeeded)
        try store.sync()
        #expect(!store.syncNeeded)
        try store.put(AppRecord(), over: fullRecord())
        #expect(store.syncNeeded)
        try store.put(fullRecord(), over: AppRecord(), .synced)
        #expect(!store.syncNeeded)
        try store.commit(StoreChanges(), durability: .relaxed, now: .start)
        #expect(!store.syncNeeded)
    }

    @Test func `a commit without changes can be asked for as a sync`() throws {
        try store.put(fullRecord())
        try store.commit(StoreChanges(), durability: .synced, now: .start)
        #expect(!store.syncNeeded)
    }

    @Test func `a commit beside a sync needs another one`() throws {
        try store.put(fullRecord())
        let job = try store.syncJob()
        #expect(!store.syncNeeded)
        try store.put(AppRecord(), over: fullRecord())
        try store.finish(job, job.run())
        #expect(store.syncNeeded)
    }

    @Test func `after a sync that failed nothing is committed until the store has recovered`()
        throws
    {
        try store.put(fullRecord())
        let job = try store.syncJob()
        let error = #expect(throws: StoreError.self) { try store.finish(job, Self.failed) }
        #expect(error?.detail.contains("fdatasync") == true)
        #expect(error?.detail.contains("Input/output error") == true)
        #expect(store.failure == error)
        #expect(throws: StoreError.self) { try store.put(AppRecord(), over: fullRecord()) }
        #expect(throws: StoreError.self) { try store.grant(token: "t") }
        #expect(throws: StoreError.self) { try store.syncJob() }
        #expect(store.checkpointNeed == .none)
        #expect(try store.load(.notes) == fullRecord())
        try store.recover(now: .start)
        #expect(!store.syncNeeded)
        try store.grant(token: "t", for: .maps)
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `recovering moves everything into the database`() throws {
        try store.put(fullRecord())
        try store.recover(now: .start)
        #expect(try Files.status(scratch.database + "-wal").size == 0)
        #expect(try store.load(.notes) == fullRecord())
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `it does not recover while a reader keeps it from that`() throws {
        try store.put(fullRecord())
        do {
            let other = try Connection(path: scratch.database)
            try other.run("BEGIN; SELECT * FROM app", as: "test")
            let error = #expect(throws: StoreError.self) { try store.recover(now: .start) }
            #expect(error?.detail.contains("checkpoint") == true)
            #expect(throws: StoreError.self) { try store.put(AppRecord(), over: fullRecord()) }
        }
        try store.recover(now: .start)
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `the result of a job that recovery made needless is not looked at`() throws {
        try store.put(fullRecord())
        let job = try store.syncJob()
        let checkpoint = try store.checkpointJob()
        try store.recover(now: .start)
        try store.finish(job, Self.failed)
        try store.finish(
            checkpoint, .init(outcome: .failure(.unusable("an error of the old connection"))))
        #expect(store.failure == nil)
    }

    @Test func `a failed checkpoint is as bad as a failed sync`() throws {
        try store.put(fullRecord())
        let job = try store.checkpointJob()
        let failure = StoreFailure.sqlite(
            operation: "checkpoint", code: 1034, text: "disk I/O error", errno: 5)
        #expect(throws: StoreError.self) {
            try store.finish(job, .init(outcome: .failure(failure)))
        }
        #expect(store.failure != nil)
        try store.recover(now: .start)
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `a store that cannot be used must recover while something is not on disk`() throws {
        let job = try store.syncJob()
        try store.finish(job, job.run())
        try store.put(fullRecord())
        #expect(!store.recoveryNeeded)
        let second = try store.syncJob()
        let checkpoint = try store.checkpointJob()
        let failure = CheckpointJob.Result(outcome: .failure(.unusable("a test wants it so")))
        #expect(throws: StoreError.self) { try store.finish(checkpoint, failure) }
        // The sync under way may fail.
        #expect(store.recoveryNeeded)
        try store.finish(second, second.run())
        #expect(!store.recoveryNeeded)
    }

    @Test func `a sync that failed must be recovered from until that succeeds`() throws {
        try store.put(fullRecord())
        let job = try store.syncJob()
        #expect(throws: StoreError.self) { try store.finish(job, Self.failed) }
        #expect(store.recoveryNeeded)
        do {
            let reader = try Connection(path: scratch.database)
            try reader.run("BEGIN; SELECT * FROM app", as: "test")
            #expect(throws: StoreError.self) { try store.recover(now: .start) }
            #expect(store.recoveryNeeded)
        }
        try store.recover(now: .start)
        #expect(!store.recoveryNeeded)
    }

    @Test func `only the first commit of a log waits for the disk`() throws {
        #expect(store.nextCommitWaits)
        try store.put(fullRecord())
        #expect(!store.nextCommitWaits)
        let job = try store.checkpointJob()
        try store.finish(job, job.run())
        #expect(store.nextCommitWaits)
        try store.put(AppRecord(), over: fullRecord())
        #expect(!store.nextCommitWaits)
        try store.emptyLog()
        #expect(store.nextCommitWaits)
        #expect(!store.syncNeeded)
    }

    /// Lets the log grow by about this much: another connection writes, the store commits after.
    private func grow(by bytes: Int64, _ record: inout AppRecord) throws {
        let other = try Connection(path: scratch.database)
        other.keepLogOnClose(true)
        let ballast = """
            PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE IF NOT EXISTS ballast (id INTEGER PRIMARY KEY, x BLOB);
            INSERT OR REPLACE INTO ballast VALUES (1, randomblob(\(min(bytes, 1 << 20))))
            """
        for round in 0...max(bytes >> 20, 1) {
            let before = record
            record.sessions += 1
            try store.put(record, over: before == AppRecord() ? nil : before)
            if round > 0 { try other.run(ballast, as: "test") }
        }
        let before = record
        record.sessions += 1
        try store.put(record, over: before)
    }

    private var logBytes: Int64 {
        get throws { try Files.status(scratch.database + "-wal").size }
    }

    @Test func `a grown log asks for a checkpoint beside the commits`() throws {
        var record = AppRecord()
        try grow(by: LogState.checkpointBytes / 2, &record)
        #expect(store.checkpointNeed == .none)
        try grow(by: LogState.checkpointBytes / 2, &record)
        #expect(store.checkpointNeed == .beside)
        let job = try store.checkpointJob()
        try grow(by: 1 << 16, &record)
        try store.finish(job, job.run())
        #expect(store.checkpointNeed == .none)
    }

    @Test func `with checkpoints between commits the log stays small`() throws {
        var record = AppRecord()
        for _ in 0..<5 {
            try grow(by: LogState.checkpointBytes, &record)
            try #require(store.checkpointNeed == .beside)
            let job = try store.checkpointJob()
            try store.finish(job, job.run())
        }
        // The ballast takes twice its size, for what it replaces.
        #expect(try logBytes < 3 * LogState.checkpointBytes)
        #expect(try store.load(.notes) == record)
    }

    @Test func `under load without a pause the log is bounded all the same`() throws {
        var record = AppRecord()
        try grow(by: 1, &record)
        let reader = try Connection(path: scratch.database)
        var waits = 0
        var largest: Int64 = 0
        for _ in 0..<(3 * LogState.wrapBytes / LogState.checkpointBytes) {
            // Someone always reads what was there before the last commits, as a checkpoint beside
            // them does: it never moves the whole log, and the log never begins anew by itself.
            try reader.run("BEGIN; SELECT * FROM app", as: "test")
            try grow(by: LogState.checkpointBytes, &record)
            if store.checkpointNeed == .beside {
                let job = try store.checkpointJob()
                try store.finish(job, job.run())
            }
            try reader.run("COMMIT", as: "test")
            if store.checkpointNeed == .whileWaiting {
                waits += 1
                try store.emptyLog()
                #expect(try logBytes == 0)
            }
            largest = max(largest, try logBytes)
        }
        #expect(waits >= 1)
        #expect(largest < LogState.wrapBytes + 3 * LogState.checkpointBytes)
        #expect(try store.load(.notes) == record)
    }

    @Test func `a reader puts the new beginning off, and is asked again later`() throws {
        var record = AppRecord()
        try grow(by: 1, &record)
        do {
            let reader = try Connection(path: scratch.database)
            try reader.run("BEGIN; SELECT * FROM app", as: "test")
            try grow(by: LogState.wrapBytes, &record)
            try #require(store.checkpointNeed == .whileWaiting)
            try store.emptyLog()
            #expect(store.failure == nil)
            #expect(store.checkpointNeed != .whileWaiting)
            #expect(try store.load(.notes) == record)
        }
        try grow(by: LogState.wrapBytes / 4, &record)
        try #require(store.checkpointNeed == .whileWaiting)
        try store.emptyLog()
        #expect(try logBytes == 0)
        #expect(try store.load(.notes) == record)
    }
}
