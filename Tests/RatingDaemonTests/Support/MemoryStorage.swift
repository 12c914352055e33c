import RatingPolicy
import RatingStore

@testable import RatingDaemon

/// The store of one process, on a disk in memory, with failures as a test wants them.
///
/// Does what `StateStore` does with the same calls; `StorageTests` compares the two.
final class MemoryStorage: Storage {
    /// How a commit fails.
    enum Fault: CaseIterable {
        /// Nothing is stored; the next commit may work.
        case refused
        /// Nothing is stored, and nothing will be before `recover`.
        case broken
        /// Everything is stored, but the sync fails; nothing more is stored before `recover`.
        case syncFailed
    }

    let disk: Disk
    private(set) var epoch = 0
    private(set) var failure: StoreError?
    /// The fault of the commit with this number, counted from 1.
    var faults: [Int: Fault] = [:]
    /// Every commit fails so.
    var fault: Fault?
    var readsFail = false
    /// The next use makes a broken store whole.
    var recoversOnUse = false
    /// Whether rises may be stored as such.
    var takesRises = true
    private(set) var rises = 0
    private(set) var commits = 0
    private(set) var failures = 0
    private(set) var reads = 0
    /// How often a clock repair was tried.
    private(set) var repairs = 0
    /// How many commits are stored though they failed.
    private(set) var storedUnasked = 0
    /// What the last commit was asked to be.
    private(set) var lastDurability: Durability?

    init(_ disk: Disk = Disk()) {
        self.disk = disk
    }

    var ledgerProblem: String? { disk.ledgerProblem }

    /// Opens the store anew; what was stored is synced.
    func recover() {
        failure = nil
        disk.sync()
        epoch += 1
    }

    private func use() {
        guard recoversOnUse, failure != nil else { return }
        recoversOnUse = false
        recover()
    }

    private func read() throws(StoreError) -> Disk.Image {
        use()
        reads += 1
        if readsFail {
            failures += 1
            throw .unavailable(detail: "the disk does not answer")
        }
        return disk.image
    }

    func load(_ key: AppKey) throws(StoreError) -> AppRecord? { try read().apps[key] }

    func loadUser(_ user: UserID) throws(StoreError) -> UserRecord {
        let image = try read()
        var record = UserRecord()
        record.isOptedOutOfAll = image.optedOutOfAll[user] ?? false
        record.grants = image.grants(of: user).map(\.grantedAt)
        return record
    }

    func appCount(of user: UserID) throws(StoreError) -> Int {
        try read().apps.keys.count { $0.user == user }
    }

    func key(ofToken token: Token) throws(StoreError) -> AppKey? {
        try read().apps.first { $0.value.grants.contains { $0.token == token } }?.key
    }

    func summaries(
        of user: UserID, after: AppID?, limit: Int, at now: WallTime
    ) throws(StoreError) -> [AppSummary] {
        let apps = try read().apps.filter { key, _ in
            key.user == user && (after.map { $0 < key.app } ?? true)
        }
        return apps.sorted { $0.key.app < $1.key.app }.prefix(limit)
            .map { AppSummary($0.key.app, $0.value, at: now) }
    }

    func funnel(
        of user: UserID, app: AppID?, after place: FunnelPlace, limit: Int
    ) throws(StoreError) -> [FunnelLine] {
        var sums: [FunnelPlace: Int64] = [:]
        for (cell, count) in try read().funnel
        where cell.key.user == user && (app == nil || cell.key.app == app) {
            sums[FunnelPlace(day: cell.day, step: cell.step.key), default: 0] += count
        }
        return sums.filter { place < $0.key }.sorted { $0.key < $1.key }.prefix(limit)
            .map { FunnelLine(place: $0.key, count: $0.value) }
    }

    func grants(of user: UserID, app: AppID?, since: WallTime) throws(StoreError) -> [Grant] {
        let image = try read()
        let grants = app.map { image.apps[AppKey(user: user, app: $0)]?.grants ?? [] }
        return (grants ?? image.grants(of: user)).filter { $0.grantedAt.first >= since }
    }

    func repairStamps(at now: WallTime) throws(StoreError) -> Int {
        use()
        defer { epoch += 1 }
        repairs += 1
        try fail(fault == .syncFailed ? .broken : fault)
        var image = disk.image
        var count = 0
        for key in image.apps.keys { image.apps[key]?.repair(at: now, counting: &count) }
        disk.store(image)
        disk.sync()
        return count
    }

    func commit(_ rises: [Rise], at now: WallTime) throws(StoreError) -> Bool {
        guard takesRises else { return false }
        self.rises += rises.count
        try commit(.relaxed) { image in
            for rise in rises { image.apply(rise, at: now) }
        }
        return true
    }

    func commit(
        _ changes: StoreChanges, _ durability: Durability, at now: WallTime
    ) throws(StoreError) {
        try commit(durability) { image throws(StoreError) in
            try image.apply(changes, at: now)
        }
    }

    private func commit(
        _ durability: Durability, _ apply: (inout Disk.Image) throws(StoreError) -> Void
    ) throws(StoreError) {
        use()
        commits += 1
        lastDurability = durability
        let fault = self.fault ?? faults[commits]
        do throws(StoreError) {
            try fail(fault == .syncFailed ? nil : fault)
            var image = disk.image
            try apply(&image)
            disk.store(image)
            if fault == .syncFailed {
                storedUnasked += 1
                try fail(.broken)
            }
            if durability == .synced { disk.sync() }
        } catch {
            epoch += 1
            throw error
        }
    }

    private func fail(_ fault: Fault?) throws(StoreError) {
        if let failure {
            failures += 1
            throw failure
        }
        guard let fault else { return }
        failures += 1
        let error = StoreError.unavailable(detail: "no space left on device")
        if fault != .refused { failure = error }
        throw error
    }
}

extension Disk.Image {
    /// In the order they were made.
    func grants(of user: UserID) -> [Grant] {
        var next: [AppID: Int] = [:]
        return (ledger[user] ?? []).compactMap { app in
            let index = next[app, default: 0]
            next[app] = index + 1
            return apps[AppKey(user: user, app: app)]?.grants[index]
        }
    }

    mutating func apply(_ rise: Rise, at now: WallTime) {
        guard apps[rise.app.key] == rise.record,
            apps[rise.app.key]?.events.raise(rise.name, to: Count(rise.count)) == true
        else { preconditionFailure("what rises is as it is stored") }
        apps[rise.app.key]?.lastSeen = Stamp(now)
    }

    mutating func apply(_ changes: StoreChanges, at now: WallTime) throws(StoreError) {
        for key in changes.forgottenFunnels { funnel = funnel.filter { $0.key.key != key } }
        for change in changes.apps {
            let key = change.key
            let check = changes.grantChecks.first { $0.key == key }
            try write(change, of: key, check: check, at: now)
            if change.after == AppRecord(), changes.forgottenFunnels.contains(key) {
                apps[key] = nil
            }
        }
        for (user, isOptedOut) in changes.optedOutOfAll { optedOutOfAll[user] = isOptedOut }
        for (cell, count) in changes.funnel {
            if apps[cell.key] == nil { apps[cell.key] = AppRecord() }
            funnel[cell, default: 0] += count
        }
        let oldest = now.day - FunnelStep.daysKept
        if !changes.funnel.isEmpty { funnel = funnel.filter { $0.key.day >= oldest } }
    }

    private mutating func write(
        _ change: StoreChanges.AppChange, of key: AppKey, check: StoreChanges.GrantCheck?,
        at now: WallTime
    ) throws(StoreError) {
        let before = change.before ?? AppRecord()
        let after = change.after
        var stored = apps[key] ?? AppRecord()
        var counters = after
        counters.grants = before.grants
        counters.isOptedOut = before.isOptedOut
        counters.helloPolicy = before.helloPolicy
        if counters != before {
            let kept = stored
            stored = after
            stored.grants = kept.grants
            stored.isOptedOut = kept.isOptedOut
            stored.helloPolicy = kept.helloPolicy
        }
        if before.isOptedOut != after.isOptedOut || before.helloPolicy != after.helloPolicy {
            stored.isOptedOut = after.isOptedOut
            stored.helloPolicy = after.helloPolicy
        }
        if before.grants != after.grants || change.before == nil && apps[key] != nil {
            guard stored.grants.count == before.grants.count else {
                throw .ledgerDisagrees(detail: "\(stored.grants.count) grants are stored")
            }
            for index in before.grants.indices where before.grants[index] != after.grants[index] {
                stored.grants[index] = after.grants[index]
            }
            for grant in after.grants.dropFirst(before.grants.count) {
                guard let check else { preconditionFailure("every new grant comes with its caps") }
                try checkCaps(check, stored, at: now)
                try checkToken(grant)
                stored.grants.append(grant)
                ledger[key.user, default: []].append(key.app)
                apps[key] = stored
            }
        }
        apps[key] = stored
    }

    private func checkCaps(
        _ check: StoreChanges.GrantCheck, _ stored: AppRecord, at now: WallTime
    ) throws(StoreError) {
        func count(_ grants: [Grant]) -> Int64 {
            Int64(grants.count { $0.grantedAt.age(at: now) < .window })
        }
        guard count(stored.grants) < check.cap, count(grants(of: check.key.user)) < check.userCap
        else { throw .capReached(detail: "one grant too many") }
    }

    private func checkToken(_ grant: Grant) throws(StoreError) {
        guard let token = grant.token,
            apps.values.contains(where: { $0.grants.contains { $0.token == token } })
        else { return }
        throw .unavailable(detail: "a token is there twice")
    }
}

extension AppRecord {
    mutating func repair(at now: WallTime, counting count: inout Int) {
        Self.repair(&lastSession, at: now, counting: &count)
        Self.repair(&firstSeen, at: now, counting: &count)
        Self.repair(&lastSeen, at: now, counting: &count)
        for index in grants.indices {
            var grantedAt: Stamp? = grants[index].grantedAt
            Self.repair(&grantedAt, at: now, counting: &count)
            grants[index].grantedAt = grantedAt ?? grants[index].grantedAt
            Self.repair(&grants[index].shownAt, at: now, counting: &count)
            Self.repair(&grants[index].outcomeAt, at: now, counting: &count)
        }
    }

    private static func repair(_ stamp: inout Stamp?, at now: WallTime, counting count: inout Int) {
        guard let old = stamp, old.first > now, old.repaired ?? old.first > now else { return }
        stamp = Stamp(old.first, repaired: now)
        count += 1
    }
}
