internal import Posix
internal import RatingPolicy
internal import RatingWire

/// Speaks the daemon's protocol from the client's side, one question after the other.
struct Client: ~Copyable {
    /// A method and its parameters.
    struct Question {
        let method: String
        let params: JSONValue

        init(_ method: String, _ params: [JSONValue.Member] = []) {
            self.method = method
            self.params = .object(params)
        }
    }

    /// What came besides answers, or instead of them.
    enum News {
        case message(Message)
        case input
        case outputGone
        case timedOut
        /// The daemon ended the connection, for this reason if it said one.
        case closed(String?)
    }

    /// What the daemon reads of a client in one line, with its end.
    static let lineBytesMax = Limits.lineBytesMax

    private let address: Address
    private let patience: Patience
    private var connection: Connection
    private var lastID: Int64 = 0
    private var farewell: String?

    init(_ address: Address, _ patience: Patience) throws(ControlFailure) {
        self.address = address
        self.patience = patience
        connection = try Connection(to: address, patience)
    }

    /// Asks several things in one write; the answers come in their order.
    mutating func ask(_ questions: [Question]) throws(ControlFailure) -> [Message.Reply] {
        let first = lastID + 1
        var lines: [String] = []
        for question in questions { lines.append(try line(question)) }
        try connection.send(lines, patience)
        var replies: [Message.Reply] = []
        while replies.count < questions.count {
            replies.append(try reply(to: first + Int64(replies.count)))
        }
        return replies
    }

    /// Asks one thing; an error of the daemon is thrown.
    mutating func ask(_ question: Question) throws(ControlFailure) -> JSONValue {
        try ask([question])[0].get()
    }

    /// Answers a request of the daemon.
    mutating func answer(_ id: String, _ value: JSONValue) throws(ControlFailure) {
        let response = JSONValue.object([
            .init("jsonrpc", .string("2.0")), .init("id", .string(id)), .init("result", value),
        ])
        try connection.send([response.line], patience)
    }

    /// Waits for what the daemon tells on its own account.
    mutating func news(_ others: Connection.Others) throws(ControlFailure) -> News {
        switch connection.next(patience, others) {
        case .line(let line):
            guard let message = Message(line) else { throw stranger }
            if case .notification("bye", let params) = message {
                farewell = params["reason"]?.string
            }
            return .message(message)
        case .closed: return .closed(farewell)
        case .timedOut: return .timedOut
        case .input: return .input
        case .outputGone: return .outputGone
        }
    }

    private mutating func line(_ question: Question) throws(ControlFailure) -> String {
        lastID += 1
        let request = JSONValue.object([
            .init("jsonrpc", .string("2.0")), .init("id", .integer(lastID)),
            .init("method", .string(question.method)), .init("params", question.params),
        ])
        let line = request.line
        guard line.utf8.count < Self.lineBytesMax else {
            throw ControlFailure(
                .badData, "the request has \(line.utf8.count + 1) bytes",
                hint: "The daemon takes at most \(Self.lineBytesMax).")
        }
        return line
    }

    private mutating func reply(to id: Int64) throws(ControlFailure) -> Message.Reply {
        while true {
            switch try news(Connection.Others()) {
            case .message(.answer(let answered, let reply)) where answered == id || answered == nil:
                return reply
            case .message, .input, .outputGone:
                continue
            case .timedOut:
                throw patience.failure
            case .closed(let reason):
                throw closed(reason)
            }
        }
    }

    /// The failure that an end of the connection is while something was asked.
    func closed(_ reason: String?) -> ControlFailure {
        if let reason {
            return ControlFailure(
                .tryLater, "the daemon ended the connection: \(ReasonText.farewell(reason))",
                hint: "Try again later.")
        }
        return ControlFailure(
            .noDaemon, "the daemon closed the connection without an answer",
            hint: "See 'ratingctl logs'.")
    }

    private var stranger: ControlFailure {
        ControlFailure(.noDaemon, "what answers at '\(address.path)' is not ratingd")
    }

    /// Where the daemon is.
    var path: String { address.path }
}

extension Message.Reply {
    func get() throws(ControlFailure) -> JSONValue {
        switch self {
        case .result(let result): result
        case .error(let error): throw ControlFailure(error: error)
        }
    }
}
