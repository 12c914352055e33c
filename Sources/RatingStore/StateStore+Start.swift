internal import Posix
package import RatingPolicy

extension StateStore {
    /// Takes the state in a directory, which is made if it is missing.
    ///
    /// The answer is a store also when the database cannot be used (`failure`), so that the
    /// daemon can stay up and try again.
    package static func open(directory: String, now: WallTime) -> StoreOpening {
        open(directory: directory, now: now, schema: .current)
    }

    static func open(directory: String, now: WallTime, schema: Schema) -> StoreOpening {
        let store = StateStore(directory: directory, schema: schema)
        do {
            try store.start(at: now, needsCheckpoint: false)
            return .opened(store)
        } catch .held(let detail) {
            return .held(detail: detail)
        } catch .newer(let detail) {
            store.failure = store.told(.newer(detail))
        } catch {
            store.failure = store.told(error)
            store.logState.isDirty = store.hasLog
        }
        return .opened(store)
    }

    /// Whether an earlier run left a log, of which nobody can say that it is on disk.
    private var hasLog: Bool {
        do throws(PosixError) {
            return try Files.statusIfPresent(paths.log).map { $0.size > 0 } ?? false
        } catch {
            // Where nothing can be looked at, nothing is known to wait.
            return false
        }
    }

    /// Opens the database anew after a failure.
    ///
    /// Everything that was committed is moved into the database and synced before the store is
    /// available again, since what a failed sync was to write may be lost. Damage met while
    /// running stays until the next start.
    package func recover(now: WallTime) throws(StoreError) {
        if case .damaged = failure, wasOpen, let failure { throw failure }
        closeDatabase()
        do {
            try start(at: now, needsCheckpoint: true)
            try takeBackUnsynced()
        } catch {
            throw broken(error)
        }
        if unsynced != nil { try sync() }
        unsynced = nil
    }

    private func start(at now: WallTime, needsCheckpoint: Bool) throws(StoreFailure) {
        try takeLock()
        let isMarked = try clean(at: now)
        do {
            try openExisting(isMarked: isMarked, needsCheckpoint: needsCheckpoint)
        } catch {
            // Met while running, it stays as it is until the next start.
            guard error.isDamage, !wasOpen else { throw error }
            try replace(damagedBy: error, at: now)
            try openExisting(isMarked: false, needsCheckpoint: needsCheckpoint)
        }
        try lookForSetAside()
        wasOpen = true
        failure = nil
    }

    /// Takes away what an earlier start left unfinished, and makes the database if there is none.
    ///
    /// Answers whether the last run found damage.
    private func clean(at now: WallTime) throws(StoreFailure) -> Bool {
        let setAside = SetAside(paths: paths)
        for path in [paths.unfinished] + StatePaths.companions(of: paths.unfinished) {
            try system(try setAside.removeIfPresent(path))
        }
        let isMarked = try system(try Files.statusIfPresent(paths.damageMark) != nil)
        let status = try system(try Files.statusIfPresent(paths.database, followsLink: false))
        if let status {
            guard status.kind == .file else {
                throw .unusable("it is a \(status.kind.rawValue), not a file")
            }
            return isMarked
        }
        if let aside = try system(try setAside.adoptOrphans(at: now)) {
            let cause = "the write-ahead log has no database"
            note(.setAside(path: paths.log, aside: aside, cause: cause))
        }
        try NewDatabase(paths: paths, schema: schema).make()
        return isMarked
    }

    private func replace(damagedBy failure: StoreFailure, at now: WallTime) throws(StoreFailure) {
        closeDatabase()
        let setAside = SetAside(paths: paths)
        do {
            let aside = try setAside.move(at: now)
            try setAside.removeIfPresent(paths.damageMark)
            note(.setAside(path: paths.database, aside: aside, cause: failure.cause))
        } catch {
            throw .unusable("it is damaged (\(failure.cause)) and cannot be set aside: \(error)")
        }
        try NewDatabase(paths: paths, schema: schema).make()
    }

    private func openExisting(isMarked: Bool, needsCheckpoint: Bool) throws(StoreFailure) {
        // A helper's checkpoint may have the file open by now; SQLite looks at all this again.
        if !wasOpen { try look() }
        let opening = DatabaseOpening(paths: paths, schema: schema)
        let (database, version) = try opening.run(
            isMarked: isMarked, needsCheckpoint: needsCheckpoint)
        if version < schema.version {
            note(.migrated(path: paths.database, from: version, to: schema.version))
        }
        if isMarked { try system(try Files.unlink(paths.damageMark)) }
        self.database = database
        rows.forgetAll()
        logState = LogState(pages: database.logCounter.pages)
    }

    /// What can be told before SQLite touches the files.
    private func look() throws(StoreFailure) {
        let header = try FileBytes.read(paths.database, bytes: DatabaseHeader.bytes)
        try DatabaseHeader.check(header, version: schema.version)
        let log = try system(try Files.statusIfPresent(paths.log))
        if (log?.size ?? 0) == 0 {
            try DatabaseHeader.check(
                header, fileBytes: try system(try Files.status(paths.database).size))
        }
        try LogCheck.run(
            paths.log, last: RunNoteFile.read(paths.note), boot: RunNote.currentBoot())
    }

    func closeDatabase() {
        database = nil
        rows.forgetAll()
    }
}
