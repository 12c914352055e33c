import RatingPolicy
import Testing

@testable import PeerIdentity

struct SnapNameTests {
    @Test(arguments: [
        ("firefox", "firefox"), ("hello-world", "hello-world"), ("a", "a"), ("0ad", "_0ad"),
        ("7zip-gui", "_7zip-gui"), ("firefox_work", "firefox_work"), ("0ad_2", "_0ad_2"),
        (String(repeating: "a", count: 40), String(repeating: "a", count: 40)),
    ])
    func `a Snap is the app of its name, a digit in front behind an underscore`(
        _ name: String, _ app: String
    ) throws {
        #expect(try #require(SnapName(name)).app.string == app)
    }

    @Test(arguments: [
        "", "-", "-a", "a-", "a--b", "A", "Firefox", "1", "12-34", "a.b", "a b", "é", "a\u{0}",
        "_a", "a_", "a_B", "a_b_c", "a_12345678901", "a/b", "..",
        String(repeating: "a", count: 41),
    ])
    func `any other text is no name of a Snap`(_ name: String) {
        #expect(SnapName(name) == nil)
    }

    @Test(arguments: [
        "snap.firefox", "snap.firefox.firefox-0f3c-41.scope", "snap.firefox.hook.configure-1.scope",
        "snap.firefox.daemon.service", "snap.firefox+libs.hook.install-1.scope",
        "snap.firefox\\x2blibs.hook.install-1.scope", "snap.firefox.x.scope (deleted)",
    ])
    func `a group of a Snap names it`(_ group: String) {
        #expect(SnapName.named(by: group) == SnapName("firefox").map { .success($0) })
    }

    @Test(arguments: ["snap.", "snap..x", "snap.Fire.x.scope", "snap.a\\x.scope", "snap.é.scope"])
    func `a group that only begins like one is malformed`(_ group: String) {
        #expect(SnapName.named(by: group) == .failure(SnapName.Malformed()))
    }

    @Test(arguments: [
        "", "snap", "snapd.service", "snap-core-1.mount", "Snap.a.b.scope", "xsnap.a.b.scope",
        "snap.quota.slice", "app-snap.firefox-1.scope",
    ])
    func `any other group is of none`(_ group: String) {
        #expect(SnapName.named(by: group) == nil)
    }
}
