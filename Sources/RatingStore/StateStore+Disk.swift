internal import Posix

extension StateStore {
    /// True if a commit was not synced since.
    package var syncNeeded: Bool { logState.isDirty }

    /// True if that is so much that its sync is not to wait for its time.
    package var isSyncLarge: Bool { logState.isSyncLarge }

    /// True if nothing can be synced before `recover`, though something is not on disk: then that is
    /// to be tried again and again, also while nobody asks for anything (SPEC, P3).
    ///
    /// Not of damage that was met while running, which stays as it is until the next start.
    package var recoveryNeeded: Bool {
        switch failure {
        case nil: false
        case .damaged where wasOpen: false
        default: logState.isDirty || logState.isBeingSynced || unsynced != nil
        }
    }

    /// Makes everything durable that was committed; waits for the disk.
    package func sync() throws(StoreError) {
        let job = try syncJob()
        try finish(job, job.run())
    }

    /// The same as a job for a helper thread, beside which commits go on.
    ///
    /// Hand its result to `finish` on the loop's thread.
    package func syncJob() throws(StoreError) -> SyncJob {
        if let failure { throw failure }
        let database = try openDatabase()
        let isSettled = settle(in: database)
        // What is written into a file without a name is gone with this process.
        if database.connection.hasMoved {
            throw broken(.unusable("the file was moved or removed while it was in use"))
        }
        // Somebody else's turn, now and then.
        database.endReading()
        logState.syncBegins()
        return SyncJob(log: database.log, covers: isSettled ? coverage(of: database) : nil)
    }

    /// Brings the rows of apps up to date, but not if that has to wait for the disk.
    ///
    /// Answers false if that fails, which is no reason not to sync: what is in the tally is
    /// committed. Nobody knows then how much the log holds.
    private func settle(in database: Database) -> Bool {
        database.mayTally = true
        guard !database.tally.isEmpty, !logState.beginsAnew else { return true }
        do {
            try database.transaction { () throws(StoreFailure) in try database.settle() }
        } catch {
            if error.leavesDoubt { _ = broken(error) }
            return false
        }
        logState.committed(pages: database.logCounter.pages)
        return true
    }

    /// Takes the result of a sync.
    ///
    /// A failed one makes the store unavailable: until `recover` nobody can say what is on disk.
    package func finish(_ job: SyncJob, _ result: SyncJob.Result) throws(StoreError) {
        // A job of a connection that is closed by now: `recover` has seen to its commits.
        guard let database, database.log === job.log else { return }
        logState.isBeingSynced = false
        if let cause = result.failure {
            logState.isDirty = true
            throw broken(cause)
        }
        if let covered = job.covers { database.note.synced(covered) }
    }

    /// What a sync that begins now will have brought to disk; nil if the log is empty.
    private func coverage(of database: Database) -> RunNote.Synced? {
        // A log that cannot be read will fail its sync; the note is only for the next start.
        guard logState.pages > 0,
            let header = try? LogReader.header(
                in: database.log.prefix(bytes: LogReader.headerBytes))
        else { return nil }
        return RunNote.Synced(salt: header.salt, pages: logState.pages)
    }

    /// What the write-ahead log needs now; to be asked after commits.
    package var checkpointNeed: CheckpointNeed { failure == nil ? logState.need : .none }

    /// True if even a relaxed commit will wait for the disk once, because the log begins anew.
    package var nextCommitWaits: Bool { logState.beginsAnew }

    /// A checkpoint for a helper thread, beside which commits go on; one at a time.
    ///
    /// Hand its result to `finish` on the loop's thread.
    package func checkpointJob() throws(StoreError) -> CheckpointJob {
        if let failure { throw failure }
        let database = try openDatabase()
        database.endReading()
        database.isCheckpointed = true
        return CheckpointJob(path: paths.database, log: database.log)
    }

    /// Takes the result of a checkpoint.
    package func finish(
        _ job: CheckpointJob, _ result: CheckpointJob.Result
    ) throws(StoreError) {
        guard let database, database.log === job.log else { return }
        database.isCheckpointed = false
        switch result.outcome {
        case .success(let log): logState.checkpointed(done: log.done, seen: log.pages)
        case .failure(let cause) where cause.isBusy: logState.couldNotCheckpoint()
        case .failure(let cause): throw broken(cause)
        }
    }

    /// Moves everything into the database and empties the log; waits for the disk.
    ///
    /// Left for later if another program reads or writes at this moment.
    package func emptyLog() throws(StoreError) {
        if let failure { throw failure }
        let database = try openDatabase()
        let noted = database.note.synced
        database.endReading()
        do {
            try database.note.logWillBeEmptied()
            try database.connection.checkpoint(.truncate)
            database.logCounter.logWasEmptied()
            logState.emptied()
            logState.isDirty = false
        } catch {
            guard error.isBusy else { throw broken(error) }
            if let noted { database.note.synced(noted) }
            logState.couldNotBeginAnew()
        }
    }

    /// Syncs, empties the log if possible, and gives the state free for another process.
    ///
    /// The store is of no use afterwards.
    package func close() throws(StoreError) {
        defer {
            closeDatabase()
            failure = .unavailable(detail: "the state in '\(paths.directory)' is closed")
            releaseLock()
        }
        guard failure == nil, let database else { return }
        if logState.isDirty { try sync() }
        try emptyLog()
        // Then SQLite takes its other files away.
        database.connection.keepLogOnClose(false)
    }
}
