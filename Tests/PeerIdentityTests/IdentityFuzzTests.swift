import RatingPolicy
import TestSupport
import Testing

@testable import PeerIdentity

/// Whatever a unit is called and a file in /proc says, nobody is taken for another (P5).
///
/// The first byte of an input says what the others are.
struct IdentityFuzzTests {
    @Test func `no name and no file makes one app another`() throws {
        let target = FuzzTarget("identity") { Self.objection(to: $0) }
        let objections = try target.objections()
        #expect(objections == [])
    }

    private static func objection(to input: [UInt8]) -> String? {
        guard let kind = input.first else { return nil }
        let bytes = Array(input.dropFirst())
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case UInt8(ascii: "u"): return objection(toUnit: text)
        case UInt8(ascii: "c"): return objection(toGroups: bytes)
        case UInt8(ascii: "f"): return objection(toFlatpakInfo: bytes)
        case UInt8(ascii: "n"): return objection(toName: text)
        case UInt8(ascii: "m"):
            let table = MountTable(bytes)
            return (0...99).contains { table[$0]?.device.contains(" ") ?? false }
                ? "a device with a space" : nil
        default: return nil
        }
    }

    private static func objection(toUnit name: String) -> String? {
        guard let unit = AppUnit(name: name) else { return nil }
        // What stands behind an @ may be anything: it is not looked at.
        let isService = name.hasSuffix(".service")
        let told = name.utf8.prefix { !isService || $0 != UInt8(ascii: "@") }
        guard name.hasPrefix("app-"), let escaped = UnitName.unescaped(told),
            String(decoding: escaped, as: UTF8.self).contains(unit.app.string)
        else { return "\(unit) is not in the name" }
        return nil
    }

    /// No group further down makes a Snap another.
    private static func objection(toGroups table: [UInt8]) -> String? {
        guard let groups = ControlGroups(table) else { return nil }
        let user: UserID = 1_000
        let below = ControlGroups(
            table.split(separator: UInt8(ascii: "\n")).map { $0 + "/snap.evil.x.scope".utf8 }
                .joined(separator: [UInt8(ascii: "\n")]).map { $0 })
        guard let below else { return "a group more makes the table unreadable" }
        if groups.snap != nil, below.snap != groups.snap,
            below.snap != .failure(SnapName.Malformed())
        {
            return "a Snap is another one below"
        }
        if groups.snap == nil, below.snap != .success(SnapName("evil")!) {
            return "a Snap is not seen: \(String(describing: below.snap))"
        }
        if let (unit, path) = groups.appUnit(of: user) {
            guard groups.isIn(path), path.contains("user@1000.service"),
                path.last.flatMap({ AppUnit(name: $0) }) == unit
            else { return "\(unit) is not of a group of this process" }
        }
        return nil
    }

    /// A file that can be read in two ways names nobody.
    private static func objection(toFlatpakInfo file: [UInt8]) -> String? {
        let app = FlatpakInfo.app(in: file)
        let more = FlatpakInfo.app(in: file + Array("\n[Other]\nname=org.evil.App\n".utf8))
        let twice = FlatpakInfo.app(in: file + Array("\n[Application]\nname=org.evil.App\n".utf8))
        let before = FlatpakInfo.app(in: Array("[Application]\nname=org.evil.App\n".utf8) + file)
        guard let app else { return more == nil ? nil : "another group names an app" }
        guard String(decoding: file, as: UTF8.self).contains(app.string) else {
            return "\(app.string) is not in the file"
        }
        if more != app { return "another group changes the app" }
        if twice != nil || before != nil { return "a file with two names names an app" }
        return nil
    }

    /// An app is found again in the names that are made of its id.
    private static func objection(toName text: String) -> String? {
        if let snap = SnapName(text) {
            let table = Array("0::/user.slice/snap.\(text).app-1.scope\n".utf8)
            guard ControlGroups(table)?.snap == .success(snap) else { return "Snap \(text)" }
            let app = snap.app.string
            guard app == text || app == "_" + text else { return "Snap \(text) is \(app)" }
        }
        guard let app = AppID(text) else { return nil }
        let escaped = text.split(separator: "-", omittingEmptySubsequences: false)
            .joined(separator: "\\x2d")
        for name in [
            "app-gnome-\(escaped)-12.scope", "app-gnome-\(escaped)@a-b.service",
        ] where AppUnit(name: name)?.app != app || AppUnit(name: name)?.launcher != "gnome" {
            return "\(name) is not \(text)"
        }
        let info = Array("[Application]\n name = \(text)\t\n[Context]\nname=x\n".utf8)
        return FlatpakInfo.app(in: info) == app ? nil : "Flatpak \(text)"
    }
}
