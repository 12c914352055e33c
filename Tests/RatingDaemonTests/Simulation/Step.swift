import RatingPolicy

/// One thing that happens in a simulated run; a run is a list of them.
///
/// Each stands for itself: a list stays a run whatever is taken out of it, so that a failure can
/// be shrunk. What has no object (a message of nobody) does nothing.
enum Step {
    /// A client connects; who it is follows from its seat.
    case connect(Int)
    /// A client writes one message, or several as a batch.
    case write(Int, [Message])
    /// A client answers the oldest `confirm` it was asked with this as the result.
    case confirm(Int, String)
    /// So many of the bytes a client wrote reach the daemon; 0: all.
    case deliver(Int, Int)
    /// A client reads no more by itself, or does again.
    case slow(Int, Bool)
    /// A slow client reads so many bytes.
    case read(Int, Int)
    case endInput(Int)
    case close(Int)
    case turn
    /// Time passes, and the daemon's timer wakes it.
    case wait(Milliseconds)
    /// Time passes, and the process is stopped meanwhile.
    case stall(Milliseconds)
    /// The machine sleeps.
    case suspend(Milliseconds)
    /// Somebody sets the wall clock.
    case setClock(by: Milliseconds)
    /// Time passes up to so much from the next deadline.
    case toDeadline(Milliseconds)
    /// Time passes up to so much from the last `next_eligible` that was told.
    case toEligible(Milliseconds)
    /// The commit after so many others fails, or every one.
    case fail(MemoryStorage.Fault, after: Int?)
    case readsFail(Bool)
    /// The disk is well again; a broken store is opened anew, now or when it is next used.
    case heal(onUse: Bool)
    case setAside(Bool)
    /// What the daemon does every `SyncSec`.
    case sync
    /// The process dies.
    case kill(Death)
    /// The machine loses its power, and with it all but so many commits since the last sync.
    case powerCut(Death, keeping: Int)
    case shutDown
    /// Other files; `reload` reads them.
    case files(Int)

    enum Death {
        case now
        /// In a turn, before it is stored.
        case beforeCommit
        /// In a turn, when it is stored and nobody has been told.
        case afterCommit
    }
}

/// One message of a client.
struct Message {
    enum Content {
        case hello(app: Int, version: Int, wishes: Int)
        case session(app: Int?)
        case event(app: Int?, name: Int, count: Int)
        case activity(app: Int?)
        case request(app: Int?, version: Int?, Wish)
        case cancel(app: Int?)
        case cancelToken(app: Int)
        case outcome(app: Int, back: Int, result: Int)
        case status(app: Int?, explain: Bool)
        case history(app: Int?)
        case report
        case reviewURL(app: Int?)
        case opt(out: Bool, app: Int?)
        case optAll(out: Bool)
        case forget(app: Int, ledger: Bool)
        case subscribe(topics: Int, app: Int?, agent: Bool)
        case unsubscribe
        case apps
        case ping
        case repairClock
        case reload
        case unknown
        /// Not JSON; never in a batch.
        case malformed
    }

    struct Wish {
        var debounce: Int?
        var restarts: Bool?
        var confirms = false
        var agent = false
        var debug = false
    }

    var content: Content
    var isNotification = false
}

/// What the numbers in messages stand for.
enum Cast {
    static let apps = [AppID.named("a.Edit"), .named("b.Draw"), .named("c.Play")]
    static let versions = ["1.0", "1.0.0", "2"].map { text -> Version in
        guard let version = Version(text) else { preconditionFailure("'\(text)' is a version") }
        return version
    }
    static let names = ["significant", "save"].map { text -> EventName in
        guard let name = EventName(text) else { preconditionFailure("'\(text)' is a name") }
        return name
    }
    static let results = ["shown", "rated", "later", "declined", "never", "dismissed", "failed"]
    static let topics: [[String]] = [[], ["decisions"], ["counters"], ["decisions", "counters"]]

    /// Seats 0 to 3 are of the daemon's user, two a process; 4 is another user's.
    static let seats = 5
    static func peer(_ seat: Int) -> Peer {
        Peer(
            user: seat == 4 ? 1001 : .daemon, process: ProcessID(number: Int32(1 + seat / 2)),
            identity: .claimed)
    }
}
