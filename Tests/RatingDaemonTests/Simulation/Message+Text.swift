import RatingPolicy

extension Message.Content {
    /// The token this message names, of those its user was told.
    func token(_ known: [String]) -> String? {
        switch self {
        case .cancelToken: known.last ?? "none"
        case .outcome(_, let back, _):
            back < known.count ? known[known.count - 1 - back] : known.last ?? "none"
        default: nil
        }
    }

    /// The app this message names, nil in it if it names none; nil if it is about no one app.
    var app: Int?? {
        switch self {
        case .session(let app), .activity(let app), .cancel(let app), .history(let app),
            .reviewURL(let app), .opt(_, let app), .event(let app, _, _),
            .request(let app, _, _), .status(let app, _):
            .some(app)
        case .forget(let app, _): .some(app)
        default: nil
        }
    }

    /// The message as a client writes it.
    func text(id: Int?, token: String?) -> String {
        var members = ["\"method\":\"\(method)\""]
        if let id { members.insert("\"id\":\(id)", at: 0) }
        let params = parameters(token ?? "none")
        if !params.isEmpty { members.append("\"params\":{\(params.joined(separator: ","))}") }
        return "{\(members.joined(separator: ","))}"
    }

    private var method: String {
        switch self {
        case .hello: "hello"
        case .session: "session"
        case .event: "event"
        case .activity: "activity"
        case .request: "request"
        case .cancel, .cancelToken: "cancel"
        case .outcome: "outcome"
        case .status: "status"
        case .history: "history"
        case .report: "report"
        case .reviewURL: "review_url"
        case .opt(let out, _), .optAll(let out): out ? "opt_out" : "opt_in"
        case .forget: "forget"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .apps: "apps"
        case .ping: "ping"
        case .repairClock: "repair_clock"
        case .reload: "reload"
        case .unknown, .malformed: "no_such_method"
        }
    }

    private func parameters(_ token: String) -> [String] {
        func app(_ app: Int?) -> [String] {
            app.map { ["\"app\":\"\(Cast.apps[$0].string)\""] } ?? []
        }
        func version(_ version: Int?) -> [String] {
            version.map { ["\"version\":\"\(Cast.versions[$0].string)\""] } ?? []
        }
        switch self {
        case .hello(let id, let number, let wishes):
            let policy = Wishes.all[wishes].text.map { ["\"policy\":\($0)"] } ?? []
            return app(id) + version(number) + policy
        case .session(let id), .activity(let id), .cancel(let id), .history(let id),
            .reviewURL(let id), .opt(_, let id):
            return app(id)
        case .event(let id, let name, let count):
            let name = name == 0 ? [] : ["\"name\":\"\(Cast.names[name].string)\""]
            return app(id) + name + (count == 1 ? [] : ["\"count\":\(count)"])
        case .request(let id, let number, let wish):
            return app(id) + version(number) + wish.parameters
        case .cancelToken: return ["\"token\":\"\(token)\""]
        case .outcome(_, _, let result):
            return ["\"token\":\"\(token)\"", "\"result\":\"\(Cast.results[result])\""]
        case .status(let id, let explain): return app(id) + (explain ? ["\"explain\":true"] : [])
        case .optAll: return ["\"all\":true"]
        case .forget(let id, let ledger): return app(id) + (ledger ? ["\"ledger\":true"] : [])
        case .subscribe(let topics, let id, let agent):
            let names = Cast.topics[topics].map { "\"\($0)\"" }.joined(separator: ",")
            var all = topics == 0 && agent ? [] : ["\"topics\":[\(names)]"]
            if let id { all.append("\"apps\":[\"\(Cast.apps[id].string)\"]") }
            return all + (agent ? ["\"agent\":true"] : [])
        default: return []
        }
    }
}

extension Message.Wish {
    fileprivate var parameters: [String] {
        var all: [String] = []
        if let debounce { all.append("\"debounce_ms\":\(debounce)") }
        if let restarts { all.append("\"on_activity\":\"\(restarts ? "restart" : "cancel")\"") }
        if confirms { all.append("\"confirm\":true") }
        if agent { all.append("\"deliver\":\"agent\"") }
        if debug { all.append("\"debug\":true") }
        return all
    }
}
