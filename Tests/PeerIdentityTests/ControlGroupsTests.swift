import RatingPolicy
import Testing

@testable import PeerIdentity

struct ControlGroupsTests {
    static let manager = "/user.slice/user-1000.slice/user@1000.service"

    @Test func `every hierarchy counts, wherever systemd keeps its units`() throws {
        let unit = "\(Self.manager)/app.slice/app-org.gnome.Maps-1.scope"
        let texts = [
            "0::\(unit)\n", "9:name=systemd:\(unit)\n8:pids:/c\n", "9:name=systemd:\(unit)\n0::/\n",
            "9:name=systemd:/\n8:pids:/\n0::\(unit)\n", "1:name=systemd:\(unit)\n0::\(unit)\n",
        ]
        for text in texts {
            let found = try #require(ControlGroups(text)).appUnit(of: 1000)
            #expect(found?.unit.app.string == "org.gnome.Maps", "\(text)")
        }
    }

    @Test func `colons and everything else may be in a path`() throws {
        let groups = try #require(ControlGroups("0::/app-dbus\\x2d:1.2.slice/a:b é\u{0}/..\n0::/"))
        #expect(groups.hierarchies == [["app-dbus\\x2d:1.2.slice", "a:b é\u{0}", ".."], []])
    }

    @Test(arguments: [
        "", "\n", "0:", "0::", "0::a", "0:/a", "garbage", "0::/a\ngarbage\n",
    ])
    func `another form than the kernel's is none`(_ text: String) {
        #expect(ControlGroups(text) == nil)
    }

    @Test func `the outermost group of a Snap counts, in any hierarchy`() throws {
        let cases = [
            "0::\(Self.manager)/app.slice/snap.firefox.firefox-1.scope\n",
            "0::/system.slice/snap.firefox.daemon.service/x/snap.other.y-1.scope\n",
            "7:freezer:/snap.firefox\n1:name=systemd:/user.slice\n0::/user.slice\n",
            "0::/snap.group.slice/snap.firefox.daemon.service\n",
        ]
        for text in cases {
            let groups = try #require(ControlGroups(text))
            #expect(groups.snap == SnapName("firefox").map { .success($0) }, "\(text)")
        }
    }

    @Test func `a group that looks like a Snap's and names none is a failure, not none`() throws {
        let groups = try #require(ControlGroups("0::\(Self.manager)/snap.Evil.x-1.scope\n"))
        #expect(groups.snap == .failure(SnapName.Malformed()))
        #expect(try #require(ControlGroups("0::\(Self.manager)/app.slice\n")).snap == nil)
    }

    @Test func `groups of two Snaps are nobody's, in whatever order they come`() throws {
        let lines = ["1:name=systemd:/snap.firefox.x-1.scope\n", "0::/snap.other.y-1.scope\n"]
        for text in [lines.joined(), lines.reversed().joined()] {
            #expect(try #require(ControlGroups(text)).snap == .failure(SnapName.Malformed()))
        }
        let twice = lines[0] + "0::/user.slice/snap.firefox.y-1.scope/snap.other.z-1.scope\n"
        #expect(try #require(ControlGroups(twice)).snap == .success(SnapName("firefox")!))
    }

    @Test(arguments: [
        ("app.slice/app-gnome-org.gnome.Maps-1.scope", "org.gnome.Maps", 0),
        ("app.slice/app-org.kde.konsole-1.scope/tab(99).scope", "org.kde.konsole", 1),
        ("app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope", "org.gnome.Terminal", 1),
        ("app.slice/app-graphical.slice/app-Hyprland-foot-1.scope", "foot", 0),
        ("app.slice/app-org.a.A.slice/app-org.a.B-1.scope", "org.a.B", 0),
    ])
    func `the innermost unit of an app counts`(
        _ path: String, _ app: String, _ below: Int
    ) throws {
        let groups = try #require(ControlGroups("0::\(Self.manager)/\(path)\n"))
        let found = try #require(groups.appUnit(of: 1000))
        #expect(found.unit.app.string == app)
        #expect(Array(found.groups) == groups.hierarchies[0].dropLast(below))
    }

    @Test(arguments: [
        "\(manager)/app.slice/vte-spawn-1.scope", "\(manager)/app.slice", manager, "/",
        "/system.slice/app-org.gnome.Maps-1.scope",
        "/user.slice/user-1001.slice/user@1001.service/app.slice/app-org.gnome.Maps-1.scope",
        "/user.slice/user-1000.slice/app-org.gnome.Maps-1.scope/user@1000.service",
        "\(manager)/app.slice/app-graphical.slice/x.service",
    ])
    func `no unit of an app, or of another manager, is none`(_ path: String) throws {
        #expect(try #require(ControlGroups("0::\(path)\n")).appUnit(of: 1000)?.unit == nil)
    }

    @Test func `a process is in a group at it and below it, not beside it`() throws {
        let unit = ["a", "b"][...]
        for (path, isIn) in [("/a/b", true), ("/a/b/c", true), ("/a", false), ("/a/bc", false)] {
            #expect(try #require(ControlGroups("0::\(path)\n")).isIn(unit) == isIn, "\(path)")
        }
    }

    @Test func `nonsense is read without harm`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Random(seed: seed)
        let pieces = [
            "0::", "/", "user@1000.service", "app-", "a", "-1", ".scope", "snap.", "\n", ":",
            "\\x2d",
        ]
        for _ in 0..<20_000 {
            let text = (0..<14).map { _ in pieces.randomElement(using: &random)! }.joined()
            guard let groups = ControlGroups(text) else { continue }
            #expect(!groups.hierarchies.isEmpty, "seed \(seed)")
            if let found = groups.appUnit(of: 1000) {
                #expect(groups.isIn(found.groups), "seed \(seed)")
            }
            _ = groups.snap
        }
    }
}

extension ControlGroups {
    /// The groups in a text.
    init?(_ text: String) {
        self.init(Array(text.utf8))
    }
}
