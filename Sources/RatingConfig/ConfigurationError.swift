package import Posix

/// Why no configuration could be made: something that is there cannot be read.
///
/// Its text is one line that names the path and the cause.
package enum ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The directory of `--config` is not there.
    case missing(String)
    /// Something else stands where a directory of configuration files should be.
    case notADirectory(String, FileKind)
    /// A directory stands where a file should be.
    case notAFile(String)
    /// A system call failed.
    case unreadable(PosixError)

    package var description: String {
        switch self {
        case .missing(let path):
            "configuration directory \(quoted(path)) is missing"
        case .notADirectory(let path, let kind):
            "\(quoted(path)) is no configuration directory but a \(kind.rawValue)"
        case .notAFile(let path):
            "\(quoted(path)) is no configuration file but a directory"
        case .unreadable(let error):
            error.description
        }
    }

    private func quoted(_ path: String) -> String {
        "'" + escapedForLog(path, maxBytes: 1_024) + "'"
    }
}
