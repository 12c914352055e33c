internal import RatingPolicy

extension Database {
    /// The most old lines of the funnel that one transaction deletes, so that none takes long.
    static let oldFunnelMax: Int64 = 64

    /// Runs changes as one transaction; a failure leaves nothing of them.
    func transaction(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        try begin()
        do {
            try knowTally()
            try body()
            try statements.commit.run()
        } catch {
            endReading()
            isTallyKnown = false
            // Some failures have rolled back already. The error to tell is the first.
            if connection.isInTransaction { try? statements.rollback.run() }
            throw error
        }
    }

    private func begin() throws(StoreFailure) {
        do {
            try statements.begin.run()
        } catch {
            // Somebody else has written since: then from what is there now.
            guard error.isBusy, isReading else { throw error }
            endReading()
            try statements.begin.run()
        }
    }

    /// The row of an app, which is made if it is missing.
    func makeApp(_ key: AppKey) throws(StoreFailure) -> Int64 {
        if let row = try row(of: key) { return row }
        statements.insertApp.bind(1, Int64(key.user))
        statements.insertApp.bind(2, key.app.string)
        try statements.insertApp.run()
        return connection.lastRowID
    }

    /// False if the row is not there.
    func writeCounters(_ record: AppRecord, row: Int64) throws(StoreFailure) -> Bool {
        statements.updateCounters.bind(1, row)
        statements.updateCounters.bind(2, record.sessions.value)
        statements.updateCounters.bind(3, record.lastSession)
        statements.updateCounters.bind(5, record.firstSeen)
        statements.updateCounters.bind(7, record.lastSeen)
        statements.updateCounters.bind(9, record.version?.string)
        statements.updateCounters.bind(10, EventsText.text(of: record.events))
        statements.updateCounters.bind(11, record.events.total.value)
        try statements.updateCounters.run()
        return connection.changes == 1
    }

    /// Writes what events change; false if the row is not there.
    func writeEvents(
        _ events: EventCounts, lastSeen: WallTime, row: Int64
    ) throws(StoreFailure) -> Bool {
        statements.updateEvents.bind(1, row)
        statements.updateEvents.bind(2, EventsText.text(of: events))
        statements.updateEvents.bind(3, events.total.value)
        statements.updateEvents.bind(4, lastSeen.milliseconds)
        try statements.updateEvents.run()
        return connection.changes == 1
    }

    /// False if the row is not there.
    func writeSettings(_ record: AppRecord, row: Int64) throws(StoreFailure) -> Bool {
        statements.updateSettings.bind(1, row)
        statements.updateSettings.bind(2, record.isOptedOut ? 1 : 0)
        statements.updateSettings.bind(3, record.helloPolicy?.text)
        try statements.updateSettings.run()
        return connection.changes == 1
    }

    func deleteApp(row: Int64) throws(StoreFailure) {
        statements.deleteApp.bind(1, row)
        try statements.deleteApp.run()
    }

    func insertGrant(_ grant: Grant, app row: Int64, user: UserID) throws(StoreFailure) {
        Self.bind(grant, to: statements.insertGrant)
        statements.insertGrant.bind(11, row)
        statements.insertGrant.bind(12, Int64(user))
        try statements.insertGrant.run()
    }

    func updateGrant(_ grant: Grant, row: Int64) throws(StoreFailure) {
        Self.bind(grant, to: statements.updateGrant)
        statements.updateGrant.bind(11, row)
        try statements.updateGrant.run()
    }

    func deleteGrant(row: Int64) throws(StoreFailure) {
        statements.deleteGrant.bind(1, row)
        try statements.deleteGrant.run()
    }

    private static func bind(_ grant: Grant, to statement: borrowing Statement) {
        statement.bind(1, grant.grantedAt)
        statement.bind(3, grant.shownAt)
        statement.bind(5, grant.outcome?.rawValue)
        statement.bind(6, grant.outcomeAt)
        statement.bind(8, grant.token?.string)
        statement.bind(9, grant.version?.string)
        statement.bind(10, grant.isForgotten ? 1 : 0)
    }

    /// How many grants of an app are younger than the window.
    func grantsInWindow(ofApp row: Int64, at now: WallTime) throws(StoreFailure) -> Int64 {
        try Self.count(in: statements.countAppGrants, of: row, at: now)
    }

    /// How many grants of all apps of a user are younger than the window.
    func grantsInWindow(of user: UserID, at now: WallTime) throws(StoreFailure) -> Int64 {
        try Self.count(in: statements.countUserGrants, of: Int64(user), at: now)
    }

    private static func count(
        in statement: borrowing Statement, of owner: Int64, at now: WallTime
    ) throws(StoreFailure) -> Int64 {
        defer { statement.reset() }
        statement.bind(1, now.milliseconds)
        statement.bind(2, .window)
        statement.bind(3, owner)
        return try statement.step() ? statement.integer(0) : 0
    }

    func writeUser(_ user: UserID, isOptedOutOfAll: Bool) throws(StoreFailure) {
        statements.writeUser.bind(1, Int64(user))
        statements.writeUser.bind(2, isOptedOutOfAll ? 1 : 0)
        try statements.writeUser.run()
    }

    func addFunnel(
        app row: Int64, day: Int64, step: FunnelStep, count: Int64
    ) throws(StoreFailure) {
        statements.addFunnel.bind(1, row)
        statements.addFunnel.bind(2, day)
        statements.addFunnel.bind(3, step.key)
        statements.addFunnel.bind(4, count)
        try statements.addFunnel.run()
    }

    func deleteFunnel(app row: Int64) throws(StoreFailure) {
        statements.deleteFunnel.bind(1, row)
        try statements.deleteFunnel.run()
    }

    func deleteFunnel(beforeDay day: Int64) throws(StoreFailure) {
        statements.deleteOldFunnel.bind(1, day)
        statements.deleteOldFunnel.bind(2, Self.oldFunnelMax)
        try statements.deleteOldFunnel.run()
    }
}
