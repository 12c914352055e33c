/// The methods of SPEC 2, by their names on the wire.
package enum Method: String, CaseIterable, Hashable, Sendable {
    case hello
    case session
    case event
    case activity
    case request
    case cancel
    case outcome
    case status
    case history
    case report
    case reviewURL = "review_url"
    case subscribe
    case unsubscribe
    case whoami
    case apps
    case optOut = "opt_out"
    case optIn = "opt_in"
    case forget
    case repairClock = "repair_clock"
    case reload
    case stats
    case ping

    /// What its `params` may hold.
    var fields: [Field] {
        switch self {
        case .hello: [.app, .version, .policy]
        case .session: [.app, .version]
        case .event: [.app, .name, .count]
        case .activity, .reviewURL: [.app]
        case .request: [.app, .version, .debounce, .onActivity, .confirm, .deliver, .debug]
        case .cancel: [.app, .token]
        case .outcome: [.token, .result]
        case .status: [.app, .version, .explain, .user]
        case .history: [.app, .limit, .user]
        case .report: [.app, .since, .user]
        case .subscribe: [.topics, .apps, .agent]
        case .apps: [.cursor, .limit, .user]
        case .optOut, .optIn: [.app, .all, .user]
        case .forget: [.app, .ledger, .user]
        case .unsubscribe, .whoami, .repairClock, .reload, .stats, .ping: []
        }
    }

    /// Looks a name up by its bytes, without making a string of it.
    init?(_ name: JSONNode) {
        let method: Method? =
            switch name.byteCount {
            case 4: name.equals("ping") ? .ping : name.equals("apps") ? .apps : nil
            case 5:
                name.equals("event")
                    ? .event : name.equals("hello") ? .hello : name.equals("stats") ? .stats : nil
            case 6: Self.ofSixBytes(name)
            case 7: Self.ofSevenBytes(name)
            case 8: name.equals("activity") ? .activity : nil
            case 9: name.equals("subscribe") ? .subscribe : nil
            case 10: name.equals("review_url") ? .reviewURL : nil
            case 11: name.equals("unsubscribe") ? .unsubscribe : nil
            case 12: name.equals("repair_clock") ? .repairClock : nil
            default: nil
            }
        guard let method else { return nil }
        self = method
    }

    private static func ofSixBytes(_ name: JSONNode) -> Method? {
        if name.equals("status") { return .status }
        if name.equals("cancel") { return .cancel }
        if name.equals("report") { return .report }
        if name.equals("whoami") { return .whoami }
        if name.equals("opt_in") { return .optIn }
        if name.equals("forget") { return .forget }
        return name.equals("reload") ? .reload : nil
    }

    private static func ofSevenBytes(_ name: JSONNode) -> Method? {
        if name.equals("session") { return .session }
        if name.equals("request") { return .request }
        if name.equals("outcome") { return .outcome }
        if name.equals("history") { return .history }
        return name.equals("opt_out") ? .optOut : nil
    }
}
