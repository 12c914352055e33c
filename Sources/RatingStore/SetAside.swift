internal import Posix
internal import RatingPolicy

/// Renames damaged databases out of the way, never over anything.
struct SetAside {
    let paths: StatePaths

    /// Renames the database and what SQLite keeps beside it; answers the new path.
    ///
    /// The database goes first: if this is cut short, `adoptOrphans` finds its log at the next
    /// start. The other way round a database would be opened without its log.
    func move(at now: WallTime) throws(PosixError) -> String {
        let aside = try unusedPath(at: now)
        try Files.rename(paths.database, to: aside)
        try moveCompanions(to: aside)
        try Files.syncDirectory(paths.directory)
        return aside
    }

    /// Renames a log whose database is gone, which a new database of that name would take in.
    ///
    /// Nil if there is none. It goes to the last set-aside database if that one has no log.
    func adoptOrphans(at now: WallTime) throws(PosixError) -> String? {
        let journal = paths.database + "-journal"
        let log = try Files.statusIfPresent(paths.log, followsLink: false)
        let hasJournal = try Files.statusIfPresent(journal, followsLink: false) != nil
        guard hasJournal || (log?.size ?? 0) > 0 else {
            try removeIfPresent(paths.log)
            try removeIfPresent(paths.database + "-shm")
            return nil
        }
        let names = try paths.setAside()
        let bases = names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-journal") }
        var aside = try unusedPath(at: now)
        if let last = bases.last, !names.contains(last + "-wal"), !names.contains(last + "-journal")
        {
            aside = paths.path(last)
        }
        try moveCompanions(to: aside)
        try Files.syncDirectory(paths.directory)
        return aside
    }

    private func moveCompanions(to aside: String) throws(PosixError) {
        for suffix in ["-wal", "-journal"] {
            let path = paths.database + suffix
            guard let status = try Files.statusIfPresent(path, followsLink: false) else { continue }
            if status.size == 0 {
                // Nothing that could be put back: whoever takes the database away is done.
                try Files.unlink(path)
            } else {
                try Files.rename(path, to: aside + suffix)
            }
        }
        // Rebuilt from the log when that is opened.
        try removeIfPresent(paths.database + "-shm")
    }

    func removeIfPresent(_ path: String) throws(PosixError) {
        if try Files.statusIfPresent(path, followsLink: false) != nil { try Files.unlink(path) }
    }

    /// `ratingd.db.corrupt-20261130T050902Z`, with `.2`, `.3`, … behind it if that is taken.
    private func unusedPath(at now: WallTime) throws(PosixError) -> String {
        let names = try paths.setAside()
        let first = StatePaths.setAsidePrefix + UTCText.compact(now)
        var name = first
        var number = 1
        while names.contains(where: { $0 == name || $0.hasPrefix(name + "-") }) {
            number += 1
            name = first + ".\(number)"
        }
        return paths.path(name)
    }
}
