import RatingPolicy
import RatingWire

/// What messages cost of the rate, and so of a turn.
extension Core {
    /// Takes what a message costs out of the connection's budget, its user's, ten times as large, and
    /// the half of that which its process may use; returns how long to wait if there is not so much.
    ///
    /// What is no request costs as much as one, or a flood of it would be free.
    func charge(_ client: Client, _ cost: Int64 = 1) -> Milliseconds? {
        turnCost += Int(cost)
        let perSec = bounds.ratePerSec
        guard perSec > 0 else {
            hasAccepted = true
            return nil
        }
        let burst = bounds.rateBurst
        touch(client)
        touch(client.process)
        touch(client.user)
        // One that is refused takes nothing from those behind it: no flood of one connection or
        // process uses up what is its neighbours'.
        let wait =
            client.content.bucket.take(cost, perSec: perSec, burst: burst, at: now.monotonic)
            ?? client.process.content.bucket.take(
                cost, perSec: perSec * 5, burst: burst * 5, at: now.monotonic)
            ?? client.user.content.bucket.take(
                cost, perSec: perSec * 10, burst: burst * 10, at: now.monotonic)
        if wait == nil { hasAccepted = true }
        return wait
    }

    /// What was charged since this was last asked, one at least.
    func takeCost() -> Int {
        defer { turnCost = 0 }
        return Swift.max(1, turnCost)
    }
}

extension Request {
    /// One, or more for what takes the daemon much longer than an event.
    var cost: Int64 {
        switch self {
        case .success(.apps(_, let limit, _)): 1 + Int64(limit) / 10
        case .success(.report(nil, _, _)): 100
        case .success(.reload), .success(.repairClock): 10
        case .success, .failure: 1
        }
    }
}
