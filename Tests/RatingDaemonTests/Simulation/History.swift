import RatingPolicy

/// All grants that were ever made, and what the caps say of each, read from the beginning every
/// time: P1 without trust in any record.
final class History {
    struct Entry {
        var key: AppKey
        var token: String?
        var version: Version?
        var at: Int64
        /// How many repairs came before it.
        var repairsBefore: Int
        /// It was stored, but nobody was told, since a sync failed.
        var isUnasked = false
    }

    private var entries: [Entry] = []
    private var repairs: [Int64] = []
    var emitted: Set<String> = []

    func repaired(at wall: Int64) {
        repairs.append(wall)
    }

    /// A grant that is stored; one that nobody was told of is new here.
    func adopt(_ grant: Grant, of key: AppKey) {
        guard let token = grant.token?.string,
            !entries.contains(where: { $0.key == key && $0.token == token })
        else { return }
        entries.append(
            Entry(
                key: key, token: token, version: grant.version,
                at: grant.grantedAt.first.milliseconds, repairsBefore: repairs.count,
                isUnasked: true))
    }

    /// A power cut may have taken grants away that nobody was told of.
    func keepOnly(_ image: Disk.Image) {
        entries.removeAll { entry in
            guard entry.isUnasked else { return false }
            let grants = image.apps[entry.key]?.grants ?? []
            return !grants.contains { $0.token?.string == entry.token }
        }
    }

    /// Versions of an app are forgotten, all or those of the first grants; times never are.
    func forgot(_ key: AppKey, first count: Int = .max) {
        let own = entries.indices.filter { entries[$0].key == key }
        for index in own.prefix(count) {
            entries[index].version = nil
            entries[index].isUnasked = false
        }
    }

    /// What speaks against a grant that is made now; nil if nothing does.
    func objection(to key: AppKey, _ version: Version, _ terms: Terms, at now: Int64) -> String? {
        let own = entries.filter { $0.key == key }
        let users = entries.filter { $0.key.user == key.user }
        func young(_ entries: [Entry], _ span: Int64) -> Int64 {
            Int64(entries.count { age($0, at: now) < span })
        }
        if young(own, Rulebook.window) >= terms.number(.promptsPerYear) { return "annual cap" }
        if young(users, Rulebook.window) >= terms.number(.userPromptsPerYear) { return "user cap" }
        if young(own, terms.number(.minIntervalDays) * Rulebook.day) > 0 { return "interval" }
        if young(users, terms.number(.userMinIntervalDays) * Rulebook.day) > 0 {
            return "user interval"
        }
        if terms.flag(.oncePerVersion), own.contains(where: { $0.version == version }) {
            return "once per version"
        }
        return nil
    }

    func granted(_ key: AppKey, token: String, _ version: Version, at now: Int64) {
        entries.append(
            Entry(
                key: key, token: token, version: version, at: now, repairsBefore: repairs.count))
    }

    private func age(_ entry: Entry, at now: Int64) -> Int64 {
        if entry.at <= now { return now - entry.at }
        // The first repair that found it in the future stands in, and later ones that found even
        // that in the future.
        var stand: Int64?
        for repair in repairs.dropFirst(entry.repairsBefore)
        where entry.at > repair && stand ?? entry.at > repair { stand = repair }
        return max(0, now - (stand ?? now))
    }
}
