import Glibc
import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// A directory of its own for one test, gone afterwards.
final class ScratchDirectory: Sendable {
    let path: String

    init() throws {
        // In memory where that is possible: what is tested is the order of things, not the disk.
        let memory = try Files.statusIfPresent("/dev/shm")
        let parent = memory?.kind == .directory ? "/dev/shm" : "/tmp"
        path = parent + "/ratingstore-test-\(UInt64.random(in: 0...UInt64.max))"
        try Files.makeDirectories(path)
    }

    /// Where the store lives; not there before the first start.
    var state: String { path + "/state" }
    var database: String { state + "/ratingd.db" }

    func names() throws -> [String] {
        try Files.directoryEntries(state)
    }

    func setAside() throws -> [String] {
        try names().filter { $0.hasPrefix("ratingd.db.corrupt-") }
    }

    /// Opens the store, which must not be held elsewhere.
    func open(at now: WallTime = .start, schema: Schema = .current) throws -> StateStore {
        switch StateStore.open(directory: state, now: now, schema: schema) {
        case .opened(let store): return store
        case .held(let detail): throw Held(detail: detail)
        }
    }

    /// Opens the store, which must be usable.
    func openUsable(at now: WallTime = .start) throws -> StateStore {
        let store = try open(at: now)
        try #require(store.failure == nil)
        return store
    }

    deinit {
        FileTree.remove(path)
    }
}

struct Held: Error {
    let detail: String
}

enum FileTree {
    static func remove(_ path: String) {
        let status = try? Files.statusIfPresent(path, followsLink: false)
        if status?.kind == .directory {
            _ = unsafe chmod(path, 0o700)
            for name in (try? Files.directoryEntries(path)) ?? [] { remove(path + "/" + name) }
            _ = unsafe rmdir(path)
        } else {
            _ = unsafe unlink(path)
        }
    }

    static func read(_ path: String) throws -> [UInt8] {
        try Files.readFile(path, maxBytes: 1 << 30)
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let raw = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(raw >= 0, "open '\(path)'")
        let file = Descriptor(owning: raw)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(file.raw, $0.baseAddress, $0.count)
            }
            try #require(count > 0, "write '\(path)'")
            rest = rest.dropFirst(count)
        }
    }

    static func copy(_ path: String, to target: String) throws {
        try write(try read(path), to: target)
    }

    /// Copies the database and its log, as a crash at this moment would leave them.
    static func copyState(_ state: String, to target: String) throws {
        try Files.makeDirectories(target)
        for name in ["ratingd.db", "ratingd.db-wal", "ratingd.db-synced"] {
            guard try Files.statusIfPresent(state + "/" + name) != nil else { continue }
            try copy(state + "/" + name, to: target + "/" + name)
        }
    }
}

extension WallTime {
    /// 2026-11-30T05:09:02.123Z
    static let start = WallTime(milliseconds: 1_796_015_342_123)
}

extension AppKey {
    static let notes = AppKey(user: 1000, app: .notes)
    static let maps = AppKey(user: 1000, app: AppID("org.gnome.Maps")!)
}

extension AppID {
    static let notes = AppID("org.example.Notes")!
}

extension StateStore {
    /// Commits one app's change without new grants.
    func put(
        _ after: AppRecord, over before: AppRecord? = nil, for key: AppKey = .notes,
        _ durability: Durability = .relaxed, at now: WallTime = .start
    ) throws(StoreError) {
        var changes = StoreChanges()
        changes.apps.append(.init(key, before: before, after: after))
        try commit(changes, durability: durability, now: now)
    }

    /// Commits that nothing is kept of an app any more; it must have no grants.
    func forget(_ place: StoredPlace) throws(StoreError) {
        var changes = StoreChanges()
        changes.apps.append(.init(place, before: try load(place.key), after: AppRecord()))
        changes.forgottenFunnels = [place.key]
        try commit(changes, durability: .relaxed, now: .start)
    }

    /// Commits a new grant, with caps far away unless they are given.
    @discardableResult
    func grant(
        token: String, for key: AppKey = .notes, cap: Int64 = 1_000, userCap: Int64 = 1_000,
        version: String = "1", at now: WallTime = .start
    ) throws -> AppRecord {
        let before = try load(key)
        var after = before ?? AppRecord()
        after.grants.append(
            Grant(grantedAt: Stamp(now), token: Token(token), version: Version(version)))
        var changes = StoreChanges()
        changes.apps.append(.init(key, before: before, after: after))
        changes.grantChecks = [.init(key: key, cap: cap, userCap: userCap)]
        try commit(changes, durability: .synced, now: now)
        return after
    }
}

/// An app with something in every member.
func fullRecord() -> AppRecord {
    var record = AppRecord()
    record.sessions = 12
    record.lastSession = Stamp(.start, repaired: WallTime(milliseconds: 5))
    record.events = [.significant: 3, EventName("note-saved")!: 9]
    record.firstSeen = Stamp(WallTime(milliseconds: -7))
    record.lastSeen = Stamp(.start)
    record.version = Version("1.4")
    var hello = HelloPolicy()
    hello.values[.eventsUntilPrompt] = .integer(3)
    hello.needs[.significant] = 4
    record.helloPolicy = hello
    record.isOptedOut = true
    return record
}

/// Asks what an error says.
func detail(of body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as StoreError {
        return error.detail
    } catch {
        return "another error: \(error)"
    }
}

extension StateStore {
    /// Sums of the funnel from a day on, read a few lines at a time.
    func funnel(user: UserID, app: AppID?, sinceDay day: Int64) throws -> [FunnelStep: Int64] {
        var sums: [FunnelStep: Int64] = [:]
        var place = FunnelPlace(before: day)
        while true {
            let lines = try funnel(of: user, app: app, after: place, limit: 2)
            for line in lines {
                let step = try #require(FunnelStep(key: line.place.step))
                sums[step, default: 0] += line.count
            }
            guard let last = lines.last else { return sums }
            #expect(place < last.place)
            place = last.place
        }
    }

    /// The names of the apps that are listed.
    func listed(_ user: UserID, limit: Int = 9) throws -> [AppID] {
        try summaries(of: user, after: nil, limit: limit, at: .start).filter(\.isListed).map(\.app)
    }
}
