import Glibc
import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// Tells a child of `CrashTests` where to work.
private let crashChildVariable = "RATINGSTORE_CRASH_CHILD"

/// Processes that are killed while they use the store.
///
/// The child is this test program again, with one of the tests of `CrashChild`.
struct CrashTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Runs a child until `isReady`, and some random time longer.
    private func kill(_ child: String, when isReady: () throws -> Bool) throws {
        let pid = try start(child)
        defer {
            _ = Glibc.kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        let started = Clock.now().monotonicNanoseconds
        while try !isReady() {
            try #require(
                Clock.now().monotonicNanoseconds - started < 120_000_000_000, "it never began")
            usleep(500)
        }
        usleep(UInt32.random(in: 0...15_000))
    }

    private func start(_ child: String) throws -> pid_t {
        let arguments = [
            "/proc/self/exe", "--testing-library", "swift-testing", "--filter",
            "CrashChild/.*\(child)",
        ]
        let variables = ["\(crashChildVariable)=\(scratch.path)"] + inherited()
        let argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let envp = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer { _ = unsafe (argv + envp).map { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, "/proc/self/exe", &actions, nil, argv, envp)
        try #require(result == 0, "posix_spawn: \(result)")
        return pid
    }

    /// What the test program was started with; it may need that to find its libraries.
    private func inherited() -> [String] {
        let bytes = (try? FileTree.read("/proc/self/environ")) ?? []
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `killed in the middle of a first start, the next start is clean`() throws {
        for round in 0..<10 {
            let base = scratch.path + "/first\(round)"
            try FileTree.write(Array(base.utf8), to: scratch.path + "/where")
            try kill("starts for the first time") {
                try Files.statusIfPresent(base + "/3") != nil
            }
            for name in try Files.directoryEntries(base) {
                let directory = base + "/" + name
                guard case .opened(let store) = StateStore.open(directory: directory, now: .start)
                else {
                    Issue.record("held")
                    return
                }
                #expect(store.failure == nil, "\(directory)")
                #expect(store.takeNotices().isEmpty, "\(directory)")
                #expect(store.ledgerIsTrusted)
                try store.put(fullRecord(), .synced)
                #expect(try store.load(.notes) == fullRecord())
                let names = try Files.directoryEntries(directory)
                #expect(names.filter { $0.contains(".new") || $0.contains("-journal") }.isEmpty)
            }
            FileTree.remove(base)
        }
    }

    @Test func `killed in the middle of a migration, the next start is clean`() throws {
        for round in 0..<10 {
            let base = scratch.path + "/migrating\(round)"
            try FileTree.write(Array(base.utf8), to: scratch.path + "/where")
            try kill("migrates") { try Files.statusIfPresent(base + "/3") != nil }
            for name in try Files.directoryEntries(base) {
                let directory = base + "/" + name
                guard
                    case .opened(let store) = StateStore.open(
                        directory: directory, now: .start, schema: CrashChild.next)
                else {
                    Issue.record("held")
                    return
                }
                #expect(store.failure == nil, "\(directory)")
                #expect(store.ledgerIsTrusted)
                let record = try store.load(.notes)
                #expect(record == nil || record == fullRecord(), "\(directory)")
            }
            FileTree.remove(base)
        }
    }

    @Test func `killed between commits, every answered one is there and the cap holds`() throws {
        for _ in 0..<10 {
            let acknowledged = scratch.path + "/acknowledged"
            let before = try Files.statusIfPresent(acknowledged)?.size ?? 0
            try kill("commits") {
                try (Files.statusIfPresent(acknowledged)?.size ?? 0) > before
            }
            let answered = try FileTree.read(acknowledged).count
            let store = try scratch.openUsable()
            #expect(store.takeNotices().isEmpty)
            let record = try #require(try store.load(.notes))
            #expect(record.sessions.value >= answered)
            #expect(record.sessions.value <= answered + 10)
            #expect(record.grants.count <= CrashChild.cap)
            try store.close()
        }
    }
}

/// What the children of `CrashTests` do, over and over, until they are killed.
@Suite(.enabled(if: environment(crashChildVariable) != nil, "started by CrashTests"))
struct CrashChild {
    static let cap = 3
    static let next = Schema(
        steps: Schema.current.steps + [
            "ALTER TABLE app ADD COLUMN note TEXT", "UPDATE app SET note = name",
            "CREATE INDEX app_note ON app (note)",
        ])

    let path: String

    init() throws {
        path = try #require(environment(crashChildVariable))
    }

    private func base() throws -> String {
        String(decoding: try FileTree.read(path + "/where"), as: UTF8.self)
    }

    private func open(_ directory: String, schema: Schema = .current) throws -> StateStore {
        guard
            case .opened(let store) = StateStore.open(
                directory: directory, now: .start, schema: schema)
        else { throw Held(detail: directory) }
        return store
    }

    @Test func `starts for the first time`() throws {
        let base = try base()
        for number in 0... { try open("\(base)/\(number)").close() }
    }

    @Test func `migrates`() throws {
        let base = try base()
        for number in 0... {
            let directory = "\(base)/\(number)"
            let store = try open(directory)
            try store.put(fullRecord())
            try store.close()
            try open(directory, schema: Self.next).close()
        }
    }

    @Test func `commits`() throws {
        let store = try open(path + "/state")
        let raw = unsafe Glibc.open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let file = Descriptor(owning: raw)
        var record = try store.load(.notes)
        while true {
            let before = record
            var after = before ?? AppRecord()
            after.sessions += 1
            try store.put(after, over: before)
            // One byte for each session that a client would have been answered.
            _ = unsafe write(file.raw, ".", 1)
            record = after
            if after.sessions.value % 7 == 0 {
                record = (try? store.grant(token: "t\(after.sessions)", cap: 3)) ?? record
            }
        }
    }
}
