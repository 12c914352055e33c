import RatingPolicy
import Testing

@testable import RatingWire

/// What the methods of SPEC 2 take.
struct CallTests {
    private let app = #""app":"org.example.Notes""#

    @Test func `params may be left out where nothing is needed`() throws {
        #expect(try call(#"{"id":1,"method":"session"}"#) == .session(app: nil, version: nil))
        #expect(try call("event", "{}") == .event(app: nil, name: .significant, count: 1))
        #expect(try call("activity", "{}") == .activity(app: nil))
        #expect(try call("request", "{}") == .request(RequestCall()))
        #expect(try call("cancel", "{}") == .cancel(.app(nil)))
        #expect(
            try call("status", "{}") == .status(app: nil, version: nil, explain: false, user: nil))
        #expect(try call("history", "{}") == .history(app: nil, limit: 100, user: nil))
        #expect(try call("report", "{}") == .report(app: nil, since: nil, user: nil))
        #expect(try call("review_url", "{}") == .reviewURL(app: nil))
        #expect(try call("apps", "{}") == .apps(cursor: nil, limit: 100, user: nil))
        #expect(try call("opt_out", "{}") == .opt(out: true, scope: .app(nil), user: nil))
        #expect(try call("opt_in", "{}") == .opt(out: false, scope: .app(nil), user: nil))
        for (method, expected) in [
            ("unsubscribe", Call.unsubscribe), ("whoami", .whoami), ("repair_clock", .repairClock),
            ("reload", .reload), ("stats", .stats), ("ping", .ping),
        ] {
            #expect(try call(method, "{}") == expected)
            #expect(try call(#"{"id":1,"method":"\#(method)"}"#) == expected)
        }
    }

    @Test func `params are taken as given`() throws {
        let version = Version("1.4")
        #expect(
            try call("hello", #"{\#(app),"version":"1.4"}"#)
                == .hello(app: notes, version: version!, policy: nil))
        #expect(
            try call("session", #"{"version":"1.4",\#(app)}"#)
                == .session(app: notes, version: version))
        #expect(
            try call("event", #"{\#(app),"name":"note saved é","count":10000}"#)
                == .event(app: notes, name: EventName("note saved é")!, count: 10_000))
        #expect(try call("activity", "{\(app)}") == .activity(app: notes))
        #expect(try call("cancel", "{\(app)}") == .cancel(.app(notes)))
        #expect(
            try call("cancel", #"{"token":"\#(token.string)"}"#) == .cancel(.token(token)))
        #expect(
            try call("outcome", #"{"token":"\#(token.string)","result":"shown"}"#)
                == .outcome(token: token, .shown))
        #expect(
            try call("status", #"{\#(app),"version":"1.4","explain":true,"uid":1000}"#)
                == .status(app: notes, version: version, explain: true, user: 1_000))
        #expect(
            try call("history", #"{\#(app),"limit":1000,"uid":0}"#)
                == .history(app: notes, limit: 1_000, user: 0))
        #expect(
            try call("report", #"{\#(app),"since":"2026-11-30T05:09:02.123Z","uid":4294967294}"#)
                == .report(app: notes, since: time, user: 4_294_967_294))
        #expect(try call("review_url", "{\(app)}") == .reviewURL(app: notes))
        #expect(
            try call("apps", #"{"cursor":"org.example.Notes","limit":1,"uid":7}"#)
                == .apps(cursor: notes, limit: 1, user: 7))
        #expect(
            try call("opt_out", #"{"all":true,"uid":7}"#) == .opt(out: true, scope: .all, user: 7))
        #expect(
            try call("opt_in", #"{\#(app),"uid":7}"#)
                == .opt(out: false, scope: .app(notes), user: 7))
        #expect(
            try call("forget", #"{\#(app),"ledger":true,"uid":7}"#)
                == .forget(app: notes, ledger: true, user: 7))
        #expect(try call("forget", "{\(app)}") == .forget(app: notes, ledger: false, user: nil))
    }

    @Test func `request takes all its params`() throws {
        var expected = RequestCall()
        expected.app = notes
        expected.version = Version("1.4")
        expected.debounce = 600_000
        expected.onActivity = .restart
        expected.asksConfirm = true
        expected.delivery = .agent
        expected.isDebug = true
        let params = """
            {\(app),"version":"1.4","debounce_ms":600000,"on_activity":"restart","confirm":true,\
            "deliver":"agent","debug":true}
            """
        #expect(try call("request", params) == .request(expected))
        var zero = RequestCall()
        zero.debounce = 0
        zero.onActivity = .cancel
        #expect(
            try call(
                "request",
                #"{"debounce_ms":-0,"on_activity":"cancel","confirm":false,"deliver":"self"}"#)
                == .request(zero))
    }

    @Test func `every outcome is read`() throws {
        for result in Outcome.allCases {
            #expect(
                try call("outcome", #"{"token":"x","result":"\#(result.rawValue)"}"#)
                    == .outcome(token: Token("x"), .final(result)))
        }
    }

    @Test func `a string that cannot be a token is nil and not invalid`() throws {
        for text in ["", "a b", "é", "a\\u0000", String(repeating: "x", count: 65)] {
            #expect(
                try call("outcome", #"{"token":"\#(text)","result":"rated"}"#)
                    == .outcome(token: nil, .final(.rated)))
            #expect(try call("cancel", #"{"token":"\#(text)"}"#) == .cancel(.token(nil)))
        }
    }

    @Test func `subscribe takes topics, apps or the part of an agent`() throws {
        #expect(
            try call("subscribe", #"{"topics":["counters","decisions","counters"]}"#)
                == .subscribe(topics: [.counters, .decisions], apps: nil, isAgent: false))
        #expect(
            try call("subscribe", #"{"agent":true,"apps":["a","b","a"]}"#)
                == .subscribe(topics: [], apps: [AppID("a")!, AppID("b")!], isAgent: true))
        #expect(
            try call("subscribe", #"{"agent":false,"topics":["decisions"]}"#)
                == .subscribe(topics: [.decisions], apps: nil, isAgent: false))
    }

    @Test func `a call knows its method's name`() throws {
        #expect(try call("opt_in", "{}").name == "opt_in")
        #expect(try call("opt_out", "{}").name == "opt_out")
        let needed = [
            "hello": #"{\#(app),"version":"1"}"#, "outcome": #"{"token":"x","result":"shown"}"#,
            "subscribe": #"{"agent":true}"#, "forget": "{\(app)}",
        ]
        for method in Method.allCases {
            let params = needed[method.rawValue] ?? "{}"
            #expect(try call(method.rawValue, params).method == method)
        }
    }
}
