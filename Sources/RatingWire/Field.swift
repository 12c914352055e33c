/// The members that `params` can have.
enum Field: CaseIterable {
    case app
    case version
    case policy
    case name
    case count
    case debounce
    case onActivity
    case confirm
    case deliver
    case debug
    case token
    case result
    case explain
    case limit
    case since
    case topics
    case apps
    case agent
    case cursor
    case all
    case ledger
    case user

    /// The name on the wire.
    var name: StaticString {
        switch self {
        case .app: "app"
        case .version: "version"
        case .policy: "policy"
        case .name: "name"
        case .count: "count"
        case .debounce: "debounce_ms"
        case .onActivity: "on_activity"
        case .confirm: "confirm"
        case .deliver: "deliver"
        case .debug: "debug"
        case .token: "token"
        case .result: "result"
        case .explain: "explain"
        case .limit: "limit"
        case .since: "since"
        case .topics: "topics"
        case .apps: "apps"
        case .agent: "agent"
        case .cursor: "cursor"
        case .all: "all"
        case .ledger: "ledger"
        case .user: "uid"
        }
    }
}
