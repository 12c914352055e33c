import Glibc
import Posix
import RatingPolicy

/// The sockets for sandboxed apps (SPEC 6): there while the directory of the app is there.
///
/// Nothing is polled. What an app does in its own directory wakes the daemon now and then only
/// (`DirectoryPace`), and is never followed anywhere else (`ListeningSocket.place`). One daemon of
/// a user makes them: it holds the lock in the workshop, `ratingd-apps` in the runtime directory,
/// which no sandbox shows to its app.
final class AppSockets {
    static let workshopName = "ratingd-apps"
    /// How long to wait for descriptors, memory or watches that are short.
    static let shortagePause: Milliseconds = 10_000

    let runtime: String
    let countMax: Int
    let note: (AppID?, String, String) -> Void
    private let watch: DirectoryWatch
    private let epoll: Epoll

    var sockets: [AppSocketSite: AppSocket] = [:]
    private var tags: [UInt64: AppSocket] = [:]
    private var lastTag: UInt64 = 0
    /// The tag of the socket whose client was welcomed last.
    private var lastServed: UInt64 = 0
    private var places: [Int32: AppSocketPlace] = [:]
    private var watches: [AppSocketPlace: Int32] = [:]
    private var paces: [AppSocketPlace: DirectoryPace] = [:]
    /// Places that are looked at again at some time, and not watched before.
    private var resting: [AppSocketPlace: SteadyTime] = [:]
    var workshop: Workshop?

    private static let watchTag: UInt64 = 0

    /// `note` is told of what cannot be made: for which app, at which path, and why.
    init(
        runtime: String, countMax: Int, note: @escaping (AppID?, String, String) -> Void
    ) throws(PosixError) {
        self.runtime = runtime
        self.countMax = countMax
        self.note = note
        watch = try DirectoryWatch()
        epoll = try Epoll()
        try epoll.add(watch.raw, .readable, tag: Self.watchTag)
    }

    /// Readable when there is something for `takeReady`.
    var raw: Int32 { epoll.raw }

    /// When `passTime` has something to do.
    var nextTime: SteadyTime? { resting.values.min() }

    /// The sites that have a socket, or are watched until they can have one.
    var knownSites: Set<AppSocketSite> {
        var known = Set(sockets.keys)
        for case .site(let site) in watches.keys { known.insert(site) }
        for case .site(let site) in resting.keys { known.insert(site) }
        return known
    }

    // MARK: - What happened

    /// Follows what changed in the directories; returns a socket at which clients wait, another each
    /// time if there are several.
    func takeReady(at now: SteadyTime) -> AppSocket? {
        var ready: [UInt64] = []
        var isWatchReady = false
        do throws(PosixError) {
            try epoll.wait(timeoutMilliseconds: 0) { tag, _ in
                if tag == Self.watchTag { isWatchReady = true }
                if tag != Self.watchTag { ready.append(tag) }
            }
        } catch {
            preconditionFailure("a set of descriptors can be asked: \(error)")
        }
        if isWatchReady { takeChanges(at: now) }
        // Some may just have been dropped.
        let open = ready.filter { tags[$0] != nil }
        guard let next = open.filter({ $0 > lastServed }).min() ?? open.min() else { return nil }
        lastServed = next
        return tags[next]
    }

    private func takeChanges(at now: SteadyTime) {
        var changed: Set<AppSocketPlace> = []
        var minded: Set<AppSocketPlace> = []
        watch.drain { change in
            switch change {
            case .appeared(let name, let number), .disappeared(let name, let number):
                guard let place = places[number] else { return }
                changed.insert(place)
                if place.minds(name) { minded.insert(place) }
            case .directoryGone(let number):
                guard let place = places[number] else { return }
                changed.insert(place)
                minded.insert(place)
            case .overflowed:
                changed.formUnion(watches.keys)
                minded.formUnion(watches.keys)
            }
        }
        for place in changed {
            switch paces[place, default: DirectoryPace()].changed(at: now) {
            case .look: break
            case .rest(let end):
                minded.remove(place)
                rest(place, until: end)
            }
        }
        look(at: minded, now)
    }

    /// Looks again where it is time to.
    func passTime(at now: SteadyTime) {
        let due = resting.filter { $0.value <= now }.map(\.key)
        guard !due.isEmpty else { return }
        for place in due { resting[place] = nil }
        look(at: Set(due), now)
    }

    private func look(at places: Set<AppSocketPlace>, _ now: SteadyTime) {
        if places.contains(.runtime) || places.contains(.apps) {
            lookAround(at: now)
            return
        }
        for case .site(let site) in places { tend(site, at: now) }
    }

    // MARK: - Watches

    func rest(_ place: AppSocketPlace, until end: SteadyTime) {
        forget(place)
        resting[place] = end
    }

    /// Watches a directory for a place, unless that rests.
    func watch(
        _ place: AppSocketPlace, _ directory: borrowing DirectoryHandle
    ) throws(PosixError) {
        guard resting[place] == nil else { return }
        let number = try watch.watch(directory.pinnedPath)
        guard watches[place] != number else { return }
        forget(place)
        watches[place] = number
        places[number] = place
    }

    func forget(_ place: AppSocketPlace) {
        resting[place] = nil
        guard let number = watches.removeValue(forKey: place) else { return }
        places[number] = nil
        watch.unwatch(number)
    }

    // MARK: - Sockets

    func hold(_ socket: AppSocket) throws(PosixError) {
        lastTag += 1
        try epoll.add(socket.listener.raw, .readable, tag: lastTag)
        tags[lastTag] = socket
        sockets[socket.site] = socket
    }

    /// Listens for this app no more; its file is taken away if it still is that socket.
    func drop(_ site: AppSocketSite) {
        if let socket = sockets[site] {
            takeAway(socket)
            release(socket)
        }
        forget(.site(site))
        paces[.site(site)] = nil
    }

    func release(_ socket: AppSocket) {
        sockets[socket.site] = nil
        tags = tags.filter { $0.value !== socket }
        // Closing it is not enough to end the watch while a forked child has it open.
        try? epoll.remove(socket.listener.raw)
    }

    /// Takes away all that was made.
    func stop() {
        for socket in sockets.values { takeAway(socket) }
        sockets = [:]
        tags = [:]
    }
}
