import RatingPolicy
import RatingStore
import RatingWire

/// What one process may have of what is counted per user: half of it (SPEC 5), so that no app shuts
/// out its neighbours.
///
/// A process is known as long as it has a connection or uses something of its share: closing all
/// connections and opening others makes nothing free.
extension Core {
    /// How many processes without a connection are remembered of a user, beside those with pending
    /// requests.
    static let goneProcessesMax = 64

    func share(of limit: Limit) -> Int { Swift.max(1, Int(limits[limit]) / 2) }

    /// The process of a new connection.
    func process(_ id: ProcessID, of user: LiveUser) -> LiveProcess {
        guard let process = user.processes[id] else { return LiveProcess(id) }
        if process.connectionCount == 0 { user.gone.removeAll { $0 === process } }
        return process
    }

    /// The process that acts when a client does, nil where it acts for another user: it has no
    /// share of what is that one's.
    func process(of client: Client, for user: LiveUser) -> LiveProcess? {
        client.user === user ? client.process : nil
    }

    /// Looks after the processes whose last connection was closed in the turn that is over.
    func settleLeft() {
        guard !left.isEmpty else { return }
        for client in left where client.process.connectionCount == 0 {
            let user = client.user
            if !user.gone.contains(where: { $0 === client.process }) {
                user.gone.append(client.process)
            }
            var spare = user.gone.count - Self.goneProcessesMax
            user.gone.removeAll { process in
                guard usesNothing(process) || (spare > 0 && process.content.pendingCount == 0)
                else { return false }
                spare -= 1
                user.processes[process.id] = nil
                return true
            }
        }
        left = []
    }

    private func usesNothing(_ process: LiveProcess) -> Bool {
        let content = process.content
        return content.pendingCount == 0 && content.appCount == 0
            && process.bucket.isFull(
                perSec: limits[.ratePerSec] * 5, burst: limits[.rateBurst] * 5, at: now.monotonic)
    }

    // MARK: - Apps

    /// How many apps the user has; throws if there may be no more, or no more by this process.
    func roomForApp(of user: LiveUser, by process: LiveProcess?) throws(Failure) -> Int {
        var known = 0
        if let count = user.content.appCount {
            known = count
        } else {
            known = try stored { () throws(StoreError) in try storage.appCount(of: user.id) }
        }
        let own = process?.content.appCount ?? 0
        let isShareLeft = own < share(of: .appsPerUid)
        guard known < limits[.appsPerUid], isShareLeft else {
            throw overLimit(.appsPerUid, user: user.id, isShare: !isShareLeft)
        }
        return known
    }

    /// Takes a place for an app that is about to be stored.
    func admit(_ app: LiveApp, by process: LiveProcess?) throws(Failure) {
        let known = try roomForApp(of: app.user, by: process)
        touch(app.user)
        app.user.content.appCount = known + 1
        guard let process else { return }
        touch(process)
        process.content.appCount += 1
        touch(app)
        app.content.maker = process
    }

    /// Nothing is stored of the app any more.
    func makeRoom(of app: LiveApp) {
        app.user.amend { $0.appCount = nil }
        app.content.maker?.amend { $0.appCount -= 1 }
        app.content.maker = nil
    }

    // MARK: - Pending requests

    /// One pending request more of a user, or of the process that takes over another's. There must
    /// be room for its app, too, since a grant would make it one of the user's.
    func admitPending(of app: LiveApp, from client: Client) throws(Failure) {
        guard app.pending?.process != client.process.id else { return }
        if !app.content.isStored { _ = try roomForApp(of: app.user, by: client.process) }
        let others = app.user.content.pending.count - (app.pending == nil ? 0 : 1)
        let isShareLeft = client.process.content.pendingCount < share(of: .pendingPerUid)
        guard others < Int(limits[.pendingPerUid]), isShareLeft else {
            throw overLimit(.pendingPerUid, user: app.user.id, isShare: !isShareLeft)
        }
    }

    // MARK: - Subscriptions

    /// One subscription more of a user.
    func admitSubscription(of client: Client) throws(Failure) {
        let subscribers = client.user.content.subscribers
        let own = subscribers.count { $0.process === client.process }
        let isShareLeft = own < share(of: .subscriptionsPerUid)
        guard subscribers.count < Int(limits[.subscriptionsPerUid]), isShareLeft else {
            throw overLimit(.subscriptionsPerUid, user: client.user.id, isShare: !isShareLeft)
        }
    }
}
