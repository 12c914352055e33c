import RatingPolicy
import RatingStore
import RatingWire

/// What is loaded when it is first needed, changed in memory, and let go when it is not needed.
extension Core {
    /// How many apps are kept in memory beyond those in use.
    static var appsKeptMax: Int { 4_096 }
    static var usersKeptMax: Int { 1_024 }

    func user(_ id: UserID) throws(Failure) -> LiveUser {
        if let user = users[id], user.epoch == epoch { return user }
        let record = try stored { () throws(StoreError) in try storage.loadUser(id) }
        guard let user = users[id] else {
            let user = LiveUser(id, record: record, epoch: epoch)
            users[id] = user
            return user
        }
        user.amend {
            $0.record = record
            $0.appCount = nil
        }
        user.epoch = epoch
        return user
    }

    func app(_ key: AppKey) throws(Failure) -> LiveApp {
        if let app = apps[key] { return try fresh(app) }
        let user = try user(key.user)
        let record = try stored { () throws(StoreError) in try storage.load(key) }
        let app = LiveApp(key, user: user, record: record, epoch: epoch)
        apps[key] = app
        return app
    }

    /// The app with its record as it is stored, or as this turn has changed it.
    func fresh(_ app: LiveApp) throws(Failure) -> LiveApp {
        app.isRecent = true
        guard app.epoch != epoch else { return app }
        _ = try user(app.key.user)
        let record = try stored { () throws(StoreError) in try storage.load(app.key) }
        app.amend {
            $0.state.record = record ?? AppRecord()
            $0.isStored = record != nil
        }
        app.policy = nil
        app.epoch = epoch
        return app
    }

    /// Runs a look into the store; its error is the client's answer.
    func stored<Value>(_ look: () throws(StoreError) -> Value) throws(Failure) -> Value {
        do throws(StoreError) {
            return try look()
        } catch {
            throw .storageUnavailable(detail: error.description)
        }
    }

    /// The policy in force for an app.
    func policy(of app: LiveApp) -> Policy {
        if let policy = app.policy { return policy }
        let policy = configuration.policy(for: app.id, hello: app.record.helloPolicy)
        app.policy = policy
        return policy
    }

    /// Announces that the app's record is about to change and is to be stored with this turn.
    ///
    /// Throws, and changes nothing, if that is known to be impossible, or if the app is new and
    /// the user, or the process, has made as many as allowed.
    func willStore(_ app: LiveApp, by process: LiveProcess?) throws(Failure) {
        if let failure { throw .storageUnavailable(detail: failure.description) }
        if !app.content.isStored { try admit(app, by: process) }
        touch(app)
        app.content.isStored = true
        app.content.isDirty = true
        guard !app.content.funnel.isEmpty else { return }
        turn.funnel.merge(app.content.funnel, uniquingKeysWith: +)
        app.content.funnel = [:]
        app.user.unstored.remove(app.id)
    }

    /// The same for what a client does.
    func willStore(_ app: LiveApp, for client: Client) throws(Failure) {
        try willStore(app, by: process(of: client, for: app.user))
    }

    /// Makes sure that what is known to be stored is on the disk, and not only about to be.
    func trustStored() throws(Failure) {
        if let failure = storage.failure {
            throw .storageUnavailable(detail: failure.description)
        }
    }

    /// Lets go of apps and users that nobody needs, once there are too many, and again when there are
    /// a quarter more than were left.
    func sweepIfCrowded() {
        if apps.count > appsSweptAt {
            sweepApps()
            appsSweptAt = Swift.max(Self.appsKeptMax * 2, apps.count + apps.count / 4)
        }
        if users.count > usersSweptAt {
            let inUse = Set(apps.keys.map(\.user))
            users = users.filter { $0.value.connectionCount > 0 || inUse.contains($0.key) }
            usersSweptAt = Swift.max(Self.usersKeptMax, users.count + users.count / 4)
        }
        if deadlines.entries.count > 1_024, deadlines.entries.count > pendingTotal * 4 {
            deadlines.rebuild { apps[$0.key]?.pending?.nextDeadline == $0.time }
        }
    }

    /// First those that were not used since the last time, then others as well.
    private func sweepApps() {
        for app in apps.values where app.isSpare {
            if app.isRecent { app.isRecent = false } else { letGo(of: app) }
        }
        guard apps.count > Self.appsKeptMax * 2 else { return }
        for app in apps.values where app.isSpare && apps.count > Self.appsKeptMax {
            letGo(of: app)
        }
    }

    private func letGo(of app: LiveApp) {
        apps[app.key] = nil
        app.user.unstored.remove(app.id)
    }
}

extension LiveApp {
    /// True if nobody needs it in memory.
    fileprivate var isSpare: Bool { pending == nil && content.clientCount == 0 }
}
