import RatingPolicy
import RatingStore
import RatingWire

/// Those who want to be told, and the telling.
extension Core {
    func subscribe(
        topics: Set<Topic>, apps: Set<AppID>?, isAgent: Bool, from client: Client
    ) throws(Failure) -> Reply {
        let identity = client.peer.identity
        var apps = apps
        if identity.isSandboxed {
            guard let own = identity.app else {
                throw notPermitted("nothing is known of this connection's app", client)
            }
            for app in apps ?? [] { try permit(client, for: app) }
            apps = [own]
        }
        if client.content.subscription == nil { try admitSubscription(of: client) }
        unsubscribe(client)
        touch(client)
        touch(client.user)
        client.content.subscription = Subscription(topics: topics, apps: apps, isAgent: isAgent)
        client.user.content.subscribers.append(client)
        return .subscribed
    }

    /// True if there was a subscription.
    @discardableResult
    func unsubscribe(_ client: Client) -> Bool {
        guard client.content.subscription != nil else { return false }
        touch(client)
        touch(client.user)
        tellLag(client)
        client.content.subscription = nil
        client.user.content.subscribers.removeAll { $0 === client }
        return true
    }

    /// Who shows an app's prompts that are for an agent: the newest whose apps fit.
    func agent(for app: LiveApp) -> Client? {
        app.user.content.subscribers.last { client in
            guard let subscription = client.content.subscription else { return false }
            return subscription.isAgent && subscription.fits(app.id)
                && !client.content.isClosing && !client.isHungUp
        }
    }

    /// Tells subscribers of a decision once the answer that is being worked out is written.
    func announce(_ app: LiveApp, _ news: DecisionNews) {
        guard !app.user.content.subscribers.isEmpty else { return }
        turn.followUps.append(.decision(app.key, news))
    }

    func announce(_ app: LiveApp, _ news: CounterNews) {
        guard !app.user.content.subscribers.isEmpty else { return }
        turn.followUps.append(.counter(app.key, news))
    }

    /// Tells at once, but not before what began earlier in the same batch, which follows its answer.
    func tellInOrder(_ telling: Telling) {
        if turn.followUps.isEmpty { tell(telling) } else { turn.followUps.append(telling) }
    }

    func tellFollowUps() {
        guard !turn.followUps.isEmpty else { return }
        let followUps = turn.followUps
        turn.followUps = []
        for telling in followUps { tell(telling) }
    }

    func tell(_ telling: Telling) {
        switch telling {
        case .direct(let client, let notification):
            touch(client)
            if case .bye = notification { tellLag(client) }
            tell(client, notification)
        case .decision(let key, let news):
            tellSubscribers(of: .decisions, key) { sequence in
                var notice = DecisionNotice(
                    seq: sequence, time: now.wall, app: key.app, decision: news.decision)
                notice.token = news.token
                notice.version = news.version
                notice.reason = news.reason
                notice.reasons = news.reasons
                return .decision(notice)
            }
        case .counter(let key, let news):
            tellSubscribers(of: .counters, key) { sequence in
                .counter(
                    CounterNotice(
                        seq: sequence, time: now.wall, app: key.app, counter: news.counter,
                        name: news.name, value: news.value))
            }
        }
    }

    /// One that does not read has its news counted instead of queued, and is told so later.
    private func tellSubscribers(
        of topic: Topic, _ key: AppKey, _ notification: (Int64) -> Notification
    ) {
        guard let user = users[key.user] else { return }
        for client in user.content.subscribers {
            guard let subscription = client.content.subscription,
                subscription.topics.contains(topic), subscription.fits(key.app),
                !client.content.isClosing
            else { continue }
            touch(client)
            client.content.subscription?.sequence += 1
            if client.output.count + client.content.behind.count > bounds.outputBytes {
                client.content.subscription?.dropped += 1
                statistics.lagged += 1
                continue
            }
            tellLag(client)
            tell(client, notification(subscription.sequence + 1))
        }
    }

    /// Tells a subscriber how many it missed: once it reads again, or for the last time.
    private func tellLag(_ client: Client) {
        guard let dropped = client.content.subscription?.dropped, dropped > 0,
            client.content.isConnected
        else { return }
        client.content.subscription?.dropped = 0
        tell(client, .lagged(dropped: dropped))
    }

    private func tell(_ client: Client, _ notification: Notification) {
        if client.isMidBatch {
            MessageWriter.appendNotification(notification, to: &client.content.behind)
        } else {
            client.output.append { MessageWriter.appendNotification(notification, to: &$0) }
        }
    }

    /// A client's output was written out; if it missed something it is told with the next turn.
    ///
    /// True if it is told something.
    @discardableResult
    func outputDrained(_ client: Client) -> Bool {
        if client.countedOutput != client.output.count { countOutput(of: client) }
        guard let subscription = client.content.subscription, subscription.dropped > 0,
            client.output.count == 0, !client.content.isClosing
        else { return false }
        touch(client)
        tellLag(client)
        return true
    }
}
