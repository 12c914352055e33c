import RatingPolicy
import RatingWire
import Testing

@testable import RatingDaemon

/// What is left of a prompt that was forgotten while its outcome was waited for.
struct ForgetTests {
    private func forgotten() -> (bench: Bench, guest: Guest, token: String) {
        let bench = Bench(.free([.outcomeTimeoutSec: .integer(600)]))
        let guest = bench.greet()
        let token = guest.request(#""debounce_ms":0"#)
        #expect(guest.outcome(of: "forget", #""app":"org.example.Notes","ledger":true"#) == "ok")
        return (bench, guest, token)
    }

    @Test func `its token is there until the time-out, and then nothing but its time`() {
        let (bench, guest, token) = forgotten()
        bench.wait(599_999)
        #expect(guest.ask("status")["outstanding"]?.string == token)
        var grant = guest.ask("history")["grants"]?.array?.first
        #expect(grant?["token"]?.string == token)
        bench.wait(1)
        let status = guest.ask("status")
        #expect(status["outstanding"] == .null)
        #expect(status["outcome"] == .null)
        #expect(status["last_prompt"]?.string != nil)
        #expect(status["prompts_in_window"]?.integer == 1)
        grant = guest.ask("history")["grants"]?.array?.first
        #expect(grant?["granted_at"]?.string != nil)
        for member in ["token", "version", "outcome", "outcome_at"] {
            #expect(grant?[member] == .null, "\(member)")
        }
        #expect(guest.ask("report")["outcomes"]?.members?.isEmpty == true)
        #expect(
            guest.outcome(of: "outcome", #""token":"\#(token)","result":"rated""#) == "not_found")
    }
}
