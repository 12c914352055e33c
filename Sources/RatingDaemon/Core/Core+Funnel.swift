import RatingPolicy
import RatingStore

/// The figures of `report`: best effort (SPEC 3.2), and never in the way of anything else.
extension Core {
    /// How many are stored at once; each takes the store some microseconds.
    static let funnelCellsAtOnce = 32
    /// How many may wait for that; others are let go.
    static let funnelCellsMax = 4_096

    /// Counts a step of the funnel; for an app that is not stored only in memory, until it is.
    func count(_ step: FunnelStep, _ app: LiveApp) {
        let cell = FunnelCell(key: app.key, day: now.wall.day, step: step)
        if app.content.isStored {
            turn.funnel[cell, default: 0] += 1
        } else {
            touch(app)
            app.content.funnel[cell, default: 0] += 1
            if app.user.unstored.count < LiveUser.unstoredMax { app.user.unstored.insert(app.id) }
        }
    }

    /// Counts why a request was refused.
    func count(_ reasons: [Rule], _ app: LiveApp) {
        count(.refusedTotal, app)
        for reason in reasons {
            if case .event(let name) = reason,
                !app.user.named.counts(name, of: app.id, on: now.wall.day)
            {
                continue
            }
            count(.refused(ExactText(reason.name)), app)
        }
    }

    func addToFunnel(_ cells: [FunnelCell: Int64]) {
        for (cell, count) in cells {
            guard funnel.count < Self.funnelCellsMax || funnel[cell] != nil else { continue }
            funnel[cell, default: 0] += count
        }
    }

    /// Some of what waits, for the next commit to take along.
    var funnelToStore: [(key: FunnelCell, value: Int64)] {
        funnel.isEmpty ? [] : Array(funnel.prefix(Self.funnelCellsAtOnce))
    }

    /// Stores some of what no other commit took along; false if it could not be.
    func storeFunnel() -> Bool {
        let cells = funnelToStore
        guard !cells.isEmpty else { return true }
        var changes = StoreChanges()
        changes.funnel = Dictionary(uniqueKeysWithValues: cells)
        do throws(StoreError) {
            try storage.commit(changes, .relaxed, at: now.wall)
        } catch {
            return false
        }
        for (cell, _) in cells { funnel[cell] = nil }
        return true
    }

    /// Stores all of it, if it can be stored.
    func storeWholeFunnel() {
        while !funnel.isEmpty, storeFunnel() {}
    }
}

/// Of which unmet needs of events a user's funnel counts the name: each may be a line of the store,
/// and an app can have other needs with every `hello`.
struct NamedNeeds {
    private struct Need: Hashable {
        let app: AppID
        let name: EventName
    }

    static let countMax = 256

    private var day: Int64 = 0
    private var needs: Set<Need> = []

    /// False for one that is new today and one too many.
    mutating func counts(_ name: EventName, of app: AppID, on day: Int64) -> Bool {
        if day != self.day {
            self.day = day
            needs = []
        }
        let need = Need(app: app, name: name)
        if needs.contains(need) { return true }
        guard needs.count < Self.countMax else { return false }
        needs.insert(need)
        return true
    }
}
