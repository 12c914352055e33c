internal import Glibc
internal import Posix
internal import RatingPolicy

extension ConfigurationLoader {
    /// What `load` would warn of in one file, as lines of text; none if all of it is used.
    ///
    /// In a folder `apps.d` it is read as the own file of the app in its name, elsewhere as a
    /// general one.
    package static func verify(_ path: String) throws(ConfigurationError) -> [String] {
        var builder = ConfigurationBuilder(descriptors: 1_024)
        let bytes: [UInt8]
        do {
            bytes = try Files.readFile(path, maxBytes: ConfigurationLimits.fileBytesMax)
        } catch {
            throw error.code == EISDIR ? .notAFile(path) : .unreadable(error)
        }
        builder.add(bytes, path: path, scope: scope(of: path, &builder))
        return LoadedConfiguration(
            configuration: builder.result, warnings: builder.warnings.kept,
            warningsLeftOut: builder.warnings.leftOut, files: builder.files
        ).warningLines
    }

    private static func scope(
        of path: String, _ builder: inout ConfigurationBuilder
    ) -> ConfigurationBuilder.Scope {
        let parts = path.split(separator: "/").map(String.init).filter { $0 != "." }
        guard parts.count >= 2, parts[parts.count - 2] == "apps.d" else { return .general }
        let name = parts[parts.count - 1]
        guard name.hasSuffix(".conf") else {
            builder.warn("the name does not end in .conf", file: path)
            return .general
        }
        guard let app = AppID(String(name.dropLast(".conf".count))) else {
            builder.warn("\(excerpt(name)) names no app", file: path)
            return .general
        }
        return .app(app)
    }
}
