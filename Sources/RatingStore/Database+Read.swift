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
        guard var app = try appWithoutGrants(key) else { return nil }
        app.record.grants = try grants(ofApp: app.row).map(\.grant)
        return app
    }

    private func appWithoutGrants(_ key: AppKey) throws(StoreFailure) -> StoredApp? {
        defer { statements.readApp.reset() }
        statements.readApp.bind(1, Int64(key.user))
        statements.readApp.bind(2, key.app.string)
        return try statements.readApp.step() ? Self.app(in: statements.readApp) : nil
    }

    /// Listed apps of a user behind a name, in the order of the names' bytes.
    func apps(
        of user: UserID, after name: AppID?, limit: Int
    ) throws(StoreFailure) -> [StoredApp] {
        var apps = try appsWithoutGrants(of: user, after: name, limit: limit)
        for index in apps.indices {
            apps[index].record.grants = try grants(ofApp: apps[index].row).map(\.grant)
        }
        return apps
    }

    private func appsWithoutGrants(
        of user: UserID, after name: AppID?, limit: Int
    ) throws(StoreFailure) -> [StoredApp] {
        defer { statements.listApps.reset() }
        statements.listApps.bind(1, Int64(user))
        statements.listApps.bind(2, name?.string ?? "")
        statements.listApps.bind(3, Int64(limit))
        var apps: [StoredApp] = []
        while try statements.listApps.step() { apps.append(try Self.app(in: statements.listApps)) }
        return apps
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

    /// Sums of an app's or of all apps' funnel from a day on.
    func funnel(
        of user: UserID, app: AppID?, sinceDay: Int64
    ) throws(StoreFailure) -> [FunnelStep: Int64] {
        if let app {
            statements.sumAppFunnel.bind(1, Int64(user))
            statements.sumAppFunnel.bind(2, app.string)
            statements.sumAppFunnel.bind(3, sinceDay)
            return try Self.sums(in: statements.sumAppFunnel)
        }
        statements.sumUserFunnel.bind(1, Int64(user))
        statements.sumUserFunnel.bind(2, sinceDay)
        return try Self.sums(in: statements.sumUserFunnel)
    }

    /// Reads every row of the records and the ledger; throws `damaged` at what this program never
    /// wrote.
    func checkRows() throws(StoreFailure) {
        let apps = try Statement(connection, .allApps)
        while try apps.step() { _ = try Self.app(in: apps) }
        let grants = try Statement(connection, .allGrants)
        while try grants.step() { _ = try Self.grant(in: grants) }
    }

    private static func sums(
        in statement: borrowing Statement
    ) throws(StoreFailure) -> [FunnelStep: Int64] {
        defer { statement.reset() }
        var sums: [FunnelStep: Int64] = [:]
        while try statement.step() {
            // A step this version does not know is one of a newer version that was here before.
            guard let step = FunnelStep(key: try statement.text(0)) else { continue }
            sums[step] = statement.integer(1)
        }
        return sums
    }

    /// The app in the columns of `readApp` and `listApps`.
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
