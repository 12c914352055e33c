/// The members that `params` can have.
enum Field: UInt8, CaseIterable {
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

    /// Looks a name up by its bytes.
    init?(_ name: JSONNode) {
        let field: Field? =
            switch name.byteCount {
            case 3: name.equals("app") ? .app : name.equals("all") ? .all : Self.user(name)
            case 4: name.equals("name") ? .name : name.equals("apps") ? .apps : nil
            case 5: Self.ofFiveBytes(name)
            case 6: Self.ofSixBytes(name)
            case 7: Self.ofSevenBytes(name)
            case 11:
                name.equals("debounce_ms")
                    ? .debounce : name.equals("on_activity") ? .onActivity : nil
            default: nil
            }
        guard let field else { return nil }
        self = field
    }

    private static func user(_ name: JSONNode) -> Field? {
        name.equals("uid") ? .user : nil
    }

    private static func ofFiveBytes(_ name: JSONNode) -> Field? {
        if name.equals("count") { return .count }
        if name.equals("debug") { return .debug }
        if name.equals("token") { return .token }
        if name.equals("limit") { return .limit }
        if name.equals("since") { return .since }
        return name.equals("agent") ? .agent : nil
    }

    private static func ofSixBytes(_ name: JSONNode) -> Field? {
        if name.equals("policy") { return .policy }
        if name.equals("result") { return .result }
        if name.equals("topics") { return .topics }
        if name.equals("cursor") { return .cursor }
        return name.equals("ledger") ? .ledger : nil
    }

    private static func ofSevenBytes(_ name: JSONNode) -> Field? {
        if name.equals("version") { return .version }
        if name.equals("confirm") { return .confirm }
        if name.equals("deliver") { return .deliver }
        return name.equals("explain") ? .explain : nil
    }
}
