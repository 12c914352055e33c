import Posix

/// A socket that the daemon listens on for one app.
final class AppSocket {
    static let name = "ratingd.sock"

    let site: AppSocketSite
    let listener: ListeningSocket

    init(_ site: AppSocketSite, _ listener: consuming ListeningSocket) {
        self.site = site
        self.listener = listener
    }
}

/// A directory that is watched for what the sockets of apps depend on.
enum AppSocketPlace: Hashable {
    case runtime
    /// `app` in the runtime directory, where Flatpak makes a directory for each app.
    case apps
    case site(AppSocketSite)

    /// Whether this name in it matters.
    func minds(_ name: String) -> Bool {
        switch self {
        case .runtime: name == Self.appsName || AppSocketSite(snap: name) != nil
        case .apps: AppSocketSite(flatpak: name) != nil
        case .site: name == AppSocket.name
        }
    }

    static let appsName = "app"
}
