import RatingPolicy
import Testing

@testable import PeerIdentity

struct AppUnitTests {
    /// Name, app, launcher ("" for none).
    static let named: [(String, String, String)] = [
        // Seen on desktops.
        ("app-gnome-org.gnome.Maps-12345.scope", "org.gnome.Maps", "gnome"),
        ("app-gnome-firefox-2345.scope", "firefox", "gnome"),
        ("app-org.kde.konsole-4f0a9bc2.scope", "org.kde.konsole", ""),
        ("app-org.kde.kate@9d1f2c.service", "org.kde.kate", ""),
        ("app-Hyprland-foot-6ac0d9b6.scope", "foot", "Hyprland"),
        ("app-cosmic-com.system76.CosmicAppList-7.scope", "com.system76.CosmicAppList", "cosmic"),
        ("app-flatpak-org.gnome.Maps-99.scope", "org.gnome.Maps", "flatpak"),
        ("app-gnome\\x2dsession-org.gnome.Maps-1.scope", "org.gnome.Maps", "gnome-session"),
        ("app-firefox\\x2desr@autostart.service", "firefox-esr", ""),
        (
            "app-gnome-org.gnome.Evolution\\x2dalarm\\x2dnotify-1503.scope",
            "org.gnome.Evolution-alarm-notify", "gnome"
        ),
        // Every form of the convention.
        ("app-org.gnome.Maps.scope", "org.gnome.Maps", ""),
        ("app-gnome-org.gnome.Maps.scope", "org.gnome.Maps", "gnome"),
        ("app-firefox-4711.scope", "firefox", ""),
        ("app-firefox.scope", "firefox", ""),
        ("app-org.gnome.Maps.slice", "org.gnome.Maps", ""),
        ("app-org.gnome.Maps-1.slice", "org.gnome.Maps", ""),
        ("app-gnome-org.gnome.Maps.slice", "org.gnome.Maps", "gnome"),
        ("app-gnome-org.gnome.Maps-1.slice", "org.gnome.Maps", "gnome"),
        ("app-firefox.service", "firefox", ""),
        ("app-gnome-firefox.service", "firefox", "gnome"),
        ("app-gnome-firefox@1.service", "firefox", "gnome"),
        ("app-firefox@a-b@c.service", "firefox", ""),
        ("app-firefox@.service", "firefox", ""),
        ("app-org.example.scope.scope", "org.example.scope", ""),
    ]

    @Test(arguments: named)
    func `a name by the convention has an app and perhaps a launcher`(
        _ name: String, _ app: String, _ launcher: String
    ) throws {
        let unit = try #require(AppUnit(name: name))
        #expect(unit.app.string == app)
        #expect(unit.launcher ?? "" == launcher)
    }

    @Test(arguments: [
        "", "app", "app-", "app.slice", "app-.scope", "app--.scope", "app-firefox",
        "app-firefox.", "app-firefox.mount", "app-firefox.SCOPE", "App-firefox.scope",
        "app-firefox.scope ", "xapp-firefox.scope", "firefox.scope", ".scope",
        "app--firefox-1.scope", "app-gnome--1.scope", "app-gnome-firefox-.scope",
        "app-a-b-c-1.scope", "app-a-b-c@1.service", "app-a-b-c.slice",
        "app-1password-1.scope", "app-gnome-9.app-1.scope", "app-a..b-1.scope",
        "app-a.-1.scope", "app-a b-1.scope", "app-é-1.scope", "app-a\u{0}-1.scope",
        "app-a@b-1.scope", "app-..\\x2f..\\x2fetc-1.scope", "app-a\\x2fb-1.scope",
        "app-a\\x2-1.scope", "app-a\\x-1.scope", "app-a\\-1.scope", "app-a\\n-1.scope",
        "app-a\\X2d-1.scope", "app-a\\x00-1.scope", "app-a\\xg0-1.scope",
        "app-graphical.slice", "app-gnome.slice", "app-gnome-firefox-1.slice",
        "app-dbus\\x2d:1.2\\x2dorg.gnome.OnlineAccounts.slice",
        "vte-spawn-0d4a.scope", "snap.firefox.firefox-1.scope", "session-2.scope",
        "run-u42.service", "init.scope",
        "app-gnome-" + String(repeating: "a", count: 256) + "-1.scope",
    ])
    func `any other name has none`(_ name: String) {
        #expect(AppUnit(name: name) == nil)
    }

    @Test func `a launcher's own name and a Flatpak's outside say nothing of a process`() throws {
        let names = [
            "app-cosmic-com.system76.CosmicAppList-7.scope": false,
            "app-cosmic-com.system76.CosmicTerm-7.scope": true,
            "app-gnome-org.gnome.Shell-7.scope": false,
            "app-flatpak-org.gnome.Maps-99.scope": false,
            "app-gnome-org.gnome.Maps-99.scope": true,
            "app-org.gnome.Maps-99.scope": true,
        ]
        for (name, isNaming) in names {
            #expect(try #require(AppUnit(name: name)).namesItsProcesses == isNaming, "\(name)")
        }
    }

    @Test(arguments: [
        ("", ""), ("a-b", "a-b"), ("a\\x2db", "a-b"), ("\\x5cx2d", "\\x2d"), ("\\x2D", "-"),
        ("\\xc3\\xa9", "é"),
    ])
    func `escapes are put back once`(_ escaped: String, _ text: String) {
        #expect(UnitName.unescaped(escaped.utf8) == Array(text.utf8))
    }

    @Test(arguments: ["\\", "\\x", "\\x2", "\\x2g", "a\\", "\\\\", "\\y2d", "\\x 2"])
    func `half an escape is none`(_ escaped: String) {
        #expect(UnitName.unescaped(escaped.utf8) == nil)
    }
}
