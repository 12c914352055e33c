import RatingPolicy
import Testing

@testable import RatingWire

/// The shapes of results, as SPEC 2 and 3.3 give them.
struct ReplyTests {
    /// The result of an answer with id 7, after a check of everything around it.
    private func result(_ reply: Reply) -> String {
        let line = written { MessageWriter.appendReply(.integer(7), reply, to: &$0) }
        let head = #"{"jsonrpc":"2.0","id":7,"result":"#
        #expect(line.hasPrefix(head))
        #expect(line.hasSuffix("}\n"))
        #expect(line.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(ReferenceJSON.value(Array(line.utf8)) != nil)
        return String(line.dropFirst(head.count).dropLast(2))
    }

    @Test func `hello`() throws {
        var reply = HelloReply(
            server: "ratingd/0.1.0", app: notes,
            identity: IdentityReply(source: "claimed", isVerified: false),
            limits: Limits(descriptors: 1_024), capabilities: ["agent", "confirm"])
        let head =
            #"{"server":"ratingd/0.1.0","protocol":1,"app":"org.example.Notes","#
            + #""identity":{"source":"claimed","verified":false},"#
            + #""limits":{"line_bytes":65536,"batch":100,"connections":768,"#
            + #""connections_per_uid":384,"connections_per_app":64,"output_bytes":1048576,"#
            + #""rate_per_sec":1000,"rate_burst":10000,"apps_per_uid":10000,"#
            + #""event_names_per_app":100,"pending_per_uid":100,"subscriptions_per_uid":32},"#
            + #""capabilities":["agent","confirm"],"#
        #expect(result(.hello(reply)) == head + #""clamped":[],"ignored":[]}"#)
        reply.clamped = ["event.\"x\"", "user.enabled"]
        reply.ignored = ["\u{1}"]
        #expect(
            result(.hello(reply)) == head
                + #""clamped":["event.\"x\"","user.enabled"],"ignored":["\u0001"]}"#)
    }

    @Test func `counters`() {
        #expect(
            result(.session(sessions: 12, counted: true, firstSeen: time))
                == #"{"sessions":12,"counted":true,"first_seen":"2026-11-30T05:09:02.123Z"}"#)
        #expect(
            result(.session(sessions: 0, counted: false, firstSeen: nil))
                == #"{"sessions":0,"counted":false,"first_seen":null}"#)
        #expect(
            result(.event(events: Count(Count.max), nameTotal: 10))
                == #"{"events":9007199254740991,"name_total":10}"#)
    }

    @Test func `requests`() {
        #expect(
            result(.activity(cancelled: true, restarted: false))
                == #"{"cancelled":true,"restarted":false}"#)
        #expect(
            result(.pending(token: token, firesIn: 2_000, debug: false))
                == #"{"decision":"pending","token":"Jm3abcdefghijklmnopqrs","fires_in_ms":2000}"#)
        #expect(
            result(.pending(token: token, firesIn: 0, debug: true))
                == #"{"decision":"pending","token":"Jm3abcdefghijklmnopqrs","fires_in_ms":0,"debug":true}"#
        )
        #expect(
            result(
                .refused(
                    reasons: [.event(EventName("a\"b")!), .version, .noAgent], nextEligible: nil))
                == #"{"decision":"refused","reasons":["event:a\"b","version","no_agent"],"next_eligible":null}"#
        )
        #expect(
            result(.refused(reasons: [], nextEligible: time))
                == #"{"decision":"refused","reasons":[],"next_eligible":"2026-11-30T05:09:02.123Z"}"#
        )
        #expect(result(.cancelled(false)) == #"{"cancelled":false}"#)
        #expect(result(.outcome(.final(.rated))) == #"{"result":"rated"}"#)
        #expect(result(.outcome(.shown)) == #"{"result":"shown"}"#)
    }

    @Test func `switches and small results`() {
        #expect(result(.subscribed) == #"{"seq":0}"#)
        #expect(result(.unsubscribed(true)) == #"{"unsubscribed":true}"#)
        #expect(result(.optedOut(true)) == #"{"opted_out":true}"#)
        #expect(result(.forgotten(false)) == #"{"forgotten":false}"#)
        #expect(result(.repaired(3)) == #"{"repaired":3}"#)
        #expect(
            result(.reviewURL("https://e.org/?a=\"")) == #"{"url":"https://e.org/?a=\""}"#)
        #expect(result(.pong(time)) == #"{"pong":true,"time":"2026-11-30T05:09:02.123Z"}"#)
        #expect(
            result(.reloaded(true, warnings: [], reason: nil))
                == #"{"reloaded":true,"warnings":[]}"#)
        #expect(
            result(.reloaded(false, warnings: ["a: b"], reason: "no"))
                == #"{"reloaded":false,"warnings":["a: b"],"reason":"no"}"#)
    }

    @Test func `lists`() {
        #expect(result(.history([])) == #"{"grants":[]}"#)
        #expect(
            result(
                .history([
                    HistoryRow(
                        token: token, version: Version("1\"")!, grantedAt: time,
                        outcome: .reported(.final(.later)), outcomeAt: time),
                    HistoryRow(
                        token: nil, version: nil, grantedAt: time, outcome: .unknown,
                        outcomeAt: nil),
                    HistoryRow(
                        token: nil, version: nil, grantedAt: time, outcome: nil, outcomeAt: nil),
                ]))
                == #"{"grants":[{"token":"Jm3abcdefghijklmnopqrs","version":"1\"","#
                + #""granted_at":"2026-11-30T05:09:02.123Z","outcome":"later","#
                + #""outcome_at":"2026-11-30T05:09:02.123Z"},"#
                + #"{"token":null,"version":null,"granted_at":"2026-11-30T05:09:02.123Z","#
                + #""outcome":"unknown","outcome_at":null},"#
                + #"{"token":null,"version":null,"granted_at":"2026-11-30T05:09:02.123Z","#
                + #""outcome":null,"outcome_at":null}]}"#)
        let row = AppRow(app: notes, sessions: 1, events: 2, lastSeen: nil, promptsInWindow: 3)
        let text =
            #"{"app":"org.example.Notes","sessions":1,"events":2,"last_seen":null,"#
            + #""prompts_in_window":3}"#
        #expect(result(.apps(AppPage([row, row]))) == #"{"apps":[\#(text),\#(text)]}"#)
        #expect(result(.apps(AppPage(next: notes))) == #"{"apps":[],"next":"org.example.Notes"}"#)
    }

    @Test func `report`() {
        var reply = ReportReply()
        reply.requests = 9
        reply.refusedTotal = 5
        reply.refused = [NamedCount("version", 5), NamedCount("event:\"", 1)]
        reply.pending = 4
        reply.cancelled = [NamedCount("activity", 1)]
        reply.granted = 3
        reply.outcomes = [NamedCount("rated", 2), NamedCount("unknown", 1)]
        reply.manualReviews = 8
        #expect(
            result(.report(reply))
                == #"{"requests":9,"refused_total":5,"refused":{"version":5,"event:\"":1},"#
                + #""pending":4,"cancelled":{"activity":1},"granted":3,"#
                + #""outcomes":{"rated":2,"unknown":1},"manual_reviews":8}"#)
        #expect(result(.report(ReportReply())).contains(#""refused":{},"#))
    }

    @Test func `whoami`() {
        let identity = IdentityReply(source: "flatpak", isVerified: true)
        #expect(
            result(.whoami(WhoAmIReply(uid: 1_000, pid: 42, app: notes, identity: identity)))
                == #"{"uid":1000,"pid":42,"app":"org.example.Notes","#
                + #""identity":{"source":"flatpak","verified":true}}"#)
        #expect(
            result(.whoami(WhoAmIReply(uid: .max, pid: nil, app: nil, identity: identity)))
                == #"{"uid":4294967295,"pid":null,"app":null,"#
                + #""identity":{"source":"flatpak","verified":true}}"#)
    }

    @Test func `stats`() {
        var queues = StatsReply()
        queues.add("depth", 3)
        var reply = StatsReply()
        reply.add("version", "0.1.0")
        reply.add("degraded", false)
        reply.add("queues", queues)
        reply.add("none", StatsReply())
        #expect(
            result(.stats(reply))
                == #"{"version":"0.1.0","degraded":false,"queues":{"depth":3},"none":{}}"#)
        reply.add("limits", Limits(descriptors: 1_024))
        #expect(result(.stats(reply)).contains(#""limits":{"line_bytes":65536,"batch":100,"#))
    }

    @Test func `status of an app that was never seen`() {
        #expect(
            result(.status(StatusReply(app: notes)))
                == #"{"app":"org.example.Notes","sessions":0,"events":0,"events_by_name":{},"#
                + #""first_seen":null,"last_seen":null,"version":null,"prompts_in_window":0,"#
                + #""cap":0,"last_prompt":null,"prompted_versions":[],"outcome":null,"#
                + #""outstanding":null,"opted_out":false,"pending":null,"eligible":false,"#
                + #""reasons":[],"next_eligible":null,"clock":"ok"}"#)
    }

    @Test func `status of an app that has everything`() {
        var reply = StatusReply(app: notes)
        reply.sessions = 1
        reply.events = 5
        reply.eventsByName = [EventName("b")!: 2, EventName("a\"")!: 3, EventName("é")!: 0]
        reply.firstSeen = time
        reply.lastSeen = time
        reply.version = Version("1.4")
        reply.promptsInWindow = 2
        reply.cap = 3
        reply.lastPrompt = time
        reply.promptedVersions = [Version("1.2")!, Version("1.3")!]
        reply.outcome = .unknown
        reply.outstanding = token
        reply.isOptedOut = true
        reply.pending = .init(token: token, version: Version("1.4")!, firesIn: 1_999)
        reply.isEligible = true
        reply.reasons = [.optedOut]
        reply.nextEligible = time
        reply.isClockBehind = true
        let at = #""2026-11-30T05:09:02.123Z""#
        #expect(
            result(.status(reply))
                == #"{"app":"org.example.Notes","sessions":1,"events":5,"#
                + #""events_by_name":{"a\"":3,"b":2,"é":0},"first_seen":\#(at),"#
                + #""last_seen":\#(at),"version":"1.4","prompts_in_window":2,"cap":3,"#
                + #""last_prompt":\#(at),"prompted_versions":["1.2","1.3"],"outcome":"unknown","#
                + #""outstanding":"Jm3abcdefghijklmnopqrs","opted_out":true,"#
                + #""pending":{"token":"Jm3abcdefghijklmnopqrs","version":"1.4","fires_in_ms":1999},"#
                + #""eligible":true,"reasons":["opted_out"],"next_eligible":\#(at),"#
                + #""clock":"behind"}"#)
    }

    @Test func `explain adds every key with its source and the rules`() throws {
        var layer = PolicyLayer()
        layer.values[.reviewURL] = Sourced(
            .reviewURL(ReviewURL("https://e.org/%a")!), from: .file("/etc/ratingd/a\"b.conf"))
        layer.values[.userEnabled] = Sourced(.flag(false), from: .file("/x"))
        layer.needs[EventName("saved")!] = Sourced(4, from: .file("/y"))
        var hello = HelloPolicy()
        hello.values[.onActivity] = .onActivity(.restart)
        hello.needs[EventName("a\"")!] = 2
        var reply = StatusReply(app: notes)
        reply.explain = .init(
            policy: Policy(general: layer, hello: hello),
            rules: [
                RuleCheck(.disabled, holds: true, have: .flag(true), need: .flag(true)),
                RuleCheck(.interval, holds: false, have: .count(3), need: .count(7), at: time),
                RuleCheck(.later, holds: true, have: .nothing, need: .count(14)),
            ])
        let status = try JSONValue(parsing: result(.status(reply)))
        let policy = try #require(status["policy"]?.members)
        #expect(
            policy.map(\.name)
                == PolicyKey.allCases.map(\.rawValue) + ["Event.a\"", "Event.saved"])
        #expect(status["policy"]?["OnActivity"] == sourced(.string("restart"), "hello"))
        #expect(
            status["policy"]?["ReviewURL"]
                == sourced(.string("https://e.org/%a"), "/etc/ratingd/a\"b.conf"))
        #expect(status["policy"]?["User.Enabled"] == sourced(.bool(false), "/x"))
        #expect(status["policy"]?["DaysAfterRated"] == sourced(.integer(365), "default"))
        #expect(status["policy"]?["Event.saved"] == sourced(.integer(4), "/y"))
        #expect(status["policy"]?["Event.a\""] == sourced(.integer(2), "hello"))
        #expect(
            status["rules"]?.text()
                == #"[{"rule":"disabled","ok":true,"have":true,"need":true},"#
                + #"{"rule":"interval","ok":false,"have":3,"need":7,"#
                + #""at":"2026-11-30T05:09:02.123Z"},"#
                + #"{"rule":"later","ok":true,"have":null,"need":14}]"#)
    }

    private func sourced(_ value: JSONValue, _ source: String) -> JSONValue {
        .object([.init("value", value), .init("source", .string(source))])
    }
}
