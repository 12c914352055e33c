import RatingPolicy

/// Where a process stands in the control groups, from its /proc/PID/cgroup. See cgroups(7).
///
/// Names of groups have no line feed, the kernel refuses them; everything else may be in them.
struct ControlGroups: Equatable {
    /// Paths of several tables, each at most 4096 bytes.
    static let bytesMax = 65_536

    /// The process's group in each hierarchy, from the outermost component to its own.
    private(set) var hierarchies: [[String]] = []

    /// Nil if a line is not `NUMBER:CONTROLLERS:/PATH`, or there is none.
    init?(_ content: [UInt8]) {
        for line in content.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].first == UInt8(ascii: "/") else { return nil }
            hierarchies.append(
                fields[2].split(separator: UInt8(ascii: "/")).map {
                    String(decoding: $0, as: UTF8.self)
                })
        }
        guard !hierarchies.isEmpty else { return nil }
    }

    /// The Snap whose group this is, nil if it is in none's; `.failure` if in one that looks like
    /// it and names none, or in those of two.
    ///
    /// The outermost such group counts: what is below it the Snap may have made itself.
    var snap: Result<SnapName, SnapName.Malformed>? {
        let snaps = hierarchies.compactMap { path in
            path.lazy.compactMap(SnapName.named(by:)).first
        }
        guard let first = snaps.first else { return nil }
        return snaps.allSatisfy { $0 == first } ? first : .failure(SnapName.Malformed())
    }

    /// The unit of an app that the process is in, with the groups down to it, if a service manager
    /// of this user made it.
    ///
    /// Looked for in every hierarchy: which one systemd keeps its units in depends on the machine.
    /// The innermost unit counts: slices group.
    func appUnit(of user: UserID) -> (unit: AppUnit, groups: ArraySlice<String>)? {
        for path in hierarchies {
            guard let manager = path.firstIndex(of: "user@\(user).service") else { continue }
            for index in path.indices[(manager + 1)...].reversed() {
                if let unit = AppUnit(name: path[index]) { return (unit, path[...index]) }
            }
        }
        return nil
    }

    /// Whether the process is in that group or below it.
    func isIn(_ groups: ArraySlice<String>) -> Bool {
        hierarchies.contains { $0.starts(with: groups) }
    }
}
