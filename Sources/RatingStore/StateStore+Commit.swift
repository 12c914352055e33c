internal import Posix
package import RatingPolicy

extension StateStore {
    /// Writes all changes, or nothing of them.
    ///
    /// Every new grant is counted once more in the database, against the caps that come with it.
    /// After an error of the disk nothing is committed before `recover`, which takes back what was
    /// written but could not be synced; after any error the records in memory go back to what they
    /// were.
    package func commit(
        _ changes: StoreChanges, durability: Durability, now: WallTime
    ) throws(StoreError) {
        let database = try databaseToWrite()
        var former: StoreChanges?
        do {
            if durability == .synced { former = try self.former(of: changes, in: database) }
            if !changes.isEmpty {
                try write(changes, to: database, at: now, durability)
            }
        } catch {
            throw notCommitted(error)
        }
        logState.committed(pages: database.logCounter.pages)
        logState.isDirty = logState.isDirty || !changes.isEmpty
        guard durability == .synced else { return database.keepReading() }
        do {
            try sync()
        } catch {
            unsynced = former
            // Until it is taken back nobody may read it.
            closeDatabase()
            throw error
        }
    }

    func databaseToWrite() throws(StoreError) -> Database {
        if let failure { throw failure }
        let database = try openDatabase()
        if logState.beginsAnew { database.endReading() }
        return database
    }

    func notCommitted(_ error: StoreFailure) -> StoreError {
        rows.forgetAll()
        return error.leavesDoubt ? broken(error) : told(error)
    }

    private func write(
        _ changes: StoreChanges, to database: Database, at now: WallTime, _ durability: Durability
    ) throws(StoreFailure) {
        try database.transaction { () throws(StoreFailure) in
            if durability == .relaxed, try tally(changes, in: database) { return }
            try database.settle()
            for key in changes.forgottenFunnels {
                if let row = try row(of: key, in: database) { try database.deleteFunnel(app: row) }
            }
            for change in changes.apps {
                try write(change, checks: changes.grantChecks, to: database, at: now)
                if changes.forgottenFunnels.contains(change.key), change.after == AppRecord() {
                    try forget(change.key, in: database)
                }
            }
            for (user, isOptedOut) in changes.optedOutOfAll {
                try database.writeUser(user, isOptedOutOfAll: isOptedOut)
            }
            try add(changes.funnel, to: database, at: now)
        }
    }

    /// Puts the changes into the tally; false if they do not belong there.
    private func tally(
        _ changes: StoreChanges, in database: Database
    ) throws(StoreFailure) -> Bool {
        guard changes.isOfAppsOnly, mayTally(changes.apps.count, in: database) else {
            return false
        }
        // All or nothing: what is in the tally is settled before rows are written, and costs as
        // much again.
        for change in changes.apps {
            guard change.before != nil, let row = try row(of: change.place, in: database),
                database.tally.note(change, row: row)
            else {
                database.tally.forgetNoted()
                return false
            }
        }
        return try tallyNoted(in: database)
    }

    /// Whether so many apps are better tallied than written into their rows, as far as is known
    /// before their marks are.
    func mayTally(_ count: Int, in database: Database) -> Bool {
        guard count >= Tally.appsMin || !database.tally.isEmpty else { return false }
        if count > Tally.marksMax { database.mayTally = false }
        return database.mayTally
    }

    /// Makes the marks that were noted and writes them; false, and makes none, if there is no room.
    func tallyNoted(in database: Database) throws(StoreFailure) -> Bool {
        guard database.tally.makeMarks() else {
            database.mayTally = false
            return false
        }
        try database.writeTally()
        return true
    }

    private func write(
        _ change: StoreChanges.AppChange, checks: [StoreChanges.GrantCheck],
        to database: Database, at now: WallTime
    ) throws(StoreFailure) {
        let key = change.key
        let before = change.before ?? AppRecord()
        let after = change.after
        let known = try row(of: change.place, in: database)
        let row = if let known { known } else { try database.makeApp(key) }
        if known == nil { rows.remember(row, of: key) }
        if !before.hasSameCounters(as: after) {
            guard try database.writeCounters(after, row: row) else { throw missing(key) }
        }
        if before.isOptedOut != after.isOptedOut || before.helloPolicy != after.helloPolicy {
            guard try database.writeSettings(after, row: row) else { throw missing(key) }
        }
        // A record that the memory does not know must not hide grants either.
        if before.grants != after.grants || change.before == nil && known != nil {
            let check = checks.first { $0.key == key }
            try writeGrants(
                before.grants, after.grants, of: key, row: row, check: check, to: database,
                at: now)
        }
    }

    private func writeGrants(
        _ before: [Grant], _ after: [Grant], of key: AppKey, row: Int64,
        check: StoreChanges.GrantCheck?, to database: Database, at now: WallTime
    ) throws(StoreFailure) {
        precondition(after.count >= before.count, "a grant is never taken back")
        let stored = try database.grants(ofApp: row)
        guard stored.count == before.count else {
            throw .ledgerDisagrees(
                "the ledger holds \(stored.count) grants of app '\(key.app.string)' of uid "
                    + "\(key.user), the memory \(before.count)")
        }
        for (index, entry) in stored.enumerated() where before[index] != after[index] {
            try database.updateGrant(after[index], row: entry.row)
        }
        for grant in after.dropFirst(before.count) {
            guard let check else { preconditionFailure("every new grant comes with its caps") }
            try checkCaps(check, row: row, in: database, at: now)
            try database.insertGrant(grant, app: row, user: key.user)
        }
    }

    private func checkCaps(
        _ check: StoreChanges.GrantCheck, row: Int64, in database: Database, at now: WallTime
    ) throws(StoreFailure) {
        let ofApp = try database.grantsInWindow(ofApp: row, at: now)
        guard ofApp < check.cap else {
            throw .capReached(
                "app '\(check.key.app.string)' of uid \(check.key.user) has \(ofApp) grants in "
                    + "the window, its cap is \(check.cap)")
        }
        let ofUser = try database.grantsInWindow(of: check.key.user, at: now)
        guard ofUser < check.userCap else {
            throw .capReached(
                "uid \(check.key.user) has \(ofUser) grants in the window, its cap is "
                    + "\(check.userCap)")
        }
    }

    private func add(
        _ funnel: [FunnelCell: Int64], to database: Database, at now: WallTime
    ) throws(StoreFailure) {
        guard !funnel.isEmpty else { return }
        for (cell, count) in funnel {
            let row: Int64
            if let known = try self.row(of: cell.key, in: database) {
                row = known
            } else {
                row = try database.makeApp(cell.key)
            }
            try database.addFunnel(app: row, day: cell.day, step: cell.step, count: count)
        }
        try database.deleteFunnel(beforeDay: now.day - FunnelStep.daysKept)
    }

    /// Deletes the row of an app of which nothing is kept any more.
    private func forget(_ key: AppKey, in database: Database) throws(StoreFailure) {
        if let row = try row(of: key, in: database) { try database.deleteApp(row: row) }
        rows.forget(key)
    }

    private func row(of key: AppKey, in database: Database) throws(StoreFailure) -> Int64? {
        if let row = rows[key] { return row }
        guard let row = try database.row(of: key) else { return nil }
        rows.remember(row, of: key)
        return row
    }

    /// The same, which costs nothing if the place says it.
    func row(of place: StoredPlace, in database: Database) throws(StoreFailure) -> Int64? {
        if let row = rows[place] { return row }
        guard let row = try row(of: place.key, in: database) else { return nil }
        rows.remember(row, in: place)
        return row
    }

    func missing(_ key: AppKey) -> StoreFailure {
        .ledgerDisagrees("app '\(key.app.string)' of uid \(key.user) is not in the database")
    }
}

extension AppRecord {
    fileprivate func hasSameCounters(as other: AppRecord) -> Bool {
        lastSeen == other.lastSeen && sessions == other.sessions
            && lastSession == other.lastSession && firstSeen == other.firstSeen
            && version == other.version && events == other.events
    }
}
