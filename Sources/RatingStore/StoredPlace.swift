package import RatingPolicy

/// Where the store has an app, as far as it remembers; kept beside the app's record by whoever has
/// that in memory, so that the row need not be looked for with every change.
///
/// What it says is for the store alone, which knows whether it still holds (`KnownRows`). Used by
/// one thread at a time, as the store is.
package final class StoredPlace: @unchecked Sendable {
    package let key: AppKey
    private var row: Int64 = 0
    /// Nil if nothing was ever remembered.
    private var knownIn: KnownRows.State?

    package init(_ key: AppKey) {
        self.key = key
    }

    /// The row, if it was remembered in this state.
    func row(in state: KnownRows.State) -> Int64? {
        knownIn === state ? row : nil
    }

    func remember(_ row: Int64, in state: KnownRows.State) {
        self.row = row
        knownIn = state
    }
}
