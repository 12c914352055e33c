internal import Glibc
internal import RatingWire

/// `request`: asks for a prompt, and stays until it is clear what becomes of it.
extension Run {
    func request() throws(ControlFailure) -> ExitCode {
        if invocation.options[.confirm] == "", !Terminal.isTerminal(0) {
            throw usage(
                "--confirm asks on a terminal; without one say --confirm=yes or =no", .request)
        }
        var client = try connect()
        let decision = try askWithVersion(
            &client, Client.Question("request", invocation.requestParams))
        let answer = PlayText.decision(decision, now)
        guard decision["decision"]?.string == "pending", !invocation.has(.noWait) else {
            return try finish(answer, json: decision)
        }
        // Scripts get one JSON text: how it ended.
        if case .text = invocation.format { try output.print(answer.lines) }
        return try waitForEnd(&client, token: decision["token"]?.string)
    }

    private func waitForEnd(
        _ client: inout Client, token: String?
    ) throws(ControlFailure) -> ExitCode {
        // The id of the question that the user is being asked.
        var question: String?
        while true {
            switch try client.news(.init(input: question == nil ? nil : 0)) {
            case .message(.notification(let method, let params)):
                guard params["token"]?.string == token,
                    let end = PlayText.end(method, params)
                else { continue }
                if question != nil { Messages.print("too late, the request has ended") }
                let decision = method == "cancelled" ? "cancelled" : "granted"
                let json = JSONValue.object(
                    [.init("decision", .string(decision))] + (params.members ?? []))
                return try finish(end, json: json)
            case .message(.request(let id, "confirm", let params)):
                question = try confirm(&client, id, params)
            case .message, .outputGone:
                continue
            case .input:
                if let id = question { try client.answer(id, .bool(Self.readsYes())) }
                question = nil
            case .timedOut:
                throw ControlFailure(
                    .timedOut, "the request has not ended in time; going away cancels it")
            case .closed(let reason):
                throw client.closed(reason)
            }
        }
    }

    /// Answers at once if the command line says how, else asks; then the id comes back.
    private func confirm(
        _ client: inout Client, _ id: String, _ params: JSONValue
    ) throws(ControlFailure) -> String? {
        switch invocation.options[.confirm] {
        case "yes":
            Messages.print("confirmed")
            try client.answer(id, .bool(true))
        case "":
            Messages.print("show the prompt of \(params.shown("app")) now? [y/N]")
            return id
        default:
            Messages.print("not confirmed")
            try client.answer(id, .bool(false))
        }
        return nil
    }

    private static func readsYes() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe read(0, $0.baseAddress, $0.count)
        }
        return count > 0 && (bytes[0] == UInt8(ascii: "y") || bytes[0] == UInt8(ascii: "Y"))
    }
}

extension Invocation {
    /// The parameters of `request`.
    var requestParams: [JSONValue.Member] {
        var params: [JSONValue.Member] = [
            .init("app", .string(required(0))), .init("version", .string(required(1))),
        ]
        if let debounce = number(.debounce) {
            params.append(.init("debounce_ms", .integer(debounce)))
        }
        if let reaction = options[.onActivity] {
            params.append(.init("on_activity", .string(reaction)))
        }
        if has(.confirm) { params.append(.init("confirm", .bool(true))) }
        if has(.agent) { params.append(.init("deliver", .string("agent"))) }
        if has(.debug) { params.append(.init("debug", .bool(true))) }
        return params
    }
}
