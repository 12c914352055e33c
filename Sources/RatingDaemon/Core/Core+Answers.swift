import RatingPolicy
import RatingStore
import RatingWire

/// From a line to its answer.
extension Core {
    /// A line came from a client.
    func received(_ incoming: consuming Incoming, from client: Client) {
        switch incoming {
        case .known(let call): received(call, from: client)
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
        let rest = work(out: element, from: client) { id, answer in
            write(answer, id: id, to: client)
        }
        guard let rest else { return }
        touch(client)
        client.content.unfinished = .query(rest.id, rest.query)
    }

    /// Answers a batch, in one line, after everything it ends and before everything it starts.
    ///
    /// What is told to the client while the batch goes on in later turns stands behind its answer.
    func answer(_ batch: BatchProgress, from client: Client) {
        var progress = batch
        let costEnd = turnCost + Self.costAtOnceMax
        while progress.isMore {
            guard turnCost < costEnd || isShuttingDown || client.isClosing else {
                touch(client)
                client.content.unfinished = .batch(progress)
                return
            }
            answerNext(of: &progress, from: client)
        }
        touch(client)
        client.output.append { progress.answers.append(to: &$0) }
        guard !client.content.behind.isEmpty else { return }
        client.output.append { $0 += client.content.behind }
        client.content.behind = []
    }

    private func answerNext(of progress: inout BatchProgress, from client: Client) {
        let before = progress.answers.count
        defer { spend(bytes: progress.answers.count - before) }
        if let query = progress.query {
            progress.query = nil
            switch step(query.query, for: client) {
            case .answer(let answer):
                tellFailure(answer)
                answer.add(to: &progress.answers, id: query.id)
            case .query(let rest): progress.query = (query.id, rest)
            }
            return
        }
        let element = progress.elements.removeFirst()
        if element.isRepair {
            // Its beginning will be stored when the rest is not.
            var rest = progress
            rest.elements = [element] + progress.elements
            self.batch = .batch(client, rest)
        }
        let isFull = progress.answers.count > bounds.outputBytes
        progress.query = work(out: element, from: client, isFull: isFull) { id, answer in
            answer.add(to: &progress.answers, id: id)
        }
    }

    func write(_ answer: Answer, id: RequestID, to client: Client) {
        list(client)
        let before = client.output.count
        client.output.append { answer.append(id: id, to: &$0) }
        spend(bytes: client.output.count - before)
    }

    func tellFailure(_ answer: Answer, isNotification: Bool = false) {
        guard case .failure(let failure) = answer else { return }
        statistics.count(failure, isNotification: isNotification)
    }

    /// Carries out one message, and tells its answer if it wants one; returns what is still to be
    /// answered.
    ///
    /// `isFull`: the answers of its batch are as long as they may be, so that it is only refused.
    @inline(__always)
    private func work(
        out element: Incoming.Element, from client: Client, isFull: Bool = false,
        _ tell: (RequestID, Answer) -> Void
    ) -> (id: RequestID, query: Query)? {
        statistics.messages += 1
        switch element {
        case .call(let id, let request):
            switch carryOut(request, from: client, isFull: isFull) {
            case .answer(let answer):
                tellFailure(answer, isNotification: id == nil)
                if let id { tell(id, answer) }
            case .query(let query): if let id { return (id, query) }
            }
        case .response(let response):
            if !confirmAnswered(response, by: client) { _ = charge(client) }
        case .invalid(let id, let failure):
            _ = charge(client)
            noteBadInput(failure, from: client)
            statistics.count(failure, isNotification: false)
            tell(id, .failure(failure))
        }
        return nil
    }

    /// Checks in the order of SPEC 1: what is wrong first is reported, and all of it costs the same.
    @inline(__always)
    private func carryOut(
        _ request: Request, from client: Client, isFull: Bool
    ) -> Step {
        let wait = charge(client, price: request.price, cost: request.cost)
        do throws(Failure) {
            if case .failure(let failure) = request, failure.reason == .methodNotFound {
                throw failure
            }
            if isShuttingDown { throw .shuttingDown }
            if let wait { throw .rateLimited(retryAfter: wait) }
            if isFull { throw overLimit(.outputBytes, user: client.user.id) }
            switch request {
            case .success(.apps(let cursor, let limit, let user)):
                return try apps(after: cursor, limit: limit, user: user, from: client)
            case .success(.report(let app, let since, let user)):
                return try report(app, since: since, user: user, from: client)
            case .success(let call): return .answer(.reply(try reply(to: call, from: client)))
            case .failure(let failure): throw failure
            }
        } catch {
            switch error.reason {
            case .invalidParams, .methodNotFound, .rateLimited: noteBadInput(error, from: client)
            default: break
            }
            return .answer(.failure(error))
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
        case .reviewURL(let app): try reviewURL(app, from: client)
        case .subscribe(let topics, let apps, let isAgent):
            try subscribe(topics: topics, apps: apps, isAgent: isAgent, from: client)
        case .unsubscribe: .unsubscribed(unsubscribe(client))
        case .whoami: .whoami(whoami(client))
        case .apps, .report: preconditionFailure("they are answered a piece at a time")
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

/// What carrying out a message comes to.
enum Step {
    case answer(Answer)
    /// The answer takes further steps.
    case query(Query)
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

extension Incoming.Element {
    /// Stores, while it is being carried out, all that was before it.
    fileprivate var isRepair: Bool {
        if case .call(_, .success(.repairClock)) = self { true } else { false }
    }
}
