import RatingPolicy
import Testing

@testable import PeerIdentity

struct FlatpakInfoTests {
    @Test(arguments: [
        "[Application]\nname=org.gnome.Maps\n",
        "[Application]\nname=org.gnome.Maps",
        "\n# comment\n  [Application]\t\n runtime=runtime/org.gnome.Platform/x86_64/47\n name = org.gnome.Maps ",
        "[Instance]\nname=other.App.Id\n[Application]\nname=org.gnome.Maps\n[Context]\nshared=ipc;\n",
        "[Application]\nname[de]=org.gnome.Karten\nname=org.gnome.Maps\n",
        "[Application]\nname=org.gnome.Maps\n[Environment]\nPATH=/app/bin:/usr/bin\nEMPTY=\n",
        "[Application]\n[Instance]\nname=x\n[Application]\nname=org.gnome.Maps\n",
    ])
    func `the name of the application is the app`(_ text: String) {
        #expect(app(text) == "org.gnome.Maps")
    }

    @Test(arguments: [
        "", "\n\n", "#\n", "name=org.gnome.Maps\n", "[Instance]\nname=org.gnome.Maps\n",
        "[Runtime]\nname=org.gnome.Maps\n", "[Application]\n", "[Application]\nname=\n",
        "[Application]\nname\n", "[Application]\nName=org.gnome.Maps\n",
        "[application]\nname=org.gnome.Maps\n", "[Application ]\nname=org.gnome.Maps\n",
        "[Application\nname=org.gnome.Maps\n", "Application]\nname=org.gnome.Maps\n",
        "[Application]\nname=org gnome Maps\n", "[Application]\nname=../../etc\n",
        "[Application]\nname=org.gnome.Maps\\n\n", "[Application]\nname=\"org.gnome.Maps\"\n",
        "[Application]\nname=org.gnome.Maps\u{0}\n", "[Application]\nname=org.gnöme.Maps\n",
        "[Application]\nname=org.gnome.Maps\nname=org.gnome.Clocks\n",
        "[Application]\nname=org.gnome.Maps\n[Application]\nname=org.gnome.Maps\n",
        "[Application]\nname=org.gnome.Maps\nno key and no value\n",
        "\u{FEFF}[Application]\nname=org.gnome.Maps\n", "[Application]\rname=org.gnome.Maps\r",
        "[Application]\r\nname=org.gnome.Maps\r\n",
    ])
    func `what is not exactly one name in that group is none`(_ text: String) {
        #expect(app(text) == nil)
    }

    @Test func `bytes that are no text are none`() {
        #expect(FlatpakInfo.app(in: [0xFF, 0xFE, 0x5B, 0x00]) == nil)
        let name = Array("[Application]\nname=a".utf8)
        #expect(FlatpakInfo.app(in: name + [0xFF, 0x62]) == nil)
        #expect(FlatpakInfo.app(in: name + [0x62])?.string == "ab")
    }

    @Test func `the longest id is read, a longer one is none`() {
        let longest = String(repeating: "a", count: AppID.bytesMax)
        #expect(app("[Application]\nname=\(longest)") == longest)
        #expect(app("[Application]\nname=\(longest)a") == nil)
    }

    @Test func `nonsense names nobody and stops nothing`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Random(seed: seed)
        let pieces = ["[", "]", "Application", "name", "=", "\n", " ", "#", "a.b", "\u{0}", "é"]
        for _ in 0..<20_000 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &random)! }.joined()
            guard let app = app(text) else { continue }
            #expect(text.contains("[Application]"), "seed \(seed)")
            #expect(text.contains(app), "seed \(seed)")
        }
    }

    private func app(_ text: String) -> String? {
        FlatpakInfo.app(in: Array(text.utf8))?.string
    }
}

/// The same numbers for the same seed.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
