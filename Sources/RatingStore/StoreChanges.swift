package import RatingPolicy

/// All that one transaction is to change.
package struct StoreChanges: Sendable {
    /// One app's record as it was when the turn began and as it is now.
    package struct AppChange: Sendable {
        package let place: StoredPlace
        /// Nil if the store had none.
        package var before: AppRecord?
        package var after: AppRecord

        package init(_ place: StoredPlace, before: AppRecord?, after: AppRecord) {
            self.place = place
            self.before = before
            self.after = after
        }

        /// For a change of an app whose place nobody keeps.
        package init(_ key: AppKey, before: AppRecord?, after: AppRecord) {
            self.init(StoredPlace(key), before: before, after: after)
        }

        package var key: AppKey { place.key }
    }

    /// The caps in force for an app that has new grants.
    package struct GrantCheck: Sendable {
        package var key: AppKey
        /// `PromptsPerYear` in force.
        package var cap: Int64
        /// `[User] PromptsPerYear` in force.
        package var userCap: Int64

        package init(key: AppKey, cap: Int64, userCap: Int64) {
            self.key = key
            self.cap = cap
            self.userCap = userCap
        }
    }

    /// Each app once.
    package var apps: [AppChange] = []
    /// One for every app in `apps` with new grants.
    package var grantChecks: [GrantCheck] = []
    /// Whether a user is opted out of all apps, for users where that changed.
    package var optedOutOfAll: [UserID: Bool] = [:]
    /// What is to be added to the funnel.
    package var funnel: [FunnelCell: Int64] = [:]
    /// Apps whose funnel goes, before `funnel` is added.
    package var forgottenFunnels: Set<AppKey> = []

    package init() {}

    package var isEmpty: Bool { apps.isEmpty && isOfAppsOnly }

    /// True if nothing but records of apps changes, and no grants are new.
    var isOfAppsOnly: Bool {
        grantChecks.isEmpty && optedOutOfAll.isEmpty && funnel.isEmpty && forgottenFunnels.isEmpty
    }
}

/// What is on disk when a commit has returned.
package enum Durability: Sendable {
    /// Survives the death of this process; after power loss only with a later sync.
    case relaxed
    /// Survives power loss.
    case synced
}
