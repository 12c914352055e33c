import RatingPolicy

/// Where a process stands in the control groups, from its /proc/PID/cgroup. See cgroups(7).
///
/// Names of groups have no line feed, the kernel refuses them; everything else may be in them.
struct ControlGroups: Equatable {
    /// Paths of several tables, each at most 4096 bytes.
    static let bytesMax = 65_536

    /// The process's group in each hierarchy, from the outermost component to its own.
    private(set) var hierarchies: [[String]] = []
    /// The one that systemd keeps its units in.
    private(set) var units: [String] = []

    /// Nil if a line is not `NUMBER:CONTROLLERS:/PATH`, or there is none.
    init?(_ content: [UInt8]) {
        var unified: [String]?
        var named: [String]?
        for line in content.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].first == UInt8(ascii: "/") else { return nil }
            let path = fields[2].split(separator: UInt8(ascii: "/")).map {
                String(decoding: $0, as: UTF8.self)
            }
            hierarchies.append(path)
            if fields[0].elementsEqual("0".utf8), fields[1].isEmpty { unified = path }
            if fields[1].elementsEqual("name=systemd".utf8) { named = path }
        }
        guard let units = named ?? unified else { return nil }
        self.units = units
    }

    /// The Snap whose group this is, nil if it is in none's; `.failure` if in one that looks like
    /// it and names none.
    ///
    /// The outermost such group counts: what is below it the Snap may have made itself.
    var snap: Result<SnapName, SnapName.Malformed>? {
        for path in hierarchies {
            for group in path {
                if let snap = SnapName.named(by: group) { return snap }
            }
        }
        return nil
    }

    /// The unit of an app that the process is in, with the groups down to it, if a service manager
    /// of this user made it.
    ///
    /// The innermost counts: slices group.
    func appUnit(of user: UserID) -> (unit: AppUnit, groups: ArraySlice<String>)? {
        guard let manager = units.firstIndex(of: "user@\(user).service") else { return nil }
        for index in units.indices[(manager + 1)...].reversed() {
            if let unit = AppUnit(name: units[index]) { return (unit, units[...index]) }
        }
        return nil
    }

    /// Whether the process is in that group or below it.
    func isIn(_ groups: ArraySlice<String>) -> Bool {
        units.starts(with: groups)
    }
}
