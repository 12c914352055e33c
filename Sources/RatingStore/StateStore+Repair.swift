package import RatingPolicy

extension StateStore {
    /// Makes stamps that lie in the future count as now, of one user or of all; answers how many.
    ///
    /// Synced. Records in memory are to be read again.
    package func repairStamps(user: UserID?, now: WallTime) throws(StoreError) -> Int {
        if let failure { throw failure }
        let database = try openDatabase()
        var repaired: Int64 = 0
        do {
            try database.transaction { () throws(StoreFailure) in
                try database.settle()
                repaired = try database.repairStamps(user: user, now: now)
            }
        } catch {
            throw error.leavesDoubt ? broken(error) : told(error)
        }
        logState.committed(pages: database.logCounter.pages)
        logState.isDirty = true
        try sync()
        return Int(repaired)
    }
}

extension Database {
    private static let stamps: [(table: String, column: String)] = [
        ("app", "last_session"), ("app", "first_seen"), ("app", "last_seen"),
        ("ledger", "granted_at"), ("ledger", "shown_at"), ("ledger", "outcome_at"),
    ]

    /// Stamp.repaired(at:) of every stamp.
    ///
    /// The one place that compiles statements: it is run by hand, and rarely.
    func repairStamps(user: UserID?, now: WallTime) throws(StoreFailure) -> Int64 {
        var count: Int64 = 0
        for (table, column) in Self.stamps {
            let statement = try Statement(
                connection,
                """
                UPDATE \(table) SET \(column)_repaired = ?1
                WHERE \(column) > ?1 AND coalesce(\(column)_repaired, \(column)) > ?1
                    AND (?2 IS NULL OR uid = ?2)
                """, as: "repair stamps")
            statement.bind(1, now.milliseconds)
            statement.bind(2, user.map(Int64.init))
            try statement.run()
            count += connection.changes
        }
        return count
    }
}
