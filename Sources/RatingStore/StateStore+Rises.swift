package import RatingPolicy

extension StateStore {
    /// Writes what the events of some apps, each once, have come to at this time; or nothing of it.
    ///
    /// As durable as `.relaxed`; fails as `commit` of changes does.
    package func commit(_ rises: [Rise], now: WallTime) throws(StoreError) {
        let database = try databaseToWrite()
        do {
            try database.transaction { () throws(StoreFailure) in
                if try tally(rises, in: database, at: now) { return }
                try database.settle()
                for rise in rises { try write(rise, to: database, at: now) }
            }
        } catch {
            throw notCommitted(error)
        }
        logState.committed(pages: database.logCounter.pages)
        logState.isDirty = true
        database.keepReading()
    }

    /// Puts the rises into the tally; false if they do not belong there.
    private func tally(
        _ rises: [Rise], in database: Database, at now: WallTime
    ) throws(StoreFailure) -> Bool {
        guard mayTally(rises.count, in: database) else { return false }
        for rise in rises {
            guard rise.record.eventNamesCount <= Tally.namesMax,
                let row = try row(of: rise.app, in: database),
                database.tally.note(
                    Tally.Mark(
                        place: Tally.Place(row: row, name: rise.name), count: rise.count,
                        lastSeen: now))
            else {
                database.tally.forgetNoted()
                return false
            }
        }
        return try tallyNoted(in: database)
    }

    private func write(
        _ rise: Rise, to database: Database, at now: WallTime
    ) throws(StoreFailure) {
        var events = rise.record.events
        guard events.raise(rise.name, to: Count(rise.count)),
            let row = try row(of: rise.app, in: database),
            try database.writeEvents(events, lastSeen: now, row: row)
        else { throw missing(rise.app.key) }
    }
}
