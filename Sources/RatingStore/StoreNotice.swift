/// What the journal should be told of the state, once each.
package enum StoreNotice: Equatable, Sendable {
    /// A damaged database was renamed and a new one begun beside it.
    case setAside(path: String, aside: String, cause: String)
    /// Databases set aside earlier are still there, so every request is refused.
    case besideSetAside(paths: [String])
    /// The schema was brought up to date.
    case migrated(path: String, from: Int64, to: Int64)
}

/// How `StateStore.open` went.
package enum StoreOpening {
    /// The store is this process's. `failure` says whether it can be used, and why not.
    case opened(StateStore)
    /// Another process has the state; nothing was touched.
    case held(detail: String)
}
