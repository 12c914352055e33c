import RatingPolicy
import RatingWire

/// What messages cost of the rate, and so of a turn.
extension Core {
    /// Takes what a message costs out of the connection's budget, its user's, ten times as large, and
    /// the half of that which its process may use; returns how long to wait if there is not so much.
    ///
    /// What is no request costs as much as one, or a flood of it would be free.
    func charge(_ client: Client, price: Int64 = 1, cost: Int = 1) -> Milliseconds? {
        turnCost += cost
        let perSec = bounds.ratePerSec
        guard perSec > 0 else {
            hasAccepted = true
            return nil
        }
        let burst = bounds.rateBurst
        list(client)
        list(client.process)
        list(client.user)
        // One that is refused takes nothing from those behind it: no flood of one connection or
        // process uses up what is its neighbours'.
        let wait =
            client.bucket.take(price, perSec: perSec, burst: burst, at: now.monotonic)
            ?? client.process.bucket.take(
                price, perSec: perSec * 5, burst: burst * 5, at: now.monotonic)
            ?? client.user.bucket.take(
                price, perSec: perSec * 10, burst: burst * 10, at: now.monotonic)
        if wait == nil { hasAccepted = true }
        return wait
    }

    /// How many messages of a client would be let pass in this turn, without anything else in between.
    func room(of client: Client) -> Int64 {
        let perSec = bounds.ratePerSec
        let burst = bounds.rateBurst
        guard perSec > 0 else { return .max }
        return min(
            client.bucket.room(perSec: perSec, burst: burst, at: now.monotonic),
            client.process.bucket.room(perSec: perSec * 5, burst: burst * 5, at: now.monotonic),
            client.user.bucket.room(perSec: perSec * 10, burst: burst * 10, at: now.monotonic))
    }

    /// Counts a long answer for as many lines as it takes the time of.
    func spend(bytes: Int) {
        turnCost += bytes / 128
    }

    /// What was charged since this was last asked, one at least.
    func takeCost() -> Int {
        defer { turnCost = 0 }
        return Swift.max(1, turnCost)
    }
}

extension Request {
    /// What it takes of the rate: one, or more for what takes the daemon much longer.
    var price: Int64 {
        switch self {
        case .success(.apps(_, let limit, _)):
            1 + Int64(AppListing.passedOverMax + limit) / 10
        case .success(.report): 201
        case .success(.reload), .success(.repairClock): 10
        case .success, .failure: 1
        }
    }

    /// What it takes of a turn, in lines, beside the pieces of its answer.
    var cost: Int {
        switch self {
        case .success(.reload), .success(.repairClock): 10
        case .success(.hello): 8
        case .success(.request), .success(.status): 3
        case .success, .failure: 1
        }
    }
}
