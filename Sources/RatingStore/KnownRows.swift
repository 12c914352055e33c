internal import RatingPolicy

/// The rows of apps met lately.
///
/// Forgotten whenever one of them may be wrong: with the open database, after a transaction that
/// failed, and when an app's row is deleted.
final class KnownRows {
    /// Another object for each time in which rows stay what they are.
    final class State: Sendable {}

    /// About 1 MiB; a row that is not remembered costs one look-up.
    static let countMax = 8_192

    private var rows: [AppKey: Int64] = [:]
    private var state = State()

    subscript(key: AppKey) -> Int64? { rows[key] }

    /// The same without hashing: nil also if the place does not say.
    subscript(place: StoredPlace) -> Int64? { place.row(in: state) }

    func remember(_ row: Int64, of key: AppKey) {
        // Those in places stay right.
        if rows.count >= Self.countMax { rows = [:] }
        rows[key] = row
    }

    func remember(_ row: Int64, in place: StoredPlace) {
        place.remember(row, in: state)
    }

    func forget(_ key: AppKey) {
        rows[key] = nil
        state = State()
    }

    func forgetAll() {
        rows = [:]
        state = State()
    }
}
