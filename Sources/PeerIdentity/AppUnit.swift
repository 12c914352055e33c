import RatingPolicy

/// The unit of a desktop app, as its name says by systemd's convention (desktop environments):
/// `app[-LAUNCHER]-ID[-RANDOM].scope`, the same as `.slice`, `app[-LAUNCHER]-ID[@RANDOM].service`.
///
/// Dashes within the parts are written as `\x2d`. Anybody may name a unit so: it is a hint.
struct AppUnit: Equatable {
    var app: AppID
    /// Who started it, if the name says so.
    var launcher: String?

    /// Nil for other names.
    ///
    /// Of two parts the last is the RANDOM if a scope or slice has only letters and digits there:
    /// the convention wants one in scopes, and few ids have no dot. A slice counts only with a dot
    /// in its id, because `app-gnome.slice` and `app-graphical.slice` are groups of apps.
    init?(name: String) {
        guard name.hasPrefix("app-"), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            let kind = Kind(rawValue: String(name[dot...]))
        else { return nil }
        var stem = name[..<dot].utf8.dropFirst(4)
        if kind == .service { stem = stem.prefix { $0 != UInt8(ascii: "@") } }
        var parts: [[UInt8]] = []
        for part in stem.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false) {
            guard let part = UnitName.unescaped(part), !part.isEmpty else { return nil }
            parts.append(part)
        }
        if kind != .service, parts.count == 3 || parts.count == 2 && Self.isRandom(parts[1]) {
            parts.removeLast()
        }
        guard parts.count <= 2, let id = parts.last, let app = AppID(exactly: id) else {
            return nil
        }
        guard kind != .slice || app.string.utf8.contains(UInt8(ascii: ".")) else { return nil }
        self.app = app
        launcher = parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : nil
    }

    /// Whether the peer is likely to be that app.
    ///
    /// Not in units that are named after what starts other programs in them. And not in one that
    /// Flatpak made: the app is inside the sandbox and was found there, what is left outside is
    /// the process that set it up.
    var namesItsProcesses: Bool {
        launcher != "flatpak" && !Self.startersOfOthers.contains(app.string)
    }

    /// Shells, docks and menus known to name the units of what they start after themselves.
    private static let startersOfOthers: Set = [
        "com.system76.CosmicAppLibrary", "com.system76.CosmicAppList",
        "com.system76.CosmicLauncher", "com.system76.CosmicPanel", "com.system76.CosmicSession",
        "org.gnome.Shell", "org.kde.krunner", "org.kde.plasmashell",
    ]

    private enum Kind: String {
        case scope = ".scope"
        case slice = ".slice"
        case service = ".service"
    }

    private static func isRandom(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default: false
            }
        }
    }
}
