internal import Posix
internal import RatingPolicy
internal import RatingWire

/// Verbs that ask something of their own.
extension Run {
    /// How many apps the overview shows; each costs one `status`.
    private static let overviewMax = 100
    /// How many rows one `apps` can give.
    private static let rowsMax: Int64 = 1_000

    func ping() throws(ControlFailure) -> ExitCode {
        var client = try connect()
        let start = Clock.now().monotonicNanoseconds
        let pong = try client.ask(Client.Question("ping"))
        let microseconds = (Clock.now().monotonicNanoseconds - start) / 1_000
        let span = microseconds < 1_000 ? "\(microseconds) µs" : spanText(microseconds / 1_000)
        return try finish(Answer("Pong at \(pong.shown("time")), after \(span)."), json: pong)
    }

    func call() throws(ControlFailure) -> ExitCode {
        var params = JSONValue.object([])
        if let text = invocation.word(1) {
            do {
                params = try JSONValue(parsing: text)
            } catch {
                throw ControlFailure(.badData, "'\(text)' is no JSON: \(error.message)")
            }
            guard params.members != nil else {
                throw ControlFailure(
                    .badData, "'\(text)' is no JSON object",
                    hint: "Parameters are an object, such as {\"app\":\"org.example.Notes\"}.")
            }
        }
        var client = try connect()
        let method = invocation.required(0)
        let result = try client.ask(Client.Question(method, params.members ?? []))
        try output.print(jsonLines(result))
        return .done
    }

    func apps() throws(ControlFailure) -> ExitCode {
        var client = try connect()
        guard let limit = invocation.number(.limit) else {
            let rows = try allApps(&client)
            return try finish(
                AppsText.answer(rows, now), json: .object([.init("apps", .array(rows))]))
        }
        let page = try askWithVersion(&client, appsQuestion(limit, cursor: nil))
        return try finish(AppsText.answer(page["apps"]?.array ?? [], now), json: page)
    }

    private func appsQuestion(_ limit: Int64, cursor: String?) -> Client.Question {
        let members = [
            JSONValue.Member("limit", .integer(limit)),
            cursor.map { JSONValue.Member("cursor", .string($0)) }, invocation.uid,
        ]
        return Client.Question("apps", members.compactMap(\.self))
    }

    /// Every page of the list, one after the other.
    private func allApps(_ client: inout Client) throws(ControlFailure) -> [JSONValue] {
        var page = try askWithVersion(&client, appsQuestion(Self.rowsMax, cursor: nil))
        var rows = page["apps"]?.array ?? []
        while let next = page["next"]?.string {
            page = try client.ask(appsQuestion(Self.rowsMax, cursor: next))
            rows += page["apps"]?.array ?? []
        }
        return rows
    }

    /// The daemon and how its apps stand.
    func overview() throws(ControlFailure) -> ExitCode {
        var client = try connect()
        let stats = try askWithVersion(&client, Client.Question("stats"))
        let question = Client.Question(
            "apps", [.init("limit", .integer(Int64(Self.overviewMax)))])
        let page: JSONValue
        do {
            page = try client.ask(question)
        } catch {
            // How the daemon itself stands is known even where its state is not.
            if case .text = invocation.format {
                try output.print(OverviewText.daemon(client.path, stats).lines)
            }
            throw error
        }
        let questions = (page["apps"]?.array ?? []).compactMap { $0["app"]?.string }.map {
            Client.Question("status", [.init("app", .string($0))])
        }
        var statuses: [JSONValue] = []
        for reply in try client.ask(questions) { statuses.append(try reply.get()) }
        let hasMore = page["next"]?.string != nil
        return try finish(
            OverviewText.answer(path: client.path, stats, statuses, hasMore: hasMore, now),
            json: .object([.init("daemon", stats), .init("apps", .array(statuses))]))
    }
}
