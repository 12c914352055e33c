import Glibc
import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// A file system of its own, which only root can make.
final class SmallDisk: Sendable {
    static let isPossible = getuid() == 0

    private let path: String
    /// Goes after the file system in it.
    private let scratch: ScratchDirectory

    /// The file system is the state directory.
    init(in scratch: ScratchDirectory, bytes: Int) throws {
        self.scratch = scratch
        path = scratch.state
        try Files.makeDirectories(path)
        let options = "size=\(bytes),mode=700"
        let result = unsafe mount("tmpfs", path, "tmpfs", 0, options)
        try #require(result == 0, "mount: errno \(errno)")
    }

    func remount(readOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
        let result = unsafe mount("tmpfs", path, "tmpfs", flags, nil)
        try #require(result == 0, "mount: errno \(errno)")
    }

    /// Fills what is left with a file.
    func fill() throws {
        let raw = unsafe Glibc.open(path + "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(raw >= 0)
        let file = Descriptor(owning: raw)
        for size in [65_536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while unsafe bytes.withUnsafeBytes({ unsafe write(file.raw, $0.baseAddress, size) }) > 0
            {}
        }
    }

    func free() throws {
        try Files.unlink(path + "/ballast")
    }

    deinit {
        unsafe umount2(path, Int32(MNT_DETACH))
    }
}

/// Disks that are full or must not be written.
@Suite(
    .enabled(if: SmallDisk.isPossible, "only root can make file systems; they run as root in CI"))
struct DiskTests {
    let scratch: ScratchDirectory
    let disk: SmallDisk

    init() throws {
        scratch = try ScratchDirectory()
        disk = try SmallDisk(in: scratch, bytes: 4 << 20)
    }

    private func isUnavailable(_ store: StateStore) -> Bool {
        if case .unavailable = store.failure { true } else { false }
    }

    @Test func `a disk that is full at the first start leaves no database, and then a good one`()
        throws
    {
        try disk.fill()
        let store = try scratch.open()
        #expect(isUnavailable(store))
        #expect(throws: StoreError.self) { try store.put(fullRecord()) }
        #expect(throws: StoreError.self) { try store.recover(now: .start) }
        #expect(try !scratch.names().contains("ratingd.db"))
        try disk.free()
        try store.recover(now: .start)
        try store.put(fullRecord(), .synced)
        #expect(try store.load(.notes) == fullRecord())
        #expect(store.takeNotices().isEmpty)
        #expect(store.ledgerIsTrusted)
    }

    @Test func `a disk that gets full refuses commits, loses none, and works again at once`() throws
    {
        let store = try scratch.openUsable()
        var record = try store.grant(token: "first")
        try disk.fill()
        var error: StoreError?
        for _ in 0..<5000 {
            let before = record
            record.sessions += 1
            do { try store.put(record, over: before) } catch let caught {
                error = caught
                record = before
                break
            }
        }
        let detail = try #require(error).detail
        #expect(detail.contains(scratch.database))
        #expect(detail.contains("full") || detail.contains("No space"))
        #expect(isUnavailable(store))
        #expect(throws: StoreError.self) { try store.grant(token: "second") }
        #expect(try store.load(.notes) == record)

        try disk.free()
        let started = Clock.now().monotonicNanoseconds
        try store.recover(now: .start)
        #expect(Clock.now().monotonicNanoseconds - started < 1_000_000_000)
        #expect(try store.load(.notes) == record)
        try store.grant(token: "second")
        #expect(try store.load(.notes)?.grants.count == 2)
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `on a full disk counts that are tallied are synced all the same`() throws {
        let store = try scratch.openUsable()
        let keys = (0..<200).map { AppKey(user: 1000, app: AppID("org.example.App\($0)")!) }
        var before = AppRecord()
        before.firstSeen = Stamp(.start)
        before.lastSeen = Stamp(.start)
        before.events = [.significant: 1]
        for key in keys { try store.put(before, for: key) }
        var after = before
        after.events = [.significant: 2]
        var changes = StoreChanges()
        changes.apps = keys.map { .init($0, before: before, after: after) }
        try store.commit(changes, durability: .relaxed, now: .start)
        try disk.fill()
        // There is no room to settle them.
        try store.sync()
        #expect(!store.syncNeeded && !store.recoveryNeeded)
        #expect(isUnavailable(store))
        #expect(try store.load(keys[7]) == after)
        try disk.free()
        try store.recover(now: .start)
        for key in keys { #expect(try store.load(key) == after) }
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `killed on a full disk it starts with all that was answered`() throws {
        var record = AppRecord()
        do {
            let store = try scratch.openUsable()
            record = try store.grant(token: "first")
            try disk.fill()
            while true {
                let before = record
                record.sessions += 1
                do { try store.put(record, over: before) } catch {
                    record = before
                    break
                }
            }
        }
        let store = try scratch.open()
        if store.failure != nil {
            #expect(isUnavailable(store))
            try disk.free()
            try store.recover(now: .start)
        }
        #expect(try store.load(.notes) == record)
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `a read-only disk is said to be one, and used when it is writable again`() throws {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord())
            try store.close()
        }
        let before = try FileTree.read(scratch.database)
        try disk.remount(readOnly: true)
        let store = try scratch.open()
        #expect(isUnavailable(store))
        #expect(store.failure?.detail.contains("Read-only file system") == true)
        #expect(throws: StoreError.self) { try store.put(fullRecord()) }
        #expect(throws: StoreError.self) { try store.recover(now: .start) }
        #expect(try FileTree.read(scratch.database) == before)
        try disk.remount(readOnly: false)
        try store.recover(now: .start)
        #expect(try store.load(.notes) == fullRecord())
        try store.put(AppRecord(), over: fullRecord(), .synced)
    }

    @Test func `damage on a read-only disk is not lost and not begun anew`() throws {
        try FileTree.write([1, 2, 3], to: scratch.database)
        try FileTree.write([], to: scratch.state + "/ratingd.lock")
        try disk.remount(readOnly: true)
        let store = try scratch.open()
        #expect(isUnavailable(store))
        #expect(try FileTree.read(scratch.database) == [1, 2, 3])
        try disk.remount(readOnly: false)
        try store.recover(now: .start)
        #expect(try scratch.setAside().count == 1)
        #expect(!store.ledgerIsTrusted)
    }
}

/// The same without root, by permissions.
@Suite(.enabled(if: !SmallDisk.isPossible, "root may do everything; see DiskTests"))
struct PermissionTests {
    @Test func `a directory without write permission is said to be one`() throws {
        let scratch = try ScratchDirectory()
        try Files.makeDirectories(scratch.state, mode: 0o500)
        let store = try scratch.open()
        #expect(store.failure?.detail.contains("Permission denied") == true)
        try Files.changeMode(scratch.state, to: 0o700)
        try store.recover(now: .start)
        try store.put(fullRecord())
    }
}
