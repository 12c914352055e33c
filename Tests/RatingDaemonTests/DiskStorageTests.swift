import Glibc
import Posix
import RatingPolicy
import RatingStore
import TestSupport
import Testing

@testable import RatingDaemon

/// What the store on disk does by itself, at times that the test says; no client is there.
struct DiskStorageTests {
    private let directory: TemporaryDirectory
    private let storage: DiskStorage
    private let store: StateStore

    init() throws {
        directory = TemporaryDirectory()
        store = try Self.open(in: directory)
        storage = try Self.storage(store, syncSec: 5)
    }

    private static func open(in directory: TemporaryDirectory) throws -> StateStore {
        let opening = StateStore.open(directory: directory.path, now: Moment.start.wall)
        guard case .opened(let store) = opening else {
            throw StoreError.unavailable(detail: "somebody else has the test's directory")
        }
        return store
    }

    private static func storage(_ store: StateStore, syncSec: Int64) throws -> DiskStorage {
        let service = ServiceManager(log: LogSink())
        return try DiskStorage(
            store: store, missing: nil, syncSec: syncSec,
            watchdog: Watchdog(period: nil, service: service), service: service)
    }

    private static func moment(after seconds: Int64) -> Moment {
        let span = seconds * .second
        return Moment(
            wall: Moment.start.wall.adding(span), monotonic: Moment.start.monotonic.adding(span),
            boottime: Moment.start.boottime.adding(span))
    }

    private func count(sessions: Int64) throws {
        let before = try storage.load(.notes)
        var after = before ?? AppRecord()
        after.sessions = Count(sessions)
        var changes = StoreChanges()
        changes.apps.append(.init(.notes, before: before, after: after))
        try storage.commit(changes, .relaxed, at: Moment.start.wall)
    }

    /// Does what is due after so many seconds; the seconds after which there is more to do.
    @discardableResult
    private func maintain(after seconds: Int64, _ storage: DiskStorage? = nil) -> Int64? {
        let storage = storage ?? self.storage
        storage.maintain(at: Self.moment(after: seconds))
        return storage.nextMaintenance.map {
            $0.millisecondsLeft(from: Moment.start.monotonic) / .second
        }
    }

    /// Waits for what the helper thread does.
    private func waitForHelper() throws {
        while !(try SocketIO.wait(storage.finished.raw, timeoutMilliseconds: 10_000)) {}
        storage.finished.drain()
    }

    private var database: String { directory.file("ratingd.db") }

    /// Something is in the way of the database: a sync fails, and so does every recovery.
    private func breakDisk() throws {
        try #require(unsafe rename(database, directory.file("away")) == 0)
        try #require(unsafe mkdir(database, 0o700) == 0)
    }

    private func mendDisk() throws {
        try #require(unsafe rmdir(database) == 0)
        try #require(unsafe rename(directory.file("away"), database) == 0)
    }

    private func bytes(ofLogIn directory: TemporaryDirectory) throws -> Int {
        var status = stat()
        try #require(unsafe stat(directory.file("ratingd.db-wal"), &status) == 0)
        return status.st_size
    }

    @Test func `what was committed is synced once, after SyncSec`() throws {
        #expect(maintain(after: 0) == nil)
        try count(sessions: 1)
        #expect(maintain(after: 0) == 5)
        #expect(maintain(after: 4) == 5)
        #expect(maintain(after: 5) == nil)
        try waitForHelper()
        #expect(maintain(after: 5) == nil)
        #expect(!store.syncNeeded)
    }

    @Test func `after a sync that failed it is tried again until all is on disk`() throws {
        try count(sessions: 1)
        maintain(after: 0)
        try breakDisk()
        #expect(maintain(after: 5) == 10)
        #expect(store.failure != nil)
        // Nothing before it is due, whatever else the loop has to do.
        #expect(maintain(after: 7) == 10)
        #expect(maintain(after: 10) == 20)
        #expect(maintain(after: 20) == 40)
        try mendDisk()
        #expect(maintain(after: 30) == 40)
        #expect(store.failure != nil)
        #expect(maintain(after: 40) == nil)
        #expect(store.failure == nil)
        #expect(!store.syncNeeded)
        // What the loop put off meanwhile has a turn.
        try waitForHelper()
        #expect(try storage.load(.notes)?.sessions == 1)
    }

    @Test func `a store that fails with nothing to be synced costs no wake-up`() throws {
        try count(sessions: 1)
        try store.sync()
        try breakDisk()
        #expect(throws: StoreError.self) { try store.sync() }
        #expect(maintain(after: 5) == nil)
        #expect(maintain(after: 500) == nil)
    }

    @Test func `a log that could not be opened at the start is waited for, too`() throws {
        try count(sessions: 1)
        let full = TemporaryDirectory()
        let empty = TemporaryDirectory()
        for other in [full, empty] {
            try #require(unsafe mkdir(other.file("ratingd.db"), 0o700) == 0)
        }
        _ = try Child.run("/bin/cp", [database + "-wal", full.path])
        try #require(try bytes(ofLogIn: full) > 0)
        #expect(maintain(after: 0, try Self.storage(Self.open(in: full), syncSec: 5)) == 5)
        #expect(maintain(after: 0, try Self.storage(Self.open(in: empty), syncSec: 5)) == nil)
    }

    @Test func `who stops with a store that failed tries once more`() throws {
        try count(sessions: 1)
        maintain(after: 0)
        try breakDisk()
        maintain(after: 5)
        #expect(try bytes(ofLogIn: directory) > 0)
        try mendDisk()
        storage.close(at: Self.moment(after: 6))
        #expect(unsafe access(database + "-wal", F_OK) != 0)
        let again = try Self.open(in: directory)
        #expect(try again.load(.notes)?.sessions == 1)
    }

    @Test func `a shorter SyncSec holds for what waits already`() throws {
        storage.syncSec = 60
        try count(sessions: 1)
        #expect(maintain(after: 0) == 60)
        storage.syncSec = 5
        #expect(maintain(after: 1) == 6)
        storage.syncSec = 60
        #expect(maintain(after: 2) == 6)
    }
}
