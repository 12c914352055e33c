internal import Posix

extension StateStore {
    /// The error for the caller; damage closes the store for good and is marked for the next
    /// start.
    func told(_ failure: StoreFailure) -> StoreError {
        let detail = "'\(paths.database)' cannot be used: \(failure.cause)"
        switch failure {
        case .ledgerDisagrees:
            return .ledgerDisagrees(detail: "'\(paths.database)': \(failure.cause)")
        case .capReached: return .capReached(detail: "'\(paths.database)': \(failure.cause)")
        default: break
        }
        guard failure.isDamage else { return .unavailable(detail: detail) }
        let error = StoreError.damaged(
            detail: "'\(paths.database)' is damaged: \(failure.cause); "
                + "it will be set aside when ratingd starts again")
        if wasOpen {
            self.failure = error
            DamageMark(path: paths.damageMark).leave(failure.cause)
        }
        return error
    }

    /// The error for the caller, after which nothing is committed before `recover`.
    func broken(_ failure: StoreFailure) -> StoreError {
        let error = told(failure)
        self.failure = error
        return error
    }
}
