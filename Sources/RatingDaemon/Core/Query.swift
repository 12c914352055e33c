import RatingPolicy
import RatingStore
import RatingWire

/// A question whose answer grows with what is stored, as far as it is answered: a piece a turn.
indirect enum Query {
    case apps(AppListing)
    case report(FunnelSum)
}

/// What a client is answered over several turns, while its further lines wait.
enum Unfinished {
    case query(RequestID, Query)
    case batch(BatchProgress)
}

/// A page of `apps`.
struct AppListing {
    /// How many apps a page looks at beyond those asked for, to pass over what is not listed.
    static let passedOverMax = 100

    let user: UserID
    /// Behind whom it goes on.
    var cursor: AppID?
    let limit: Int
    /// How many apps it has looked at.
    var count = 0
    var page = AppPage()

    /// How many it looks at before the page ends.
    var countMax: Int { limit + Self.passedOverMax }

    init(of user: UserID, after cursor: AppID?, limit: Int) {
        self.user = user
        self.cursor = cursor
        self.limit = limit
    }
}

/// The sums of a `report`.
struct FunnelSum {
    /// How many steps a report tells at most: each event an app needs may be one.
    static let stepsMax = 1_000

    let user: UserID
    /// Nil for all apps of the user.
    let app: AppID?
    let since: WallTime
    /// Behind which line of the funnel it goes on.
    var place: FunnelPlace
    /// By the key of the step.
    private(set) var sums: [String: Int64] = [:]

    init(of user: UserID, app: AppID?, since: WallTime) {
        self.user = user
        self.app = app
        self.since = since
        place = FunnelPlace(before: since.day)
    }

    func counts(_ cell: FunnelCell) -> Bool {
        cell.key.user == user && (app == nil || cell.key.app == app) && cell.day >= since.day
    }

    mutating func add(_ count: Int64, to step: String) {
        if let sum = sums[step] {
            sums[step] = sum + count
        } else if sums.count < Self.stepsMax {
            sums[step] = count
        }
    }
}
