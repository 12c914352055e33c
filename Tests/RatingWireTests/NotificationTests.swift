import RatingPolicy
import Testing

@testable import RatingWire

/// The shapes of what the daemon says unasked, as SPEC 2 gives them.
struct NotificationTests {
    private let version = Version("1.4")!
    private let head = #""token":"Jm3abcdefghijklmnopqrs","app":"org.example.Notes""#
    private let at = #""2026-11-30T05:09:02.123Z""#

    private func line(_ notification: Notification) -> String {
        let line = written { MessageWriter.appendNotification(notification, to: &$0) }
        #expect(ReferenceJSON.value(Array(line.utf8)) != nil)
        return line
    }

    @Test func `prompt`() {
        let notice = PromptNotice(
            token: token, app: notes, version: version, grantedAt: time, promptsInWindow: 1,
            cap: 3, reviewURL: "appstream://org.example.Notes", isDebug: false)
        #expect(
            line(.prompt(notice))
                == #"{"jsonrpc":"2.0","method":"prompt","params":{\#(head),"version":"1.4","#
                + #""granted_at":\#(at),"prompts_in_window":1,"cap":3,"#
                + #""review_url":"appstream://org.example.Notes","debug":false}}"# + "\n")
    }

    @Test func `granted`() {
        #expect(
            line(.granted(token: token, app: notes, version: version, grantedAt: time))
                == #"{"jsonrpc":"2.0","method":"granted","params":{\#(head),"version":"1.4","#
                + #""granted_at":\#(at)}}"# + "\n")
    }

    @Test func `cancelled has reasons only where it is ineligible`() {
        #expect(
            line(.cancelled(token: token, app: notes, .activity))
                == #"{"jsonrpc":"2.0","method":"cancelled","params":{\#(head),"reason":"activity"}}"#
                + "\n")
        #expect(
            line(.cancelled(token: token, app: notes, .ineligible([.optedOut, .days])))
                == #"{"jsonrpc":"2.0","method":"cancelled","params":{\#(head),"#
                + #""reason":"ineligible","reasons":["opted_out","days"]}}"# + "\n")
    }

    @Test func `confirm is a request with a string for an id`() {
        #expect(
            line(.confirm(id: "c-1", token: token, app: notes))
                == #"{"jsonrpc":"2.0","id":"c-1","method":"confirm","params":{\#(head)}}"# + "\n")
    }

    @Test func `decision leaves out what there is not`() {
        var notice = DecisionNotice(seq: 1, time: time, app: notes, decision: .refused)
        let start =
            #"{"jsonrpc":"2.0","method":"decision","params":{"seq":1,"time":\#(at),"#
            + #""app":"org.example.Notes","decision":"#
        #expect(line(.decision(notice)) == start + #""refused"}}"# + "\n")
        notice.decision = .cancelled
        notice.token = token
        notice.version = version
        notice.reason = "ineligible"
        notice.reasons = [.version]
        #expect(
            line(.decision(notice)) == start
                + #""cancelled","token":"Jm3abcdefghijklmnopqrs","version":"1.4","#
                + #""reason":"ineligible","reasons":["version"]}}"# + "\n")
    }

    @Test func `counter has the name of events`() {
        let start =
            #"{"jsonrpc":"2.0","method":"counter","params":{"seq":9,"time":\#(at),"#
            + #""app":"org.example.Notes","counter":"#
        #expect(
            line(
                .counter(
                    CounterNotice(
                        seq: 9, time: time, app: notes, counter: .sessions, name: nil, value: 4)))
                == start + #""sessions","value":4}}"# + "\n")
        #expect(
            line(
                .counter(
                    CounterNotice(
                        seq: 9, time: time, app: notes, counter: .events,
                        name: EventName("a\\b")!, value: 4)))
                == start + #""events","name":"a\\b","value":4}}"# + "\n")
    }

    @Test func `lagged and bye`() {
        #expect(
            line(.lagged(dropped: 12))
                == #"{"jsonrpc":"2.0","method":"lagged","params":{"dropped":12}}"# + "\n")
        for (reason, name) in [
            (ByeReason.shuttingDown, "shutting_down"), (.idle, "idle"),
            (.quotaExceeded, "quota_exceeded"),
        ] {
            #expect(
                line(.bye(reason))
                    == #"{"jsonrpc":"2.0","method":"bye","params":{"reason":"\#(name)"}}"# + "\n")
        }
    }
}
