import PeerIdentity
import RatingPolicy

/// A directory that the service of sandboxes makes for one app, and that the app's socket goes in.
struct AppSocketSite: Hashable, Comparable, Sendable {
    let app: AppID
    /// Its name, below the runtime directory of a Snap and below `app` there of a Flatpak app.
    let directory: String
    let isFlatpak: Bool

    /// `NAME` of `$XDG_RUNTIME_DIR/app/NAME`; nil if no app has that name.
    init?(flatpak name: String) {
        guard let app = AppID(name) else { return nil }
        self.app = app
        directory = name
        isFlatpak = true
    }

    /// `NAME` of `$XDG_RUNTIME_DIR/NAME`; nil if it is not `snap.` and the name of a Snap.
    init?(snap name: String) {
        guard name.utf8.starts(with: "snap.".utf8),
            let snap = SnapName(String(decoding: name.utf8.dropFirst(5), as: UTF8.self))
        else { return nil }
        app = snap.app
        directory = name
        isFlatpak = false
    }

    static func < (left: AppSocketSite, right: AppSocketSite) -> Bool {
        left.app == right.app ? left.isFlatpak && !right.isFlatpak : left.app < right.app
    }
}

/// Which sockets should be there, given which directories are.
struct AppSocketPlan: Equatable {
    var sites: Set<AppSocketSite>
    /// How many find no place.
    var leftOut: Int

    /// `runtime` are the names in the runtime directory, `apps` those in its `app`.
    ///
    /// Who has a socket keeps it as long as its directory is there; then the first by id come.
    init(runtime: [String], apps: [String], held: Set<AppSocketSite>, max: Int) {
        let found = Set(
            apps.compactMap { AppSocketSite(flatpak: $0) }
                + runtime.compactMap { AppSocketSite(snap: $0) })
        let kept = found.intersection(held)
        let new = found.subtracting(held).sorted().prefix(Swift.max(0, max - kept.count))
        sites = kept.union(new)
        leftOut = found.count - sites.count
    }

    /// The most sockets there are, for a process that may have this many descriptors open.
    ///
    /// Each takes one descriptor and one watch of inotify for as long as it is there. A sixteenth
    /// leaves most of what the connections leave; nobody runs more apps at once than the ceiling.
    static func countMax(descriptors: Int) -> Int {
        Swift.max(1, Swift.min(descriptors / 16, 256))
    }
}

/// How often the daemon lets itself be woken by one directory, into which a hostile app can write
/// as fast as it likes.
struct DirectoryPace {
    enum Verdict: Equatable {
        case look
        /// Do not watch it until then; look again at that time.
        case rest(until: SteadyTime)
    }

    /// Looks at once after a quiet time, for what goes on in a directory when an app starts.
    static let burst: Int64 = 16
    static let perSec: Int64 = 1
    static let rest: Milliseconds = 1_000

    private var bucket = RateBucket()

    mutating func changed(at now: SteadyTime) -> Verdict {
        let wait = bucket.take(perSec: Self.perSec, burst: Self.burst, at: now)
        return wait == nil ? .look : .rest(until: now.adding(Self.rest))
    }
}
