import Glibc
import Posix
import RatingPolicy

/// Looking into directories, making and taking away.
extension AppSockets {
    /// Where new sockets are made, ours alone.
    final class Workshop {
        let directory: DirectoryHandle
        private let lock: LockFile

        init(_ directory: consuming DirectoryHandle, _ lock: consuming LockFile) {
            self.directory = directory
            self.lock = lock
        }
    }

    /// Makes what should be there and is not, drops what should not.
    func lookAround(at now: SteadyTime) {
        do throws(PosixError) {
            let directory = try DirectoryHandle(runtime)
            try requireOwn(directory)
            try watch(.runtime, directory)
            let names = try directory.names()
            let apps = try appNames(directory, names)
            let plan = AppSocketPlan(
                runtime: names, apps: apps, held: Set(sockets.keys), max: countMax)
            for site in knownSites.subtracting(plan.sites) { drop(site) }
            for site in plan.sites.sorted() { tend(site, at: now) }
            if plan.leftOut > 0 {
                note(nil, runtime, "\(plan.leftOut) apps more than the \(countMax) that get one")
            }
        } catch {
            note(nil, runtime, error.description)
            if error.isShortage { rest(.runtime, until: now.adding(Self.shortagePause)) }
        }
    }

    private func appNames(
        _ directory: borrowing DirectoryHandle, _ names: [String]
    ) throws(PosixError) -> [String] {
        guard names.contains(AppSocketPlace.appsName) else { return [] }
        do throws(PosixError) {
            let apps = try directory.directory(AppSocketPlace.appsName)
            try requireOwn(apps)
            try watch(.apps, apps)
            return try apps.names()
        } catch {
            if error.isShortage { throw error }
            note(nil, directory.path(of: AppSocketPlace.appsName), error.description)
            return []
        }
    }

    /// Makes the socket of an app, or mends it, if its directory is there.
    func tend(_ site: AppSocketSite, at now: SteadyTime) {
        do {
            let directory = try open(site)
            // First watched, then looked at: nothing is missed in between.
            try watch(.site(site), directory)
            if let socket = sockets[site] {
                if let found = try directory.status(of: AppSocket.name),
                    socket.listener.isFile(found)
                {
                    return
                }
                release(socket)
            }
            try make(site, in: directory)
        } catch let error as PosixError {
            switch error.code {
            case ENOENT: drop(site)
            case _ where error.isShortage: fail(site, error.description, againAt: now)
            default: fail(site, error.description)
            }
        } catch let error as ListenError {
            if case .failed(let cause) = error, cause.isShortage {
                fail(site, error.description, againAt: now)
            } else {
                fail(site, error.description)
            }
        } catch {
            preconditionFailure("nothing else is thrown in here")
        }
    }

    private func make(_ site: AppSocketSite, in directory: borrowing DirectoryHandle) throws {
        guard let workshop = try currentWorkshop() else {
            return note(nil, runtime, "another daemon makes the sockets of apps here")
        }
        let listener = try ListeningSocket.place(
            AppSocket.name, in: directory, from: workshop.directory, mode: 0o600)
        try hold(AppSocket(site, listener))
    }

    private func fail(_ site: AppSocketSite, _ error: String, againAt now: SteadyTime? = nil) {
        note(site.app, path(of: site) + "/" + AppSocket.name, error)
        if let now { rest(.site(site), until: now.adding(Self.shortagePause)) }
    }

    /// Takes away the file of a socket, if it is there and still that.
    func takeAway(_ socket: AppSocket) {
        do throws(PosixError) {
            let directory = try open(socket.site)
            guard let found = try directory.status(of: AppSocket.name),
                socket.listener.isFile(found)
            else { return }
            try directory.unlink(AppSocket.name)
        } catch {
            // Nothing is lost where the directory is gone; a dead socket elsewhere is replaced by
            // the next daemon.
        }
    }

    // MARK: - Directories

    private func open(_ site: AppSocketSite) throws(PosixError) -> DirectoryHandle {
        var directory = try DirectoryHandle(runtime)
        if site.isFlatpak { directory = try directory.directory(AppSocketPlace.appsName) }
        let own = try directory.directory(site.directory)
        try requireOwn(own)
        return own
    }

    private func path(of site: AppSocketSite) -> String {
        let parent = site.isFlatpak ? runtime + "/" + AppSocketPlace.appsName : runtime
        return parent + "/" + site.directory
    }

    /// A directory of another user is none of our apps'.
    private func requireOwn(_ directory: borrowing DirectoryHandle) throws(PosixError) {
        guard try directory.status().uid == OwnProcess.effectiveUserID else {
            throw PosixError(operation: "listen in", subject: directory.path, code: EPERM)
        }
    }

    /// The workshop, which somebody may have taken away; nil if another daemon is in it.
    private func currentWorkshop() throws(PosixError) -> Workshop? {
        let directory = try DirectoryHandle(runtime)
        if let workshop, let named = try directory.status(of: Self.workshopName),
            named.isSameFile(as: try workshop.directory.status())
        {
            return workshop
        }
        workshop = nil
        try Files.makeDirectories(directory.pinnedPath + "/" + Self.workshopName, mode: 0o700)
        let own = try directory.directory(Self.workshopName)
        try requireOwn(own)
        guard let lock = try LockFile.acquire(own.pinnedPath + "/lock") else { return nil }
        workshop = Workshop(own, lock)
        return workshop
    }
}

extension PosixError {
    /// Whether another try may succeed with nothing changed but what others use.
    var isShortage: Bool {
        switch code {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOSPC: true
        default: false
        }
    }
}
