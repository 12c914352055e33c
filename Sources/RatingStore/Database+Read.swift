internal import RatingPolicy

extension Database {
    /// An app with the number of its row.
    struct StoredApp {
        var row: Int64
        var name: AppID
        var record: AppRecord
    }

    /// A grant with the number of its row.
    struct StoredGrant {
        var row: Int64
        var grant: Grant
    }

    func app(_ key: AppKey) throws(StoreFailure) -> StoredApp? {
        try knowTally()
        guard var app = try appWithoutGrants(key) else { return nil }
        try apply(tally.marks(ofApp: app.row), to: &app.record)
        app.record.grants = try grants(ofApp: app.row).map(\.grant)
        return app
    }

    private func appWithoutGrants(_ key: AppKey) throws(StoreFailure) -> StoredApp? {
        defer { statements.readApp.reset() }
        statements.readApp.bind(1, Int64(key.user))
        statements.readApp.bind(2, key.app.string)
        return try statements.readApp.step() ? Self.app(in: statements.readApp) : nil
    }

    /// Apps of a user behind a name, listed or not, in the order of the names' bytes.
    func summaries(
        of user: UserID, after name: AppID?, limit: Int, at now: WallTime
    ) throws(StoreFailure) -> [AppSummary] {
        try knowTally()
        defer { statements.listApps.reset() }
        statements.listApps.bind(1, now.milliseconds)
        statements.listApps.bind(2, .window)
        statements.listApps.bind(3, Int64(user))
        statements.listApps.bind(4, name?.string ?? "")
        statements.listApps.bind(5, Int64(limit))
        let tallied = Dictionary(grouping: tally.marks, by: \.place.row)
        var apps: [AppSummary] = []
        while try statements.listApps.step() {
            var app = try Self.summary(in: statements.listApps)
            if let marks = tallied[statements.listApps.integer(0)] { try apply(marks, to: &app) }
            apps.append(app)
        }
        return apps
    }

    private static func summary(in row: borrowing Statement) throws(StoreFailure) -> AppSummary {
        AppSummary(
            app: try row.checked(AppID(try row.text(1)), "an app's name"),
            sessions: Count(row.integer(2)), events: Count(row.integer(3)),
            lastSeen: row.optionalInteger(4).map(WallTime.init(milliseconds:)),
            promptsInWindow: Int(row.integer(5)), isListed: row.integer(6) != 0)
    }

    func row(of key: AppKey) throws(StoreFailure) -> Int64? {
        defer { statements.findApp.reset() }
        statements.findApp.bind(1, Int64(key.user))
        statements.findApp.bind(2, key.app.string)
        return try statements.findApp.step() ? statements.findApp.integer(0) : nil
    }

    func appCount(of user: UserID) throws(StoreFailure) -> Int64 {
        defer { statements.countApps.reset() }
        statements.countApps.bind(1, Int64(user))
        return try statements.countApps.step() ? statements.countApps.integer(0) : 0
    }

    /// In the order they were made.
    func grants(ofApp row: Int64) throws(StoreFailure) -> [StoredGrant] {
        defer { statements.readGrants.reset() }
        statements.readGrants.bind(1, row)
        var grants: [StoredGrant] = []
        while try statements.readGrants.step() {
            grants.append(try Self.grant(in: statements.readGrants))
        }
        return grants
    }

    /// The grants of all apps of a user whose first stamp is not before a time.
    func grants(of user: UserID, since: WallTime) throws(StoreFailure) -> [Grant] {
        defer { statements.listGrants.reset() }
        statements.listGrants.bind(1, Int64(user))
        statements.listGrants.bind(2, since.milliseconds)
        var grants: [Grant] = []
        while try statements.listGrants.step() {
            grants.append(try Self.grant(in: statements.listGrants).grant)
        }
        return grants
    }

    func user(_ user: UserID) throws(StoreFailure) -> UserRecord {
        defer {
            statements.readUser.reset()
            statements.readUserGrants.reset()
        }
        var record = UserRecord()
        statements.readUser.bind(1, Int64(user))
        if try statements.readUser.step() {
            record.isOptedOutOfAll = statements.readUser.integer(0) != 0
        }
        statements.readUserGrants.bind(1, Int64(user))
        while try statements.readUserGrants.step() {
            try Self.compare(statements.readUserGrants, isWhole: 3)
            let stamp = statements.readUserGrants.stamp(1)
            record.grants.append(try statements.readUserGrants.checked(stamp, "a time"))
        }
        return record
    }

    func key(of token: Token) throws(StoreFailure) -> AppKey? {
        defer { statements.findToken.reset() }
        statements.findToken.bind(1, token.string)
        guard try statements.findToken.step() else { return nil }
        let user = UserID(exactly: statements.findToken.integer(0))
        let app = AppID(try statements.findToken.text(1))
        return AppKey(
            user: try statements.findToken.checked(user, "a uid"),
            app: try statements.findToken.checked(app, "an app's name"))
    }

    /// Lines of the funnel of an app, or of all apps of a user, behind a place, in their order.
    func funnel(
        of user: UserID, app: AppID?, after place: FunnelPlace, limit: Int
    ) throws(StoreFailure) -> [FunnelLine] {
        guard let app else {
            return try Self.lines(in: statements.readUserFunnel, user, place, limit)
        }
        statements.readAppFunnel.bind(5, app.string)
        return try Self.lines(in: statements.readAppFunnel, user, place, limit)
    }

    /// Reads every row of the records and the ledger; throws `damaged` at what this program never
    /// wrote.
    func checkRows() throws(StoreFailure) {
        let apps = try Statement(connection, .allApps)
        while try apps.step() { _ = try Self.app(in: apps) }
        let grants = try Statement(connection, .allGrants)
        while try grants.step() { _ = try Self.grant(in: grants) }
    }

    private static func lines(
        in statement: borrowing Statement, _ user: UserID, _ place: FunnelPlace, _ limit: Int
    ) throws(StoreFailure) -> [FunnelLine] {
        defer { statement.reset() }
        statement.bind(1, Int64(user))
        statement.bind(2, place.day)
        statement.bind(3, place.step)
        statement.bind(4, Int64(limit))
        var lines: [FunnelLine] = []
        while try statement.step() {
            let place = FunnelPlace(day: statement.integer(0), step: try statement.text(1))
            lines.append(FunnelLine(place: place, count: statement.integer(2)))
        }
        return lines
    }

    /// The app in the columns of `readApp`.
    private static func app(in row: borrowing Statement) throws(StoreFailure) -> StoredApp {
        var record = AppRecord()
        record.sessions = Count(row.integer(2))
        record.lastSession = row.stamp(3)
        record.firstSeen = row.stamp(5)
        record.lastSeen = row.stamp(7)
        if let version = try row.optionalText(9) {
            record.version = try row.checked(Version(version), "an app's version")
        }
        record.events = try row.checked(
            EventsText.events(from: try row.text(10)), "the text of an app's events")
        record.isOptedOut = row.integer(11) != 0
        record.helloPolicy = try row.optionalText(12).map(HelloPolicy.init(text:))
        let name = try row.checked(AppID(try row.text(1)), "an app's name")
        return StoredApp(row: row.integer(0), name: name, record: record)
    }

    /// The grant in the columns of `readGrants` and `listGrants`.
    private static func grant(in row: borrowing Statement) throws(StoreFailure) -> StoredGrant {
        try compare(row, isWhole: 11)
        var grant = Grant(
            grantedAt: try row.checked(row.stamp(1), "a time"), token: nil, version: nil)
        grant.shownAt = row.stamp(3)
        if let outcome = try row.optionalText(5) {
            grant.outcome = try row.checked(Outcome(rawValue: outcome), "an outcome")
        }
        grant.outcomeAt = row.stamp(6)
        if let token = try row.optionalText(8) {
            grant.token = try row.checked(Token(token), "a token")
        }
        if let version = try row.optionalText(9) {
            grant.version = try row.checked(Version(version), "a grant's version")
        }
        grant.isForgotten = row.integer(10) != 0
        return StoredGrant(row: row.integer(0), grant: grant)
    }

    /// Throws if a row of the ledger, its number in column 0, is not what its copy says.
    private static func compare(
        _ row: borrowing Statement, isWhole column: Int32
    ) throws(StoreFailure) {
        guard row.integer(column) == 1 else {
            throw .damaged("row \(row.integer(0)) of the ledger is not what its copy says")
        }
    }
}
