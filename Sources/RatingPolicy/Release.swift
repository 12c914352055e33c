/// The version of this build, the same for the daemon and its command line.
package enum Release {
    package static let version = "0.1.0"
    /// How the daemon names itself in `hello` and `stats`.
    package static let server = "ratingd/" + version
}
