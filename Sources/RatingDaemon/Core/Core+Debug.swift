import RatingPolicy
import RatingStore
import RatingWire

/// Prompts that leave no trace.
extension Core {
    /// A prompt for trying things out, where files allow it: nothing is counted or written.
    func debugRequest(
        _ call: RequestCall, _ version: Version, _ app: LiveApp, from client: Client
    ) throws(Failure) -> Reply {
        let eligibility = eligibility(of: app, version: version, delivery: call.delivery)
        let reasons = eligibility.refusals(at: now.wall)
            .filter { [.disabled, .optedOut, .noAgent].contains($0) }
        guard reasons.isEmpty else { return .refused(reasons: reasons, nextEligible: nil) }
        var wish = RequestWish()
        wish.delivery = call.delivery
        let request = PendingRequest(
            token: newToken().asDebug, version: version, requester: client.id,
            of: client.process.id,
            wish: wish, policy: policy(of: app), at: now)
        prompt(
            request, of: app, isDebug: true,
            promptsInWindow: app.record.promptsInWindow(at: now.wall))
        return .pending(token: request.token, firesIn: 0, debug: true)
    }
}

extension Token {
    private static let debugPrefix = "debug-"

    /// This token marked as one of a prompt that leaves no trace.
    var asDebug: Token {
        guard let marked = Token(Self.debugPrefix + string) else {
            preconditionFailure("a marked token is a token")
        }
        return marked
    }

    var isDebug: Bool { string.hasPrefix(Self.debugPrefix) }
}
