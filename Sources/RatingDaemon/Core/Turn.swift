import RatingPolicy
import RatingStore
import RatingWire

/// Something that happened; kept until the turn is stored, to be played again if it cannot be.
enum Input {
    case element(Client, Incoming.Element)
    /// One of `Turn.streaks`.
    case streak(Int)
    case batch(Client, BatchProgress)
    /// One piece more of what the client is being answered.
    case further(Client)
    case failure(Client, Failure)
    case inputEnded(Client)
    case closed(Client)
    case deadline(DeadlineQueue.Entry)
    case shutdown
}

/// How far the elements of one batch are answered.
struct BatchProgress {
    var elements: ArraySlice<Incoming.Element>
    var answers = BatchAnswers()
    /// The one that is being answered.
    var query: (id: RequestID, query: Query)?

    var isMore: Bool { query != nil || !elements.isEmpty }
}

/// Something to be told to a client, or to all subscribers it concerns.
enum Telling {
    case direct(Client, Notification)
    case decision(AppKey, DecisionNews)
    case counter(AppKey, CounterNews)
}

struct DecisionNews {
    var decision: Decision
    var token: Token?
    var version: Version?
    var reason: String?
    var reasons: [Rule] = []
}

struct CounterNews {
    var counter: CounterNotice.Counter
    var name: EventName?
    var value: Count
}

/// All that one turn of the loop has changed and is about to tell.
struct Turn {
    var inputs: [Input] = []
    /// The ids of events that came in streaks; nil of a notification.
    var ids: [Int64?] = []
    /// The one that may go on, which is not yet one of `streaks`.
    var streak: Streak?
    var streaks: [Streak] = []
    /// How many of them are in the records.
    var recordedStreaks = 0
    /// What is left of the input that is being done, if it is a batch and its beginning is stored.
    var rest: Input?
    var apps: [LiveApp] = []
    var users: [LiveUser] = []
    var processes: [LiveProcess] = []
    var clients: [Client] = []
    var funnel: [FunnelCell: Int64] = [:]
    var checks: [StoreChanges.GrantCheck] = []
    var isSynced = false
    /// Apps whose funnel is to go.
    var forgottenFunnels: Set<AppKey> = []
    var log: [LogEntry] = []
    /// What follows the answer that is being worked out.
    var followUps: [Telling] = []
    /// The configuration that a client's `reload` has replaced in this turn.
    var replaced: (configuration: Configuration, problem: String?)?
    /// The daemon's end began in this turn.
    var beganEnd = false
    /// What remains of a part of this turn that is stored already, should the rest not be.
    var stored = StoredPart()

    /// Makes it a new one, with the room that its lists have.
    mutating func renew() {
        var old = Turn()
        swap(&self, &old)
        inputs = Self.emptied(&old.inputs)
        ids = Self.emptied(&old.ids)
        streaks = Self.emptied(&old.streaks)
        apps = Self.emptied(&old.apps)
        users = Self.emptied(&old.users)
        processes = Self.emptied(&old.processes)
        clients = Self.emptied(&old.clients)
    }

    private static func emptied<Element>(_ list: inout [Element]) -> [Element] {
        list.removeAll(keepingCapacity: true)
        return list
    }
}

/// What the first input of a turn has done for good, because a clock repair stored it.
struct StoredPart {
    /// What is still to follow its answer.
    var followUps: [Telling] = []
    /// How many stamps its clock repair has mended, and so is to be answered with.
    var repaired: Int?
}
