import Glibc
import Posix
import RatingConfig
import RatingPolicy
import Testing

struct ReplacementTests {
    /// A weak directory and a strong one, read as a user's daemon does.
    private let weak = TemporaryDirectory()
    private let strong = TemporaryDirectory()

    private func load() throws(ConfigurationError) -> LoadedConfiguration {
        // /usr/share/ratingd comes before both; the tests run where it is not installed or empty.
        try ConfigurationLoader.load(
            .user(["XDG_CONFIG_DIRS": weak.path, "XDG_CONFIG_HOME": strong.path]),
            descriptors: 1_024)
    }

    @Test func `a stronger file of the same name stands in place of the weaker one`() throws {
        for name in ["ratingd.conf", "ratingd.conf.d/a.conf", "apps.d/a.conf"] {
            weak.write("ratingd/" + name, "[Policy]\nDebounceMs=1\nPromptsPerYear=1\n")
            strong.write("ratingd/" + name, "[Policy]\nDebounceMs=2\n")
        }
        let loaded = try load()
        #expect(loaded.files.allSatisfy { $0.hasPrefix(strong.path) })
        #expect(loaded.files.count == 3)
        #expect(loaded.general(.debounceMs) == "2")
        #expect(loaded.general(.promptsPerYear) == nil)
        #expect(loaded.inForce(.promptsPerYear, for: "a") == "3 default")
    }

    @Test func `files of different names are read from all directories, by name first`() throws {
        let early = strong.write("ratingd/ratingd.conf.d/10.conf", "[Policy]\nDebounceMs=10\n")
        let late = weak.write("ratingd/ratingd.conf.d/20.conf", "[Policy]\nDebounceMs=20\n")
        let loaded = try load()
        #expect(loaded.files == [early, late])
        #expect(loaded.general(.debounceMs) == "20")
    }

    @Test func `an empty file and a link to /dev/null mask what is weaker`() throws {
        weak.write("ratingd/ratingd.conf", "[Policy]\nDebounceMs=1\n")
        weak.write("ratingd/ratingd.conf.d/a.conf", "[Policy]\nPromptsPerYear=1\n")
        weak.write("ratingd/apps.d/a.conf", "[Policy]\nEnabled=no\n")
        strong.link("ratingd/ratingd.conf", to: "/dev/null")
        strong.write("ratingd/ratingd.conf.d/a.conf", "")
        strong.link("ratingd/apps.d/a.conf", to: "/dev/null")
        let loaded = try load()
        #expect(loaded.configuration.general.isEmpty)
        #expect(loaded.configuration.apps == [:])
        #expect(loaded.warnings == [])
    }

    @Test func `a link that leads nowhere masks too, with a warning`() throws {
        weak.write("ratingd/ratingd.conf", "[Policy]\nDebounceMs=1\n")
        let path = strong.link("ratingd/ratingd.conf", to: "/nowhere/at/all")
        let loaded = try load()
        #expect(loaded.configuration.general.isEmpty)
        #expect(
            loaded.warnings.map(\.description) == ["\(path): a link that leads nowhere, ignoring"])
    }

    @Test func `missing directories are none`() throws {
        #expect(try load().warnings == [])
    }
}

struct ConfigurationErrorTests {
    private let directory = TemporaryDirectory()

    private func failure() -> ConfigurationError? {
        do {
            _ = try ConfigurationLoader.load(.only(directory.path), descriptors: 1_024)
            return nil
        } catch {
            return error
        }
    }

    @Test func `--config must name a directory that is there`() {
        let path = directory.path + "/none"
        #expect(throws: ConfigurationError.missing(path)) {
            try ConfigurationLoader.load(.only(path), descriptors: 1_024)
        }
        #expect(
            ConfigurationError.missing(path).description
                == "configuration directory '\(path)' is missing")
    }

    @Test func `--config must not name a file`() {
        let path = directory.write("file", "")
        #expect(throws: ConfigurationError.notADirectory(path, .file)) {
            try ConfigurationLoader.load(.only(path), descriptors: 1_024)
        }
        #expect(
            ConfigurationError.notADirectory(path, .file).description
                == "'\(path)' is no configuration directory but a file")
    }

    @Test(arguments: ["ratingd.conf.d", "apps.d"]) func `a file in place of a folder is an error`(
        _ name: String
    ) {
        let path = directory.write(name, "")
        #expect(failure() == .notADirectory(path, .file))
    }

    @Test(arguments: ["ratingd.conf", "ratingd.conf.d/a.conf", "apps.d/a.conf"])
    func `a folder in place of a file is an error`(_ name: String) {
        let path = directory.makeDirectory(name)
        #expect(failure() == .notAFile(path))
        #expect(
            failure()?.description == "'\(path)' is no configuration file but a directory")
    }

    @Test(arguments: ["ratingd.conf", "ratingd.conf.d/a.conf", "apps.d/a.conf"])
    func `a file that cannot be opened is an error`(_ name: String) {
        let path = directory.link(name, to: "itself")
        directory.link(
            name.split(separator: "/").dropLast().map { $0 + "/" }.joined() + "itself", to: "itself"
        )
        #expect(
            failure() == .unreadable(PosixError(operation: "open", subject: path, code: ELOOP)))
        #expect(
            failure()?.description
                == "open '\(path)' failed: Too many levels of symbolic links")
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file without permission is an error`() {
        let path = directory.write("ratingd.conf", "")
        unsafe chmod(path, 0)
        #expect(
            failure() == .unreadable(PosixError(operation: "open", subject: path, code: EACCES)))
    }

    @Test func `a named pipe does not stop the daemon`() {
        let path = directory.path + "/ratingd.conf"
        unsafe mkfifo(path, 0o600)
        #expect(failure() == nil)
    }
}
