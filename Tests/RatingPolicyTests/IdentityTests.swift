import RatingPolicy
import Testing

struct IdentityTests {
    private func identity(_ source: Identity.Source, _ app: AppID?) -> Identity {
        Identity(source: source, isVerified: false, app: app)
    }

    @Test(arguments: [Identity.Source.flatpak, .snap, .unknown])
    func `a sandboxed peer acts for its own app only`(source: Identity.Source) {
        let peer = identity(source, "org.a")
        #expect(peer.isSandboxed)
        #expect(peer.mayAct(for: "org.a"))
        #expect(!peer.mayAct(for: "org.b"))
        #expect(!identity(source, nil).mayAct(for: "org.a"))
    }

    @Test(arguments: [Identity.Source.unit, .socket, .claimed])
    func `another peer may act for any app`(source: Identity.Source) {
        #expect(!identity(source, "org.a").isSandboxed)
        #expect(identity(source, "org.a").mayAct(for: "org.b"))
        #expect(identity(source, nil).mayAct(for: "org.b"))
    }

    @Test func `what could not be read is sandboxed and has no app`() {
        #expect(Identity.unknown.isSandboxed)
        #expect(!Identity.unknown.mayAct(for: "org.a"))
        #expect(!Identity.claimed.isSandboxed)
    }

    @Test func `the name of a unit is a hint and no default`() {
        #expect(identity(.unit, "org.a").defaultApp == nil)
        #expect(identity(.flatpak, "org.a").defaultApp == "org.a")
        #expect(identity(.socket, "org.a").defaultApp == "org.a")
    }

    @Test func `at an app's socket a sandboxed peer must be that app`() {
        for source in [Identity.Source.flatpak, .snap] {
            let peer = identity(source, "org.a")
            #expect(peer.atSocket(of: "org.a") == peer)
            #expect(peer.atSocket(of: "org.b") == nil)
        }
    }

    @Test func `at an app's socket another peer is that app by default and not restricted`() throws
    {
        for source in [Identity.Source.unit, .claimed] {
            let peer = try #require(identity(source, "org.b").atSocket(of: "org.a"))
            #expect(peer.source == .socket)
            #expect(peer.defaultApp == "org.a")
            #expect(peer.mayAct(for: "org.c"))
        }
    }

    @Test func `at an app's socket one that cannot be read is that app and no other`() throws {
        let peer = try #require(Identity.unknown.atSocket(of: "org.a"))
        #expect(peer.mayAct(for: "org.a"))
        #expect(!peer.mayAct(for: "org.b"))
    }
}
