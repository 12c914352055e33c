import RatingPolicy
import RatingStore
import TestSupport

/// Random commits, some of them wrong, as the core and its bugs might make them.
struct StoragePlay {
    var random: Seeded
    private(set) var now = Moment.start.wall
    private(set) var tokens: [Token] = []
    let users: [UserID] = [1_000, 1_001]
    let keys: [AppKey]

    init(seed: UInt64) {
        random = Seeded(seed)
        let apps = [AppID.notes, .maps, .clocks]
        keys = users.flatMap { user in apps.map { AppKey(user: user, app: $0) } }
    }

    mutating func advance() {
        let spans: [Milliseconds] = [1, .second, .day, 100 * .day, -3 * .day]
        now = now.adding(random.pick(spans))
    }

    mutating func changes(on image: Disk.Image) -> StoreChanges {
        var changes = StoreChanges()
        for _ in 0..<random.number(1...3) {
            let key = random.pick(keys)
            var before = image.apps[key]
            if random.isTrue(oneIn: 15) { before = nil }
            var after = before ?? AppRecord()
            change(&after, of: key, stored: image.apps[key], in: &changes)
            if random.isTrue(oneIn: 15), !changes.forgottenFunnels.contains(key),
                before?.grants.isEmpty == false
            {
                before?.grants.removeLast()
                after.grants.removeLast()
            }
            changes.apps.removeAll { $0.key == key }
            changes.apps.append(.init(key, before: before, after: after))
        }
        if random.isTrue(oneIn: 6) { changes.optedOutOfAll[random.pick(users)] = true }
        if random.isTrue(oneIn: 6) { changes.optedOutOfAll[random.pick(users)] = false }
        for _ in 0..<random.number(0...2) {
            let step = random.pick([FunnelStep.request, .refused("version"), .granted])
            changes.funnel[.init(key: random.pick(keys), day: now.day, step: step)] = 2
        }
        return changes
    }

    private mutating func change(
        _ record: inout AppRecord, of key: AppKey, stored: AppRecord?,
        in changes: inout StoreChanges
    ) {
        switch random.number(0...8) {
        case 0: record.sessions += 1
        case 1: _ = record.events.add(3, to: .significant, namesMax: .max)
        case 2:
            record.firstSeen = Stamp(now)
            record.lastSeen = Stamp(now)
            record.version = Version("1.\(random.number(0...3))")
        case 3: record.isOptedOut.toggle()
        case 4:
            record.helloPolicy = HelloPolicy()
            record.helloPolicy?.values[.debounceMs] = .integer(Int64(random.number(0...9)))
        case 5 where !record.grants.isEmpty:
            record.grants[record.grants.count - 1].outcome = .later
            record.grants[record.grants.count - 1].outcomeAt = Stamp(now)
        case 6:
            changes.forgottenFunnels.insert(key)
            if stored?.grants.isEmpty ?? true { record = AppRecord() }
        default:
            var token = Token("token-\(random.number(0...1_000_000))")
            if random.isTrue(oneIn: 20), let known = tokens.last { token = known }
            record.grants.append(
                Grant(grantedAt: Stamp(now), token: token, version: Version("1")))
            if let token, !tokens.contains(token) { tokens.append(token) }
            changes.grantChecks.append(.init(key: key, cap: 3, userCap: 5))
        }
    }
}

extension AppID {
    static let notes = named("org.example.Notes")
    static let maps = named("org.gnome.Maps")
    static let clocks = named("Clocks")

    static func named(_ name: String) -> AppID {
        guard let app = AppID(name) else { preconditionFailure("'\(name)' is an app's name") }
        return app
    }
}
