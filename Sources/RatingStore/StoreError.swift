/// Why the store did not do what it was asked; nothing was changed then.
package enum StoreError: Error, Equatable, CustomStringConvertible {
    /// The state cannot be read or written now; it may work again after `recover` or by itself.
    case unavailable(detail: String)
    /// The database is damaged. Nothing works until it was set aside, at the next start.
    case damaged(detail: String)
    /// The database holds another number of grants than the memory it is compared with.
    case ledgerDisagrees(detail: String)
    /// Counted once more in the database, a new grant would be over a cap.
    case capReached(detail: String)

    /// A sentence for the journal and for `data.detail`, with the path and the cause.
    package var detail: String {
        switch self {
        case .unavailable(let detail), .damaged(let detail), .ledgerDisagrees(let detail),
            .capReached(let detail):
            detail
        }
    }

    package var description: String { detail }
}
