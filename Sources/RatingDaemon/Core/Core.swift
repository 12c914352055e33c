import RatingPolicy
import RatingStore
import RatingWire

/// The daemon without its descriptors: who is connected, what is known of each app, what is
/// pending, and what every message does to it.
///
/// A turn begins with `beginTurn`, is fed with what happened, and ends with `endTurn`, which
/// stores all changes at once and only then releases what is to be told. If they cannot be stored,
/// everything goes back to where the turn began and its inputs are played again against a store
/// that is known to fail, so each is answered with what is true.
final class Core {
    enum Scope: Sendable {
        /// For one user: the daemon's own.
        case user
        /// For all users of a machine.
        case system
    }

    struct Surroundings {
        var scope: Scope
        /// The user the daemon runs as.
        var user: UserID
        var serverName: String
        /// A secure source of so many random bytes.
        var random: (Int) -> [UInt8]
        /// Reads the configuration anew; with what the log is to be told of it.
        var reload: () -> (ReloadResult, log: [LogEntry])
        /// Figures of the process for `stats`.
        var processFigures: () -> [(name: String, value: Int64)]

        init(
            scope: Scope, user: UserID, serverName: String, random: @escaping (Int) -> [UInt8],
            reload: @escaping () -> (ReloadResult, log: [LogEntry]),
            processFigures: @escaping () -> [(name: String, value: Int64)]
        ) {
            self.scope = scope
            self.user = user
            self.serverName = serverName
            self.random = random
            self.reload = reload
            self.processFigures = processFigures
        }
    }

    enum ReloadResult {
        case loaded(Configuration, warnings: [String])
        case kept(reason: String)
    }

    let storage: any Storage
    /// The storage's epoch at the start of the turn.
    var epoch: Int
    let surroundings: Surroundings
    var configuration: Configuration {
        didSet { bounds = Bounds(configuration.daemon.limits) }
    }
    private(set) var bounds: Bounds
    var now: Moment

    var apps: [AppKey: LiveApp] = [:]
    var users: [UserID: LiveUser] = [:]
    var clients: [ClientID: Client] = [:]
    /// How many apps and users are too many.
    var appsSweptAt = Core.appsKeptMax * 2
    var usersSweptAt = Core.usersKeptMax
    var deadlines = DeadlineQueue()
    var pendingTotal = 0
    /// Funnel figures that are not stored yet; best effort.
    var funnel: [FunnelCell: Int64] = [:]
    var statistics = Statistics()
    /// Figures of the process as they were at a moment.
    var figures: (at: SteadyTime, values: [(name: String, value: Int64)])?
    /// What waits to be written to all clients, as of the last time each was looked after.
    var queuedBytes = 0
    var turn = Turn()
    /// Clients that were closed in this turn and were the last of their process.
    var left: [Client] = []
    /// Clients with output that a stored turn has released.
    var toFlush: [Client] = []
    /// What messages have cost since the shell last asked.
    var turnCost = 0
    /// Whether this turn had a message within its rates.
    var hasAccepted = false
    /// True while an input is being done.
    var isPerforming = false
    /// That input as far as it has come, if it is a batch.
    var batch: Input?
    /// Why nothing can be stored, while a turn is played again.
    var failure: StoreError?
    var isShuttingDown = false
    /// The latest time of a turn since all stored times were repaired, and what the store was then;
    /// nil before.
    var repairedAt: (latest: WallTime, epoch: Int)?
    /// Log entries of stored turns, to be taken by the shell.
    var log: [LogEntry] = []
    var limiter = LogLimiter()
    /// What a turn that cannot be stored goes back to.
    var before = (statistics: Statistics(), limiter: LogLimiter())
    private var lastClient: UInt64 = 0
    private var lastConfirm: UInt64 = 0

    init(
        configuration: Configuration, storage: any Storage, surroundings: Surroundings,
        at now: Moment
    ) {
        self.configuration = configuration
        bounds = Bounds(configuration.daemon.limits)
        self.storage = storage
        epoch = storage.epoch
        self.surroundings = surroundings
        self.now = now
    }

    /// Why nothing may be granted: the configuration, and with it the caps, could not be read.
    var configurationProblem: String?

    var limits: Limits { configuration.daemon.limits }

    /// When `passTime` has something to do, if nothing happens before.
    var nextDeadline: SteadyTime? { earlier(deadlines.earliest, limiter.owedAt) }

    /// True if nobody is connected and nothing is pending.
    var isIdle: Bool { clients.isEmpty && pendingTotal == 0 }

    var clientCount: Int { clients.count }

    /// True while funnel figures wait for a commit that stores them along.
    var hasFunnelToStore: Bool { !funnel.isEmpty }

    func nextClientID() -> ClientID {
        lastClient += 1
        return ClientID(lastClient)
    }

    func nextConfirmID() -> String {
        lastConfirm += 1
        return "confirm-\(lastConfirm)"
    }

    /// From how many bytes on a client is not read from until it has read.
    var outputBytesMax: Int { bounds.outputBytes }

    func isConnected(_ client: Client) -> Bool {
        client.content.isConnected
    }

    /// Has the client looked after when the turn is over, though it may have nothing to be told.
    func flushLater(_ client: Client) {
        toFlush.append(client)
    }
}

/// The limits that every message is held against, as plain numbers.
struct Bounds {
    let ratePerSec: Int64
    let rateBurst: Int64
    let eventNames: Int
    let outputBytes: Int

    init(_ limits: Limits) {
        ratePerSec = limits[.ratePerSec]
        rateBurst = limits[.rateBurst]
        eventNames = Int(limits[.eventNamesPerApp])
        outputBytes = Int(limits[.outputBytes])
    }
}
