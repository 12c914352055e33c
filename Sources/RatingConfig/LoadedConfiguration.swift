package import RatingPolicy

/// A configuration with what was noticed while it was read.
package struct LoadedConfiguration: Hashable, Sendable {
    package let configuration: Configuration
    /// The first ones, at most `ConfigurationLimits.warningsMax`.
    package let warnings: [ConfigurationWarning]
    /// How many more there were.
    package let warningsLeftOut: Int
    /// The files that were read, in order.
    package let files: [String]

    /// The warnings as lines of text; the last one counts those that were left out.
    package var warningLines: [String] {
        let lines = warnings.map(\.description)
        return warningsLeftOut == 0 ? lines : lines + ["and \(warningsLeftOut) more warnings"]
    }
}
