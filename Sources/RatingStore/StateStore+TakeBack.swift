internal import RatingPolicy

extension StateStore {
    /// What changes are about to replace, to be written again if they cannot be synced.
    ///
    /// The funnel is left out: it is best effort.
    func former(
        of changes: StoreChanges, in database: Database
    ) throws(StoreFailure) -> StoreChanges {
        var former = StoreChanges()
        for change in changes.apps {
            former.apps.append(
                .init(change.place, before: change.after, after: change.before ?? AppRecord()))
        }
        for user in changes.optedOutOfAll.keys {
            former.optedOutOfAll[user] = try database.user(user).isOptedOutOfAll
        }
        return former
    }

    /// Takes back the commit that could not be synced, if there was one.
    ///
    /// Its caller was told that nothing was changed, and so has told nobody of a grant in it. The
    /// disk may hold all of it or nothing.
    func takeBackUnsynced() throws(StoreFailure) {
        guard let former = unsynced, let database else { return }
        try database.transaction { () throws(StoreFailure) in
            try database.settle()
            for change in former.apps { try takeBack(change, in: database) }
            for (user, isOptedOut) in former.optedOutOfAll {
                try database.writeUser(user, isOptedOutOfAll: isOptedOut)
            }
        }
        logState.committed(pages: database.logCounter.pages)
        logState.isDirty = true
    }

    private func takeBack(
        _ change: StoreChanges.AppChange, in database: Database
    ) throws(StoreFailure) {
        let key = change.key
        let row = try database.makeApp(key)
        guard try database.writeCounters(change.after, row: row),
            try database.writeSettings(change.after, row: row)
        else { throw missing(key) }
        let kept = change.after.grants
        let tokens = Set(change.before?.grants.dropFirst(kept.count).map(\.token) ?? [])
        for (index, entry) in try database.grants(ofApp: row).enumerated() {
            if index < kept.count {
                try database.updateGrant(kept[index], row: entry.row)
            } else {
                guard tokens.contains(entry.grant.token) else {
                    throw .ledgerDisagrees(
                        "the ledger of app '\(key.app.string)' of uid \(key.user) holds a grant "
                            + "that nobody made")
                }
                try database.deleteGrant(row: entry.row)
            }
        }
    }
}
