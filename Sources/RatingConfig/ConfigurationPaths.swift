/// The directories that configuration is read from, the weakest first.
package struct ConfigurationPaths: Hashable, Sendable {
    package let directories: [String]
    /// True if the one directory was named on the command line and must be there.
    package let mustExist: Bool

    /// A user's daemon: the distribution's files, then the machine's, then the user's own.
    ///
    /// Reads XDG_CONFIG_DIRS, XDG_CONFIG_HOME and HOME; an empty value is none, and a relative path
    /// is ignored (XDG Base Directory Specification).
    package static func user(_ environment: [String: String]) -> ConfigurationPaths {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        var parents = (value("XDG_CONFIG_DIRS") ?? "/etc/xdg").split(separator: ":")
            .map(String.init).filter(isAbsolute)
        parents.reverse()
        if let home = value("XDG_CONFIG_HOME"), isAbsolute(home) {
            parents.append(home)
        } else if let home = value("HOME"), isAbsolute(home) {
            parents.append(joined(home, ".config"))
        }
        return ConfigurationPaths(
            directories: ["/usr/share/ratingd"] + parents.map { joined($0, "ratingd") },
            mustExist: false)
    }

    /// The daemon of a shared machine.
    package static let system = ConfigurationPaths(
        directories: ["/usr/share/ratingd", "/etc/ratingd", "/run/ratingd/conf"], mustExist: false)

    /// This directory in place of all others (`--config`).
    package static func only(_ directory: String) -> ConfigurationPaths {
        ConfigurationPaths(directories: [directory], mustExist: true)
    }

    private static func isAbsolute(_ path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/")
    }
}

/// A path below a directory.
func joined(_ directory: String, _ name: String) -> String {
    directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
}
