import Posix
import RatingPolicy
import RatingStore

/// The store on disk, as the core sees it: it mends itself when it can, and what waits for the
/// disk is done by a helper thread while the watchdog is kept content.
final class DiskStorage: Storage {
    /// How often a store that cannot be used is tried again, when something needs it.
    static let recoveryInterval: Milliseconds = 250

    private let store: StateStore?
    private let worker: Worker
    private let watchdog: Watchdog
    private let service: ServiceManager
    /// Signalled when a job beside the loop has finished.
    let finished: EventDescriptor
    /// Signalled when the job the loop waits for has finished.
    private let done: EventDescriptor
    private(set) var epoch = 0
    var syncSec: Int64 {
        didSet {
            // What waits for a sync was promised the shorter of the two.
            if syncSec < oldValue { syncDue = nil }
        }
    }

    private var log: [LogEntry] = []
    /// Why there is no store at all.
    private let missing: String?
    private var toldProblem: String?
    private var triedAt: SteadyTime?
    private var syncDue: SteadyTime?
    private var recovery = RecoveryPace()
    private var background: Background?

    /// A job that runs beside the loop, and where its result will be.
    private enum Background {
        case sync(SyncJob, Slot<SyncJob.Result>)
        case checkpoint(CheckpointJob, Slot<CheckpointJob.Result>)
    }

    /// `store` is nil if there is no directory for one; `missing` says why.
    init(
        store: StateStore?, missing: String?, syncSec: Int64, watchdog: Watchdog,
        service: ServiceManager
    ) throws(PosixError) {
        self.store = store
        self.missing = missing
        self.syncSec = syncSec
        self.watchdog = watchdog
        self.service = service
        worker = Worker()
        finished = try EventDescriptor()
        done = try EventDescriptor()
    }

    // MARK: - What the core asks

    var ledgerProblem: String? {
        if let store, !store.ledgerIsTrusted {
            return "damaged state was set aside beside '\(store.path)', so past prompts are not "
                + "known: put the file back while ratingd is stopped, or take it away"
        }
        return nil
    }

    var failure: StoreError? {
        guard let store else { return .unavailable(detail: missing ?? "there is no state") }
        return store.failure
    }

    func load(_ key: AppKey) throws(StoreError) -> AppRecord? { try usable().load(key) }

    func loadUser(_ user: UserID) throws(StoreError) -> UserRecord { try usable().loadUser(user) }

    func appCount(of user: UserID) throws(StoreError) -> Int {
        Int(try usable().appCount(of: user))
    }

    func key(ofToken token: Token) throws(StoreError) -> AppKey? {
        try usable().key(ofToken: token)
    }

    func summaries(
        of user: UserID, after: AppID?, limit: Int, at now: WallTime
    ) throws(StoreError) -> [AppSummary] {
        try usable().summaries(of: user, after: after, limit: limit, at: now)
    }

    func funnel(
        of user: UserID, app: AppID?, after place: FunnelPlace, limit: Int
    ) throws(StoreError) -> [FunnelLine] {
        try usable().funnel(of: user, app: app, after: place, limit: limit)
    }

    func grants(
        of user: UserID, app: AppID?, since: WallTime
    ) throws(StoreError) -> [Grant] {
        try usable().grants(user: user, app: app, since: since)
    }

    func repairStamps(at now: WallTime) throws(StoreError) -> Int {
        let store = try usable()
        defer { epoch += 1 }
        return try waiting { () throws(StoreError) in
            try store.repairStamps(user: nil, now: now)
        }
    }

    func commit(
        _ changes: StoreChanges, _ durability: Durability, at now: WallTime
    ) throws(StoreError) {
        let store = try usable()
        let durability = syncSec == 0 ? .synced : durability
        do throws(StoreError) {
            if durability == .synced || store.nextCommitWaits {
                try waiting { () throws(StoreError) in
                    try store.commit(changes, durability: durability, now: now)
                }
            } else {
                try store.commit(changes, durability: durability, now: now)
            }
        } catch {
            epoch += 1
            throw error
        }
    }

    func commit(_ rises: [Rise], at now: WallTime) throws(StoreError) -> Bool {
        let store = try usable()
        guard syncSec > 0, !store.nextCommitWaits else { return false }
        do throws(StoreError) {
            try store.commit(rises, now: now)
        } catch {
            epoch += 1
            throw error
        }
        return true
    }

    /// The store, mended if it was not usable and it is time to try.
    ///
    /// Reading may go on while nothing can be written, so a failure is no error here.
    private func usable() throws(StoreError) -> StateStore {
        guard let store else { throw .unavailable(detail: missing ?? "there is no state") }
        guard store.failure != nil else { return store }
        let now = Moment.now()
        if let triedAt, now.monotonic < triedAt.adding(Self.recoveryInterval) { return store }
        recover(store, at: now)
        return store
    }

    /// Opens the store anew; if that fails, it stays as it is, and says so to whoever needs it.
    private func recover(_ store: StateStore, at now: Moment) {
        triedAt = now.monotonic
        do throws(StoreError) {
            try waiting { () throws(StoreError) in try store.recover(now: now.wall) }
            epoch += 1
        } catch {
            return
        }
    }

    // MARK: - Work for the disk

    /// Runs a job in the helper thread and waits for it; the watchdog is told meanwhile that it is
    /// the disk that is slow.
    private func waiting<Value: Sendable>(
        _ job: @escaping @Sendable () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let slot = Slot<Result<Value, StoreError>>()
        let done = done
        let isTaken = worker.submit {
            slot.fill(Result(catching: job))
            done.signal()
        }
        guard isTaken else { return try job() }
        while true {
            if let result = slot.take() {
                done.drain()
                return try result.get()
            }
            do throws(PosixError) {
                _ = try SocketIO.wait(done.raw, timeoutMilliseconds: watchdog.pingIfDue())
            } catch {
                // Interrupted: look again.
            }
        }
    }

    /// Does what is due for the state, at the end of a turn.
    func maintain(at now: Moment) {
        guard let store else {
            tell(missing)
            return
        }
        collect(from: store)
        if store.failure == nil, background == nil { begin(with: store, at: now) }
        if store.failure != nil {
            // Nothing can be synced before it is mended, and a time that has passed would spin.
            syncDue = nil
        }
        if background == nil { recoverInTime(store, at: now) }
        for notice in store.takeNotices() { note(notice) }
        tell(store.failure?.detail ?? ledgerProblem)
    }

    /// When `maintain` has something to do, if nothing happens before.
    var nextMaintenance: SteadyTime? { background == nil ? syncDue ?? recovery.due : nil }

    /// Tries a store again that holds what is not on disk, also if nobody asks for anything.
    private func recoverInTime(_ store: StateStore, at now: Moment) {
        guard store.recoveryNeeded else { return recovery.settled() }
        guard let due = recovery.due else {
            return recovery.failed(at: now.monotonic, syncSec: syncSec)
        }
        guard due <= now.monotonic else { return }
        recover(store, at: now)
        if store.recoveryNeeded {
            recovery.failed(at: now.monotonic, syncSec: syncSec)
        } else {
            recovery.settled()
            // Another turn, for what the loop has put off until the store can be used.
            finished.signal()
        }
    }

    private func begin(with store: StateStore, at now: Moment) {
        do throws(StoreError) {
            switch store.checkpointNeed {
            case .none: break
            case .beside: return run(try store.checkpointJob())
            case .brief:
                let job = try store.checkpointJob()
                try store.finish(job, waiting { () throws(StoreError) in job.run() })
            case .whileWaiting:
                try waiting { () throws(StoreError) in try store.emptyLog() }
            }
            guard store.syncNeeded else {
                syncDue = nil
                return
            }
            if let syncDue, syncDue <= now.monotonic || store.isSyncLarge {
                self.syncDue = nil
                run(try store.syncJob())
            } else if syncDue == nil {
                syncDue = now.monotonic.adding(syncSec * .second)
            }
        } catch {
            epoch += 1
        }
    }

    private func run(_ job: SyncJob) {
        background = .sync(job, beside { job.run() })
    }

    private func run(_ job: CheckpointJob) {
        background = .checkpoint(job, beside { job.run() })
    }

    /// Runs a job in the helper thread while the loop goes on, and has the loop woken after it.
    private func beside<Result: Sendable>(_ job: @escaping @Sendable () -> Result) -> Slot<Result> {
        let slot = Slot<Result>()
        let finished = finished
        let work: @Sendable () -> Void = {
            slot.fill(job())
            finished.signal()
        }
        if !worker.submit(work) { work() }
        return slot
    }

    private func collect(from store: StateStore) {
        do throws(StoreError) {
            switch background {
            case .sync(let job, let slot):
                guard let result = slot.take() else { return }
                background = nil
                try store.finish(job, result)
            case .checkpoint(let job, let slot):
                guard let result = slot.take() else { return }
                background = nil
                try store.finish(job, result)
            case nil: break
            }
        } catch {
            epoch += 1
        }
    }

    /// Stores what is left and gives the state free.
    func close(at now: Moment) {
        guard let store else { return }
        if store.recoveryNeeded { recover(store, at: now) }
        do throws(StoreError) {
            try waiting { () throws(StoreError) in try store.close() }
        } catch {
            log.append(unavailable(error.detail))
        }
    }

    // MARK: - What people are told

    func takeLog() -> [LogEntry] {
        defer { log = [] }
        return log
    }

    /// Says once what is wrong, and once when nothing is any more.
    private func tell(_ problem: String?) {
        service.status(problem.map { "Degraded: \($0)" } ?? "Ready")
        guard problem != toldProblem else { return }
        toldProblem = problem
        guard let problem else {
            log.append(
                LogEntry(
                    .stateAvailable, "the state can be used again", [(.path, store?.path ?? "")]))
            return
        }
        log.append(unavailable(problem))
    }

    private func unavailable(_ problem: String) -> LogEntry {
        LogEntry(.stateUnavailable, problem, [(.path, store?.path ?? ""), (.error, problem)])
    }

    private func note(_ notice: StoreNotice) {
        switch notice {
        case .setAside(let path, let aside, let cause):
            log.append(
                LogEntry(
                    .stateSetAside,
                    "'\(path)' is damaged (\(cause)) and was set aside as '\(aside)'; counters "
                        + "start anew, and every request is refused until it is put back or "
                        + "taken away",
                    [(.path, path), (.aside, aside), (.error, cause)]))
        case .besideSetAside, .migrated: break
        }
    }
}
