import RatingPolicy
import RatingStore

/// What lies on a disk that loses its power now and then.
///
/// Each commit makes a new state. A process that dies loses none of them; a power cut loses some
/// of the last ones, but none that was there at a sync.
final class Disk {
    struct Image: Equatable {
        var apps: [AppKey: AppRecord] = [:]
        var optedOutOfAll: [UserID: Bool] = [:]
        var funnel: [FunnelCell: Int64] = [:]
        /// Whose grant each was, in the order they were made.
        var ledger: [UserID: [AppID]] = [:]
    }

    /// What was there at the last sync, and after each commit since.
    private(set) var states = [Image()]
    /// False on a disk that only says that it has synced.
    let syncs: Bool
    /// Not nil: damaged state was set aside.
    var ledgerProblem: String?

    var image: Image { states[states.count - 1] }
    var isSynced: Bool { states.count == 1 }
    /// How many commits a power cut may lose.
    var unsyncedCount: Int { states.count - 1 }

    init(syncs: Bool = true) {
        self.syncs = syncs
    }

    func store(_ image: Image) {
        states.append(image)
    }

    func sync() {
        if syncs { states = [image] }
    }

    /// Loses some of the commits since the last sync.
    func cutPower(keeping count: Int) {
        precondition(count < states.count, "there are not so many commits since the last sync")
        states = [states[count]]
    }
}
