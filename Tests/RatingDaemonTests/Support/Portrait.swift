import RatingPolicy

@testable import RatingDaemon

extension Core {
    /// Everything a turn may change and has to give back, as text, one line a thing.
    var portrait: [String] {
        let apps = apps.values.map { app in
            "app \(app.key): \(app.content.state) stored=\(app.content.isStored) "
                + "dirty=\(app.content.isDirty) clients=\(app.content.clientCount)"
        }
        let users = users.values.map { user in
            let content = user.content
            return
                "user \(user.id): \(content.record) pending=\(content.pending.map(\.string).sorted()) "
                + "subscribers=\(content.subscribers.map(\.id.number)) dirty=\(content.isDirty)"
        }
        let clients = clients.values.map { client in
            let content = client.content
            return "client \(client.id.number): \(String(describing: content.greeting)) "
                + "app=\(content.app?.id.string ?? "-") "
                + "subscription=\(String(describing: content.subscription)) "
                + "pending=\(content.pendingCount) confirms=\(content.confirms.keys.sorted()) "
                + "ended=\(content.isInputEnded) closing=\(content.isClosing)"
        }
        return apps.sorted() + users.sorted() + clients.sorted() + ["pending \(pendingTotal)"]
    }
}
