import RatingPolicy
import RatingStore
import RatingWire
import Testing

@testable import RatingDaemon

/// `hello` while the state cannot be used, and what becomes of it when it can.
struct HelloTests {
    private let hello = #""app":"org.example.Notes","version":"3","policy":{"debounce_ms":50}"#

    @Test func `a degraded daemon greets, and keeps what was said once it can`() {
        let bench = Bench()
        bench.memory.readsFail = true
        bench.memory.fault = .refused
        let guest = bench.connect()
        #expect(guest.ask("hello", hello)["app"]?.string == "org.example.Notes")
        #expect(guest.outcome(of: "session") == "storage_unavailable")
        #expect(guest.ask("whoami")["app"]?.string == "org.example.Notes")
        #expect(bench.memory.disk.image.apps.isEmpty)
        bench.memory.readsFail = false
        bench.memory.fault = nil
        let answer = guest.ask("request")
        #expect(answer["decision"]?.string == "pending")
        #expect(answer["fires_in_ms"]?.integer == 50)
        let record = bench.memory.disk.image.apps[.notes]
        #expect(record?.version == Version("3"))
        #expect(record?.helloPolicy?.values[.debounceMs] == .integer(50))
        #expect(bench.core.apps[.notes]?.content.clientCount == 1)
    }

    @Test func `a wish for a free key is in force once it is kept`() {
        let bench = Bench(.with([:]))
        let guest = bench.connect()
        bench.memory.fault = .broken
        let params = #""app":"a","version":"1","policy":{"sessions_until_prompt":0}"#
        #expect(guest.ask("hello", params)["clamped"]?.array == [])
        bench.memory.fault = nil
        bench.memory.recover()
        let rules = guest.ask("status", #""explain":true"#)["rules"]?.array ?? []
        let sessions = rules.first { $0["rule"]?.string == "sessions" }
        #expect(sessions?["ok"]?.bool == true)
    }

    @Test func `hello in a turn that cannot be stored is answered and kept later`() {
        let bench = Bench()
        let guest = bench.connect()
        bench.memory.faults = [1: .syncFailed]
        bench.turn {
            guest.send("hello", hello)
            guest.send("session")
        }
        #expect(guest.told() == ["1 ok", "2 error storage_unavailable"])
        bench.memory.recover()
        #expect(guest.ask("status")["version"]?.string == "3")
        #expect(guest.client.content.greeting?.isKept == true)
    }

    @Test func `hello alone makes no app that is listed`() {
        let bench = Bench()
        let guest = bench.greet()
        #expect(guest.ask("apps")["apps"]?.array?.count == 0)
        #expect(guest.ask("status")["first_seen"] == .null)
    }

    @Test func `the last hello replaces or clears the wishes, and forget keeps them`() {
        let bench = Bench(.with([:]))
        let guest = bench.connect()
        let app = #""app":"a","version":"1""#
        _ = guest.ask("hello", app + #","policy":{"debounce_ms":7}"#)
        #expect(guest.ask("forget", #""app":"a","ledger":true"#)["forgotten"]?.bool == true)
        let key = AppKey(user: .daemon, app: .named("a"))
        #expect(bench.memory.disk.image.apps[key]?.helloPolicy?.values.count == 1)
        _ = guest.ask("hello", app)
        #expect(bench.memory.disk.image.apps[key]?.helloPolicy == nil)
    }

    @Test func `a wish that could not be stored is not in force for the others`() {
        let bench = Bench(.with([:]))
        let guest = bench.greet()
        _ = guest.ask("event")
        bench.memory.faults = [bench.memory.commits + 1: .refused]
        let other = bench.connect(process: 2)
        let wish = #""app":"org.example.Notes","version":"1","policy":{"events_until_prompt":1}"#
        #expect(other.outcome(of: "hello", wish) == "ok")
        #expect(guest.ask("status")["reasons"]?.array?.contains(.string("events")) == true)
        // It is kept when its connection says something again.
        _ = other.ask("status")
        #expect(guest.ask("status")["reasons"]?.array?.contains(.string("events")) == false)
    }

    @Test func `a report waits for an outcome as long as the app's own policy does`() {
        let bench = Bench()
        let guest = bench.connect()
        let wish = #""app":"a","version":"1","policy":{"outcome_timeout_sec":1000}"#
        _ = guest.ask("hello", wish)
        _ = guest.request(#""debounce_ms":0"#)
        bench.wait(999_999)
        #expect(guest.ask("report")["outcomes"]?.members?.isEmpty == true)
        bench.wait(1)
        #expect(guest.ask("report")["outcomes"]?["unknown"]?.integer == 1)
        #expect(guest.ask("history")["grants"]?.array?.first?["outcome"]?.string == "unknown")
    }

    @Test func `what needs no disk is answered though what hello said cannot be kept`() {
        let bench = Bench()
        let guest = bench.greet()
        let token = guest.request()
        bench.memory.fault = .refused
        _ = guest.ask("hello", #""app":"org.example.Notes","version":"2""#)
        #expect(guest.ask("status")["pending"]?["token"]?.string == token)
        #expect(guest.ask("history")["grants"]?.array?.isEmpty == true)
        #expect(guest.ask("review_url")["url"]?.string != nil)
        // Only a new request would have to know the wishes.
        #expect(guest.outcome(of: "request") == "storage_unavailable")
        #expect(guest.ask("activity")["cancelled"]?.bool == true)
        bench.memory.fault = nil
        #expect(guest.ask("request")["decision"]?.string == "pending")
        #expect(bench.memory.disk.image.apps[.notes]?.version?.string == "2")
    }

    @Test func `without hello a version has to be named`() {
        let bench = Bench()
        let guest = bench.connect()
        #expect(guest.outcome(of: "session") == "invalid_params")
        #expect(guest.outcome(of: "request", #""app":"a""#) == "invalid_params")
        _ = guest.ask("hello", #""app":"b","version":"1""#)
        // A version belongs to the app it was said of.
        #expect(guest.outcome(of: "request", #""app":"a""#) == "invalid_params")
        #expect(guest.outcome(of: "request") == "ok")
    }
}
