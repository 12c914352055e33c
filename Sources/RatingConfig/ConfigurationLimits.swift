/// What bounds the reading of configuration files; what is beyond is left out with a warning.
package enum ConfigurationLimits {
    /// A file is this long at most: a thousand times what anybody writes by hand.
    package static let fileBytesMax = 65_536
    /// A line without its end: the longest review URL twice, so that every bad one is read whole.
    package static let lineBytesMax = 4_096
    /// The files of all directories together: one for each app a user can have.
    package static let filesMax = 10_000
    /// The `[Event NAME]` sections in force for all apps, and those for one app.
    package static let eventNeedsMax = 100
    /// The warnings that are kept; those after them are only counted.
    package static let warningsMax = 100
    /// How much of a key or a value a warning repeats.
    package static let excerptBytesMax = 80
}
