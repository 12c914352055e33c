internal import Glibc
internal import RatingConfig
internal import RatingWire

/// `verify`: what is wrong with configuration files, without a daemon.
extension Run {
    func verify() throws(ControlFailure) -> ExitCode {
        var lines: [String] = []
        var rows: [JSONValue] = []
        var code = ExitCode.done
        for word in invocation.words {
            let path = Self.absolute(word)
            let warnings = Self.warnings(path)
            if !warnings.isEmpty { code = .badData }
            lines += warnings.isEmpty ? ["\(safe(path)): fine"] : warnings
            rows.append(
                .object([
                    .init("file", .string(path)),
                    .init("warnings", .array(warnings.map(JSONValue.string))),
                ]))
        }
        let answer = Answer(lines, code, isLong: true)
        return try finish(answer, json: .object([.init("files", .array(rows))]))
    }

    /// What is wrong with one file; that it cannot be read is one of the things.
    private static func warnings(_ path: String) -> [String] {
        do {
            return try ConfigurationLoader.verify(path)
        } catch .notAFile {
            let whole = safe(configurationDirectory(path))
            return [
                "\(ConfigurationError.notAFile(path)); all of it is checked by "
                    + "'ratingd --check-config --config \(whole)'"
            ]
        } catch {
            return [error.description]
        }
    }

    /// The directory that `ratingd --config` takes, for it or for one of the folders in it.
    private static func configurationDirectory(_ path: String) -> String {
        let parts = path.split(separator: "/")
        let isWithin = parts.last == "ratingd.conf.d" || parts.last == "apps.d"
        return "/" + (isWithin ? parts.dropLast() : parts).joined(separator: "/")
    }

    /// The path with the directory it starts from, which says whether it is in `apps.d`.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let isKnown = unsafe getcwd(&bytes, bytes.count) != nil
        guard isKnown, let directory = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        else { return path }
        return directory + "/" + path
    }
}
