internal import RatingWire

/// `watch`: everything that happens, a line each.
extension Run {
    func watch() throws(ControlFailure) -> ExitCode {
        var client = try connect()
        let topics = invocation.options[.topic].map { [$0] } ?? ["decisions", "counters"]
        var params = [JSONValue.Member("topics", .array(topics.map(JSONValue.string)))]
        if !invocation.words.isEmpty {
            params.append(.init("apps", .array(invocation.words.map(JSONValue.string))))
        }
        _ = try askWithVersion(&client, Client.Question("subscribe", params))
        while true {
            // A reader like `head -1` is noticed when it goes, not only at the next line.
            switch try client.news(.init(output: 1)) {
            case .message(.notification(let method, let params)):
                try show(method, params)
            case .message, .input:
                continue
            case .outputGone:
                return .done
            case .timedOut:
                return .timedOut
            case .closed(let reason):
                throw farewell(reason)
            }
        }
    }

    private func show(_ method: String, _ params: JSONValue) throws(ControlFailure) {
        guard case .text = invocation.format else {
            if method == "bye" { return }
            return try output.print(
                jsonLines(.object([.init("method", .string(method)), .init("params", params)])))
        }
        if let line = WatchText.line(method, params) {
            try output.print(line)
        } else if method == "lagged" {
            Messages.print("too slow, \(params.shown("dropped")) lines were missed")
        }
    }

    private func farewell(_ reason: String?) -> ControlFailure {
        guard let reason else {
            return ControlFailure(
                .noDaemon, "the daemon went away", hint: "See 'ratingctl logs'.")
        }
        return ControlFailure(
            .tryLater, "the daemon ended the connection: \(ReasonText.farewell(reason))")
    }
}
