package import RatingPolicy

extension StateStore {
    /// What is kept of an app; nil if nothing ever was.
    package func load(_ key: AppKey) throws(StoreError) -> AppRecord? {
        let app = try reading { database throws(StoreFailure) in try database.app(key) }
        if let app { rows.remember(app.row, of: key) }
        return app?.record
    }

    package func loadUser(_ user: UserID) throws(StoreError) -> UserRecord {
        try reading { database throws(StoreFailure) in try database.user(user) }
    }

    /// How many apps of a user the store keeps something of, listed or not.
    package func appCount(of user: UserID) throws(StoreError) -> Int64 {
        try reading { database throws(StoreFailure) in try database.appCount(of: user) }
    }

    /// Whose grant a token names.
    package func key(ofToken token: Token) throws(StoreError) -> AppKey? {
        try reading { database throws(StoreFailure) in try database.key(of: token) }
    }

    /// Apps of a user behind a name, listed or not, in the order of their names' bytes.
    package func summaries(
        of user: UserID, after: AppID?, limit: Int, at now: WallTime
    ) throws(StoreError) -> [AppSummary] {
        try reading { database throws(StoreFailure) in
            try database.summaries(of: user, after: after, limit: limit, at: now)
        }
    }

    /// Lines of the funnel of one app, or of all apps of a user, in the order of their places.
    package func funnel(
        of user: UserID, app: AppID?, after place: FunnelPlace, limit: Int
    ) throws(StoreError) -> [FunnelLine] {
        try reading { database throws(StoreFailure) in
            try database.funnel(of: user, app: app, after: place, limit: limit)
        }
    }

    /// Grants whose clock said this time or later, of one app or of all apps of a user, in the
    /// order they were made.
    package func grants(
        user: UserID, app: AppID?, since: WallTime
    ) throws(StoreError) -> [Grant] {
        try reading { database throws(StoreFailure) in
            guard let app else { return try database.grants(of: user, since: since) }
            guard let row = try database.row(of: AppKey(user: user, app: app)) else { return [] }
            return try database.grants(ofApp: row).map(\.grant).filter {
                $0.grantedAt.first >= since
            }
        }
    }

    private func reading<Value>(
        _ body: (Database) throws(StoreFailure) -> Value
    ) throws(StoreError) -> Value {
        let database = try openDatabase()
        do { return try body(database) } catch { throw told(error) }
    }

    /// The database for reading, which may go on while nothing can be committed.
    func openDatabase() throws(StoreError) -> Database {
        if case .damaged = failure, let failure { throw failure }
        if let database { return database }
        throw failure ?? .unavailable(detail: "the state in '\(paths.directory)' is closed")
    }
}
