import RatingPolicy
import RatingStore
import RatingWire

@testable import RatingDaemon

/// A core with its clocks in a test's hand.
///
/// `turn` is one turn of the loop; `Guest.ask` is a turn with one line.
final class Bench {
    let storage: any Storage
    private(set) var core: Core
    private(set) var now = Moment.start
    var configuration: Configuration
    /// What `reload` reads.
    var files: Core.ReloadResult?
    private var randomNumber: UInt64 = 0
    /// How often figures of the process were counted.
    private var figuresCount: Int64 = 0
    private(set) var isInTurn = false
    /// What takes several turns is left as it is at the end of the first; `goOn` takes the next.
    var isPatient = false
    private let scope: Core.Scope

    var memory: MemoryStorage {
        guard let memory = storage as? MemoryStorage else {
            preconditionFailure("this bench has a store in memory")
        }
        return memory
    }

    init(
        _ configuration: Configuration = .free, scope: Core.Scope = .user,
        on storage: any Storage = MemoryStorage()
    ) {
        self.storage = storage
        self.configuration = configuration
        self.scope = scope
        core = Core(
            configuration: configuration, storage: storage,
            surroundings: Core.Surroundings(
                scope: scope, user: .daemon, serverName: "ratingd/1.2.3", random: { _ in [] },
                reload: { (.kept(reason: ""), []) }, processFigures: { [] }),
            at: .start)
        restart()
    }

    deinit {
        core.letGo()
    }

    /// The process dies, and another begins on what is stored.
    func restart() {
        core.letGo()
        core = Core(
            configuration: configuration, storage: storage,
            surroundings: Core.Surroundings(
                scope: scope, user: .daemon, serverName: "ratingd/1.2.3",
                random: { [unowned self] in randomBytes($0) },
                reload: { [unowned self] in
                    (
                        files ?? .kept(reason: "no such directory"),
                        [LogEntry(.reloaded, "reloaded")]
                    )
                },
                processFigures: { [unowned self] in
                    figuresCount += 1
                    return [("memory_bytes", figuresCount)]
                }),
            at: now)
    }

    private func randomBytes(_ count: Int) -> [UInt8] {
        randomNumber += 1
        return (0..<count).map { UInt8(truncatingIfNeeded: randomNumber >> UInt64($0 % 8 * 8)) }
    }

    // MARK: - Time

    /// Time passes, without a turn.
    func sleep(_ span: Milliseconds) {
        now.wall = now.wall.adding(span)
        now.monotonic = now.monotonic.adding(span)
        now.boottime = now.boottime.adding(span)
    }

    /// Time passes, and a turn does what was waiting for it.
    func wait(_ span: Milliseconds) {
        sleep(span)
        turn {}
    }

    func stepClock(_ span: Milliseconds) {
        now.wall = now.wall.adding(span)
    }

    /// The machine sleeps: only CLOCK_MONOTONIC stands still.
    func suspend(_ span: Milliseconds) {
        now.wall = now.wall.adding(span)
        now.boottime = now.boottime.adding(span)
    }

    // MARK: - Turns

    func turn(_ happens: () -> Void) {
        core.beginTurn(at: now)
        isInTurn = true
        happens()
        isInTurn = false
        core.passTime()
        core.endTurn()
    }

    func connect(
        user: UserID = .daemon, process: Int32 = 1, startedAt: UInt64 = 0,
        identity: Identity = .claimed, doubt: String? = nil
    ) -> Guest {
        let process = ProcessID(number: process, startedAt: startedAt)
        var peer = Peer(user: user, process: process, identity: identity)
        peer.doubt = doubt
        return Guest(core.connected(peer), on: self)
    }

    /// A client that has said `hello` for an app and read the answer.
    func greet(
        _ app: String = "org.example.Notes", version: String = "1", user: UserID = .daemon,
        process: Int32 = 1
    ) -> Guest {
        let guest = connect(user: user, process: process)
        _ = guest.ask("hello", #""app":"\#(app)","version":"\#(version)""#)
        return guest
    }
}

extension Moment {
    /// 2026-11-30T05:09:02.123Z, an hour after the machine started.
    static let start = Moment(
        wall: WallTime(milliseconds: 1_796_015_342_123),
        monotonic: SteadyTime(nanoseconds: 3_600_000_000_000),
        boottime: SteadyTime(nanoseconds: 3_600_000_000_000))
}

extension UserID {
    /// The user the daemon under test runs as.
    static let daemon: UserID = 1000
}

extension Configuration {
    /// Every threshold is 0, so that a request is pending at once.
    static var free: Configuration {
        with([
            .sessionsUntilPrompt: .integer(0), .eventsUntilPrompt: .integer(0),
            .daysUntilPrompt: .integer(0),
        ])
    }

    static func with(
        _ values: [PolicyKey: PolicyValue], limits: [Limit: Int64] = [:]
    ) -> Configuration {
        var configuration = Configuration(daemon: DaemonSettings(descriptors: 1_024))
        configuration.general.values = values.mapValues { Sourced($0, from: .file("/test.conf")) }
        configuration.daemon.logLevel = .debug
        for (limit, value) in limits { configuration.daemon.limits[limit] = value }
        return configuration
    }

    /// The free policy with some of its values replaced.
    static func free(
        _ values: [PolicyKey: PolicyValue] = [:], limits: [Limit: Int64] = [:]
    ) -> Configuration {
        let standing = free.general.values.mapValues(\.value)
        return with(standing.merging(values) { _, new in new }, limits: limits)
    }

    /// The free policy, and no wait between two prompts either.
    static func eager(
        _ values: [PolicyKey: PolicyValue] = [:], limits: [Limit: Int64] = [:]
    ) -> Configuration {
        let eager: [PolicyKey: PolicyValue] = [
            .minIntervalDays: .integer(0), .userMinIntervalDays: .integer(0),
            .oncePerVersion: .flag(false), .promptsPerYear: .integer(12),
            .userPromptsPerYear: .integer(365), .outcomeTimeoutSec: .integer(1),
        ]
        return free(eager.merging(values) { _, new in new }, limits: limits)
    }
}

extension Core {
    /// Has a line carried out to the end of its answer, as in turns in which nothing else happens.
    func receivedWhole(_ incoming: consuming Incoming, from client: Client) {
        received(incoming, from: client)
        while client.isUnfinished { goOn(with: client) }
    }

    /// Lets go of all subscribers, who hold their user and are held by it: the daemon's core lives
    /// as long as its process, a test's does not.
    func letGo() {
        for user in users.values { user.amend { $0.subscribers = [] } }
    }
}
