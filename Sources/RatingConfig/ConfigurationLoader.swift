internal import Glibc
internal import Posix
internal import RatingPolicy

/// Reads all configuration files into one configuration (SPEC 3.1, "Files").
///
/// Nothing in a file is fatal: what cannot be used is a warning. A new configuration comes out
/// whole or not at all, so a caller can keep the old one.
package enum ConfigurationLoader {
    /// Reads `ratingd.conf`, `ratingd.conf.d/*.conf` in byte order, then `apps.d/APP.conf`.
    ///
    /// Of several files with one name below their directories only the strongest directory's is
    /// read. `descriptors` is RLIMIT_NOFILE, from which the default limits are made. Throws if
    /// something that is there cannot be read.
    package static func load(
        _ paths: ConfigurationPaths, descriptors: Int
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var builder = ConfigurationBuilder(descriptors: descriptors)
        let directories = try present(paths)
        var sources: [Source] = []
        if let path = try strongest("ratingd.conf", in: directories) {
            sources.append(Source(path: path, scope: .general))
        }
        for file in try named("ratingd.conf.d", in: directories) {
            sources.append(Source(path: file.path, scope: .general))
        }
        for file in try named("apps.d", in: directories) {
            let name = String(file.name.dropLast(suffix.count))
            if let app = AppID(name) {
                sources.append(Source(path: file.path, scope: .app(app)))
            } else {
                builder.warn("\(excerpt(name)) is no app id", file: file.path)
            }
        }
        try read(sources, into: &builder)
        return LoadedConfiguration(
            configuration: builder.result, warnings: builder.warnings.kept,
            warningsLeftOut: builder.warnings.leftOut, files: builder.files)
    }

    /// A file that is to be read.
    private struct Source {
        let path: String
        let scope: ConfigurationBuilder.Scope
    }

    private static let suffix = ".conf"

    private static func read(
        _ sources: [Source], into builder: inout ConfigurationBuilder
    ) throws(ConfigurationError) {
        let filesMax = ConfigurationLimits.filesMax
        for source in sources.prefix(filesMax) {
            if let bytes = try content(of: source.path, &builder) {
                builder.add(bytes, path: source.path, scope: source.scope)
            }
        }
        for source in sources.dropFirst(filesMax) {
            builder.warn("one more file than the \(filesMax) that are read", file: source.path)
        }
    }

    /// What is in a file; nil, with a warning, if it is too long or its link leads nowhere.
    private static func content(
        of path: String, _ builder: inout ConfigurationBuilder
    ) throws(ConfigurationError) -> [UInt8]? {
        let bytesMax = ConfigurationLimits.fileBytesMax
        do {
            return try Files.readFile(path, maxBytes: bytesMax)
        } catch {
            switch error.code {
            case EFBIG: builder.warn("a file of more than \(bytesMax) bytes", file: path)
            case ENOENT: builder.warn("a link that leads nowhere", file: path)
            case EISDIR: throw .notAFile(path)
            default: throw .unreadable(error)
            }
            return nil
        }
    }

    /// The directories that are there.
    private static func present(
        _ paths: ConfigurationPaths
    ) throws(ConfigurationError) -> [String] {
        var directories: [String] = []
        for path in paths.directories {
            if try isDirectory(path) {
                directories.append(path)
            } else if paths.mustExist {
                throw .missing(path)
            }
        }
        return directories
    }

    /// False if nothing is there; throws if something else is.
    private static func isDirectory(_ path: String) throws(ConfigurationError) -> Bool {
        let status: FileStatus?
        do {
            status = try Files.statusIfPresent(path)
        } catch {
            throw .unreadable(error)
        }
        guard let status else { return false }
        guard status.kind == .directory else { throw .notADirectory(path, status.kind) }
        return true
    }

    /// The path of a file in the strongest directory that has it.
    private static func strongest(
        _ name: String, in directories: [String]
    ) throws(ConfigurationError) -> String? {
        for directory in directories.reversed() {
            let path = joined(directory, name)
            do {
                if try Files.statusIfPresent(path, followsLink: false) != nil { return path }
            } catch {
                throw .unreadable(error)
            }
        }
        return nil
    }

    /// The `*.conf` files in the folders of this name, each by its strongest path, in byte order.
    private static func named(
        _ folder: String, in directories: [String]
    ) throws(ConfigurationError) -> [(name: String, path: String)] {
        var paths: [ExactText: String] = [:]
        for directory in directories {
            let folder = joined(directory, folder)
            guard try isDirectory(folder) else { continue }
            do {
                for name in try Files.directoryEntries(folder) where isConfigurationFile(name) {
                    paths[ExactText(name)] = joined(folder, name)
                }
            } catch {
                throw .unreadable(error)
            }
        }
        return paths.sorted { $0.key < $1.key }.map { (name: $0.key.string, path: $0.value) }
    }

    /// Hidden files and what an editor or a package manager leaves behind are passed over.
    private static func isConfigurationFile(_ name: String) -> Bool {
        name.hasSuffix(suffix) && !name.hasPrefix(".")
    }
}
