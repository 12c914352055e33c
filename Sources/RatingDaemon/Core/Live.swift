import RatingPolicy
import RatingStore
import RatingWire

/// Something whose content a turn may change, and which goes back if the turn cannot be stored.
class Undoable<Content> {
    final var content: Content
    private var before: Content?
    /// The turn knows of it.
    private var isListed = false

    init(_ content: Content) {
        self.content = content
    }

    /// What the content was when the turn first touched it; nil in a turn that has not.
    final var saved: Content? { before }

    /// The same, handed over without a copy.
    final func readSaved<Value>(_ read: (Content?) -> Value) -> Value {
        read(before)
    }

    /// Remembers the content; true if the turn is to list it.
    final func touch() -> Bool {
        if before == nil { before = content }
        return list()
    }

    /// True the first time in a turn, which then is to list it.
    func list() -> Bool {
        guard !isListed else { return false }
        isListed = true
        return true
    }

    func keep() {
        isListed = false
        if before != nil { before = nil }
    }

    /// Corrects what the content was all along, in this turn and before it.
    final func amend(_ correct: (inout Content) -> Void) {
        correct(&content)
        if var before {
            correct(&before)
            self.before = before
        }
    }

    func undo() {
        isListed = false
        guard let before else { return }
        content = before
        self.before = nil
    }
}

/// Something whose messages are limited: what may still come goes back as well.
///
/// The bucket stands beside the content, since each message changes it and few change more.
class Limited<Content>: Undoable<Content> {
    final var bucket = RateBucket()
    private var bucketBefore = RateBucket()

    final override func list() -> Bool {
        guard super.list() else { return false }
        bucketBefore = bucket
        return true
    }

    final override func undo() {
        super.undo()
        bucket = bucketBefore
    }
}

/// One user with at least one app or client in memory.
final class LiveUser: Limited<LiveUser.Content> {
    struct Content {
        var record: UserRecord
        /// Stored apps of this user; nil until asked for.
        var appCount: Int?
        /// Apps with a pending request.
        var pending: Set<AppID> = []
        /// Clients with a subscription, oldest first.
        var subscribers: [Client] = []
        var isDirty = false
    }

    let id: UserID
    /// The processes of this user that have a connection, and those in `gone`.
    var processes: [ProcessID: LiveProcess] = [:]
    /// Those without a connection that still use something of their share, longest gone first.
    var gone: [LiveProcess] = []
    var connectionCount = 0
    /// Apps that may have a funnel in memory only, as far as a report of all looks for them.
    var unstored: Set<AppID> = []
    var named = NamedNeeds()
    /// What the loop keeps of it, as of a process, to share turns out; nothing to the core.
    let place = Backlog.UserPlace()
    var fresh = FreshLines.Share()
    /// The state of the store that the record was read in; nil if it stands in for one that could
    /// not be read.
    var epoch: Int?

    static let unstoredMax = 256

    init(_ id: UserID, record: UserRecord, epoch: Int?) {
        self.id = id
        self.epoch = epoch
        super.init(Content(record: record))
    }
}

/// One process, and what it uses of its share of what is counted per user; see `Core+Shares`.
final class LiveProcess: Limited<LiveProcess.Content> {
    struct Content {
        /// Pending requests that it asked for, also through connections that are gone.
        var pendingCount = 0
        /// Stored apps that it made, and nobody has taken away, since the daemon knows it.
        var appCount = 0
    }

    let id: ProcessID
    var connectionCount = 0
    let place = Backlog.ProcessPlace()
    var fresh = FreshLines.Share()

    init(_ id: ProcessID) {
        self.id = id
        super.init(Content())
    }
}

/// One app of one user, in memory while somebody may need it soon.
final class LiveApp: Undoable<LiveApp.Content> {
    struct Content {
        var state: AppState
        /// True if the store has, or with this turn gets, a row for the app.
        var isStored: Bool
        var isDirty = false
        /// What the funnel has counted while the app was not stored.
        var funnel: [FunnelCell: Int64] = [:]
        /// Clients whose `hello` named this app.
        var clientCount = 0
        /// The process that made it, as far as that is remembered.
        var maker: LiveProcess?
    }

    /// Where the store has it.
    let place: StoredPlace
    let user: LiveUser
    /// The policy in force; nil until asked for, and again when it may have changed.
    var policy: Policy?
    /// The last of `Turn.streaks` with events of it, if they are not in its record; else nil.
    var streak: Int?
    /// True if it was used since the cache was last swept.
    var isRecent = true
    /// The state of the store that the record was read in.
    var epoch: Int

    init(_ key: AppKey, user: LiveUser, record: AppRecord?, epoch: Int) {
        place = StoredPlace(key)
        self.user = user
        self.epoch = epoch
        super.init(
            Content(state: AppState(record: record ?? AppRecord()), isStored: record != nil))
    }

    var key: AppKey { place.key }
    var id: AppID { key.app }
    var record: AppRecord { content.state.record }
    var pending: PendingRequest? { content.state.pending }
}

/// What a client's `hello` said.
struct Greeting {
    var app: AppID
    var version: Version
    var wishes: HelloPolicy?
    /// False while version and wishes could not be kept with the app's record.
    var isKept = false
}

/// What a client wants to be told of.
struct Subscription {
    var topics: Set<Topic>
    /// Nil for all apps of the user.
    var apps: Set<AppID>?
    var isAgent: Bool
    /// The number of the last notification, counting those dropped.
    var sequence: Int64 = 0
    /// How many could not be queued since the last `lagged`.
    var dropped: Int64 = 0

    func fits(_ app: AppID) -> Bool {
        apps?.contains(app) ?? true
    }
}

/// One connection, as the core sees it.
final class Client: Limited<Client.Content> {
    struct Content {
        /// What `hello` said.
        var greeting: Greeting?
        /// The app of `hello`, once it is in memory.
        var app: LiveApp?
        var subscription: Subscription?
        /// Pending requests that this connection asked for.
        var pendingCount = 0
        /// `confirm` requests that wait for an answer, by id.
        var confirms: [String: (key: AppKey, token: Token)] = [:]
        /// False once it is gone.
        var isConnected = true
        /// Nothing more comes from it.
        var isInputEnded = false
        /// To be closed once its output is written.
        var isClosing = false
        /// What it is answered over several turns.
        var unfinished: Unfinished?
        /// What is to be told behind the answer of a batch that is not at its end.
        var behind: [UInt8] = []
    }

    let id: ClientID
    let peer: Peer
    let user: LiveUser
    let process: LiveProcess
    var output = OutputQueue()
    /// What `Core.queuedBytes` knows of that.
    var countedOutput = 0
    /// What the shell knows its connection by; nothing to the core.
    var tag: UInt64 = 0
    /// The peer is gone, though lines that it sent before may still have to be carried out; a fact,
    /// which no turn takes back.
    var isHungUp = false

    init(_ id: ClientID, peer: Peer, user: LiveUser, process: LiveProcess) {
        self.id = id
        self.peer = peer
        self.user = user
        self.process = process
        super.init(Content())
    }

    var isClosing: Bool { content.isClosing }
    /// It has a line that is not answered to its end.
    var isUnfinished: Bool { content.unfinished != nil }
    /// What it is told has to wait for the answer of a batch.
    var isMidBatch: Bool {
        if case .batch = content.unfinished { true } else { !content.behind.isEmpty }
    }

    /// All that it is told is written, and known to be; it neither ends nor has to be told of lag.
    var isAtRest: Bool {
        output.count == 0 && countedOutput == 0 && !isHungUp && content.isConnected
            && !content.isClosing && content.subscription == nil
    }

    /// True once nothing is left to do for it but to write what is queued.
    var isDone: Bool {
        content.isClosing
            || (content.isInputEnded && content.pendingCount == 0 && content.subscription == nil)
    }
}
