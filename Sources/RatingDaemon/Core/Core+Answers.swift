import RatingPolicy
import RatingStore
import RatingWire

/// From a line to its answer.
extension Core {
    /// A line came from a client.
    func received(_ incoming: consuming Incoming, from client: Client) {
        switch incoming {
        case .single(let element): take(element, from: client)
        case .batch(let elements): take(.batch(client, BatchProgress(elements: elements[...])))
        case .failure(let failure): take(.failure(client, failure))
        }
    }

    /// A line came that was too long; it is not looked into.
    func receivedTooLong(from client: Client) {
        take(.failure(client, .lineTooLong))
    }

    /// Answers something that could not be read as a request.
    func refuse(_ failure: Failure, to client: Client) {
        _ = charge(client)
        noteBadInput(failure, from: client)
        write(.failure(failure), id: .null, to: client)
    }

    /// Answers one message that stands alone on its line.
    func answer(_ element: Incoming.Element, from client: Client) {
        work(out: element, from: client) { id, answer in write(answer, id: id, to: client) }
    }

    /// Answers a batch, in one line, after everything it ends and before everything it starts.
    func answer(_ batch: BatchProgress, from client: Client) {
        var progress = batch
        while let element = progress.elements.first {
            self.batch = .batch(client, progress)
            let isFull = progress.answers.count > bounds.outputBytes
            work(out: element, from: client, isFull: isFull) { id, answer in
                answer.add(to: &progress.answers, id: id)
            }
            progress.elements = progress.elements.dropFirst()
        }
        guard !progress.answers.isEmpty else { return }
        touch(client)
        client.output.append { progress.answers.append(to: &$0) }
    }

    func write(_ answer: Answer, id: RequestID, to client: Client) {
        touch(client)
        client.output.append { answer.append(id: id, to: &$0) }
    }

    /// Carries out one message, and tells its answer if it wants one.
    ///
    /// `isFull`: the answers of its batch are as long as they may be, so that it is only refused.
    @inline(__always)
    private func work(
        out element: Incoming.Element, from client: Client, isFull: Bool = false,
        _ tell: (RequestID, Answer) -> Void
    ) {
        statistics.messages += 1
        switch element {
        case .call(let id, let request):
            let answer = carryOut(request, from: client, isFull: isFull)
            if case .failure(let failure) = answer {
                statistics.count(failure, isNotification: id == nil)
            }
            if let id { tell(id, answer) }
        case .response(let response):
            if !confirmAnswered(response, by: client) { _ = charge(client) }
        case .invalid(let id, let failure):
            _ = charge(client)
            noteBadInput(failure, from: client)
            statistics.count(failure, isNotification: false)
            tell(id, .failure(failure))
        }
    }

    /// Checks in the order of SPEC 1: what is wrong first is reported, and all of it costs the same.
    @inline(__always)
    private func carryOut(
        _ request: Request, from client: Client, isFull: Bool
    ) -> Answer {
        let wait = charge(client, request.cost)
        do throws(Failure) {
            if case .failure(let failure) = request, failure.reason == .methodNotFound {
                throw failure
            }
            if isShuttingDown { throw .shuttingDown }
            if let wait { throw .rateLimited(retryAfter: wait) }
            if isFull { throw overLimit(.outputBytes, user: client.user.id) }
            switch request {
            case .success(let call): return .reply(try reply(to: call, from: client))
            case .failure(let failure): throw failure
            }
        } catch {
            switch error.reason {
            case .invalidParams, .methodNotFound, .rateLimited: noteBadInput(error, from: client)
            default: break
            }
            return .failure(error)
        }
    }

    @inline(__always)
    private func reply(to call: Call, from client: Client) throws(Failure) -> Reply {
        switch call {
        case .hello(let app, let version, let offer):
            try hello(app: app, version: version, offer: offer, from: client)
        case .session(let app, let version): try session(app, version, from: client)
        case .event(let app, let name, let count):
            try event(app, name: name, count: count, from: client)
        case .activity(let app): try activity(app, from: client)
        case .request(let call): try request(call, from: client)
        case .cancel(let what): try cancel(what, from: client)
        case .outcome(let token, let report): try outcome(report, token: token, from: client)
        case .status(let app, let version, let explain, let user):
            try status(app, version, explain: explain, user: user, from: client)
        case .history(let app, let limit, let user):
            try history(app, limit: limit, user: user, from: client)
        case .report(let app, let since, let user):
            try report(app, since: since, user: user, from: client)
        case .reviewURL(let app): try reviewURL(app, from: client)
        case .subscribe(let topics, let apps, let isAgent):
            try subscribe(topics: topics, apps: apps, isAgent: isAgent, from: client)
        case .unsubscribe: .unsubscribed(unsubscribe(client))
        case .whoami: .whoami(whoami(client))
        case .apps(let cursor, let limit, let user):
            try apps(after: cursor, limit: limit, user: user, from: client)
        case .opt(let out, let scope, let user):
            try opt(out: out, scope: scope, user: user, from: client)
        case .forget(let app, let ledger, let user):
            try forget(app, ledger: ledger, user: user, from: client)
        case .repairClock: try repairClock(from: client)
        case .reload: try reload(from: client)
        case .stats: .stats(stats())
        case .ping: .pong(now.wall)
        }
    }
}

/// What a request is answered with.
enum Answer {
    case reply(Reply)
    case failure(Failure)

    /// Appends the answer as one line.
    func append(id: RequestID, to bytes: inout [UInt8]) {
        switch self {
        case .reply(let reply): MessageWriter.appendReply(id, reply, to: &bytes)
        case .failure(let failure): MessageWriter.appendError(id, failure, to: &bytes)
        }
    }

    func add(to answers: inout BatchAnswers, id: RequestID) {
        switch self {
        case .reply(let reply): answers.addReply(id, reply)
        case .failure(let failure): answers.addError(id, failure)
        }
    }
}
