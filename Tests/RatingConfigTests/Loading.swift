import RatingPolicy

@testable import RatingConfig

/// Loads one directory as `--config` does.
func load(_ directory: TemporaryDirectory) throws -> LoadedConfiguration {
    try ConfigurationLoader.load(.only(directory.path), descriptors: 1_024)
}

/// Loads a directory with one `ratingd.conf` of this text.
func loadText(_ text: String) throws -> LoadedConfiguration {
    let directory = TemporaryDirectory()
    directory.write("ratingd.conf", text)
    return try load(directory)
}

extension LoadedConfiguration {
    /// The warnings without their paths: `LINE: text`.
    var problems: [String] {
        warnings.map { warning in
            warning.line.map { "\($0): " + warning.text } ?? warning.text
        }
    }

    /// What the general files set for a key.
    func general(_ key: PolicyKey) -> String? {
        configuration.general.values[key]?.value.text
    }

    /// What is in force for an app and where it comes from, as `VALUE SOURCE`.
    func inForce(_ key: PolicyKey, for app: String) -> String? {
        guard let app = AppID(app) else { return nil }
        return configuration.policy(for: app, hello: nil).values[key].map {
            $0.value.text + " " + $0.source.text
        }
    }
}
