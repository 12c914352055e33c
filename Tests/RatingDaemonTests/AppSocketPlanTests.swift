import RatingPolicy
import Testing

@testable import RatingDaemon

/// Which sockets should be there, given which directories are.
struct AppSocketPlanTests {
    private func plan(
        runtime: [String] = [], apps: [String] = [], held: Set<AppSocketSite> = [], max: Int = 10
    ) -> [String] {
        AppSocketPlan(runtime: runtime, apps: apps, held: held, max: max).sites.sorted()
            .map { ($0.isFlatpak ? "app/" : "") + $0.directory }
    }

    @Test func `every directory of a Flatpak app and of a Snap gets one`() {
        let sites = plan(
            runtime: ["app", "bus", "snap.firefox", "snap.0ad_two", "pulse"],
            apps: ["org.gnome.Maps", "org.example.Notes"])
        #expect(
            sites == [
                "snap.0ad_two", "snap.firefox", "app/org.example.Notes", "app/org.gnome.Maps",
            ])
        #expect(AppSocketSite(snap: "snap.0ad_two")?.app.string == "_0ad_two")
        #expect(AppSocketSite(flatpak: "org.gnome.Maps")?.app.string == "org.gnome.Maps")
    }

    @Test func `names that no app has get none`() {
        let long = String(repeating: "a", count: 256)
        #expect(plan(apps: ["", "1.org", "a..b", "a.", "a b", "é", long]) == [])
        #expect(
            plan(runtime: ["snap.", "snap", "snap.A", "snap.a.b", "snap.1", "snap.a_", "xsnap.a"])
                == [])
        #expect(plan(apps: [String(repeating: "a", count: 255)]).count == 1)
    }

    @Test func `at the limit all have one, above it the first by id`() {
        let names = ["org.c", "org.a", "org.b"]
        let full = AppSocketPlan(runtime: [], apps: names, held: [], max: 3)
        #expect((full.sites.count, full.leftOut) == (3, 0))
        let crowded = AppSocketPlan(runtime: [], apps: names, held: [], max: 2)
        #expect(crowded.sites.map(\.directory).sorted() == ["org.a", "org.b"])
        #expect(crowded.leftOut == 1)
    }

    @Test func `who has one keeps it, and a place that is free goes to the next`() throws {
        let late = try #require(AppSocketSite(flatpak: "org.z"))
        #expect(plan(apps: ["org.a", "org.z"], held: [late], max: 1) == ["app/org.z"])
        #expect(plan(apps: ["org.a"], held: [late], max: 1) == ["app/org.a"])
        #expect(plan(apps: ["org.z"], held: [late], max: 0) == ["app/org.z"])
    }

    @Test(arguments: [(20, 1), (64, 4), (4_096, 256), (1_048_576, 256)])
    func `the limit follows the descriptors`(descriptors: Int, max: Int) {
        #expect(AppSocketPlan.countMax(descriptors: descriptors) == max)
    }

    @Test func `a directory is looked at sixteen times at once, then once a second`() {
        var pace = DirectoryPace()
        var now = Moment.start.monotonic
        for _ in 0..<16 { #expect(pace.changed(at: now) == .look) }
        for _ in 0..<3 {
            #expect(pace.changed(at: now) == .rest(until: now.adding(1_000)))
            now = now.adding(1_000)
            #expect(pace.changed(at: now) == .look)
        }
        now = now.adding(16_000)
        for _ in 0..<16 { #expect(pace.changed(at: now) == .look) }
        #expect(pace.changed(at: now) != .look)
    }
}

/// Who comes to the socket of an app.
struct AppSocketPeerTests {
    private let own: AppID
    private let bench = Bench()

    init() throws {
        own = try #require(AppID("org.example.Notes"))
    }

    private func connect(_ identity: Identity) -> Guest {
        let peer = Peer(user: .daemon, process: ProcessID(number: 1), identity: identity)
        return Guest(bench.core.connected(peer, at: own), on: bench)
    }

    @Test func `the app itself stays what it is`() {
        let identity = Identity(source: .flatpak, isVerified: true, app: own)
        #expect(connect(identity).client.peer.identity == identity)
    }

    @Test func `another sandboxed app is told one line and closed`() {
        let guest = connect(
            Identity(source: .snap, isVerified: true, app: AppID("firefox")))
        #expect(guest.told() == ["null error not_permitted"])
        #expect(guest.client.isClosing)
        #expect(bench.core.statistics.refusedConnections == 1)
    }

    @Test(arguments: [Identity.claimed, .unknown])
    func `anybody else is that app`(identity: Identity) {
        let guest = connect(identity)
        #expect(guest.told() == [])
        #expect(guest.client.peer.identity.source == .socket)
        #expect(guest.client.peer.identity.app == own)
        #expect(guest.client.peer.identity.isSandboxed == (identity == .unknown))
    }

    @Test func `what cannot be made is logged once a minute for each path`() {
        for _ in 0..<3 { bench.core.noteAppSocket(of: own, at: "/run/a", "no room") }
        bench.core.noteAppSocket(of: nil, at: "/run", "no room")
        bench.sleep(60_000)
        bench.turn { bench.core.noteAppSocket(of: own, at: "/run/a", "no room") }
        let log = bench.core.takeLog()
        #expect(log.map(\.kind) == [.appSocketFailed, .appSocketFailed, .appSocketFailed])
        #expect(log.last?.fields.first { $0.field == .suppressed }?.value == "2")
    }
}
