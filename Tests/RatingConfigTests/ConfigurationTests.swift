import RatingConfig
import RatingPolicy
import Testing

struct ConfigurationTests {
    @Test func `no files give the defaults`() throws {
        let directory = TemporaryDirectory()
        let loaded = try load(directory)
        #expect(
            loaded.configuration == Configuration(daemon: DaemonSettings(descriptors: 1_024)))
        #expect(loaded.warnings == [])
        #expect(loaded.files == [])
    }

    @Test func `drop-ins follow the main file in byte order, an app's own file comes last`() throws
    {
        let directory = TemporaryDirectory()
        let main = directory.write(
            "ratingd.conf", "[Policy]\nDebounceMs=1\nPromptsPerYear=1\nMinIntervalDays=1\n")
        let late = directory.write("ratingd.conf.d/a.conf", "[Policy]\nDebounceMs=2\n")
        let early = directory.write(
            "ratingd.conf.d/B.conf", "[Policy]\nDebounceMs=3\nPromptsPerYear=2\n")
        let app = directory.write("apps.d/org.example.Notes.conf", "[Policy]\nDebounceMs=4\n")
        let loaded = try load(directory)
        #expect(loaded.files == [main, early, late, app])
        #expect(loaded.inForce(.debounceMs, for: "org.example.Notes") == "4 \(app)")
        #expect(loaded.inForce(.debounceMs, for: "org.example.Other") == "2 \(late)")
        #expect(loaded.inForce(.promptsPerYear, for: "org.example.Notes") == "2 \(early)")
        #expect(loaded.inForce(.minIntervalDays, for: "org.example.Notes") == "1 \(main)")
        #expect(loaded.inForce(.enabled, for: "org.example.Notes") == "yes default")
    }

    @Test func `of one key the later line wins, and an empty value takes all before it back`()
        throws
    {
        let loaded = try loadText(
            """
            [Policy]
            DebounceMs=1
            PromptsPerYear=1
            [User]
            Enabled=no
            [Policy]
            DebounceMs=2
            PromptsPerYear=
            [Event e]
            Need=3
            [Event e]
            Need=
            [Daemon]
            SyncSec=1
            LogLevel=debug
            AppSockets=no
            IdleExitSec=1
            RateLimitPerSec=1
            SyncSec=
            LogLevel=
            AppSockets=
            IdleExitSec=
            RateLimitPerSec=
            """)
        #expect(loaded.problems == [])
        #expect(loaded.general(.debounceMs) == "2")
        #expect(loaded.general(.promptsPerYear) == nil)
        #expect(loaded.general(.userEnabled) == "no")
        #expect(loaded.configuration.general.needs == [:])
        #expect(loaded.configuration.daemon == DaemonSettings(descriptors: 1_024))
    }

    @Test func `an empty value in an app's own file leaves it to the general ones`() throws {
        let directory = TemporaryDirectory()
        let main = directory.write("ratingd.conf", "[Policy]\nDebounceMs=1\n")
        directory.write("apps.d/a.conf", "[Policy]\nDebounceMs=4\nDebounceMs=\n")
        let loaded = try load(directory)
        #expect(loaded.inForce(.debounceMs, for: "a") == "1 \(main)")
        #expect(loaded.configuration.apps == [:])
    }

    @Test func `a bad line leaves the value of the line before it in force`() throws {
        let loaded = try loadText("[Policy]\nDebounceMs=7\nDebounceMs=600001\n")
        #expect(loaded.general(.debounceMs) == "7")
        #expect(loaded.problems.count == 1)
    }

    @Test func `an app's own file has no place for what is not its own`() throws {
        let directory = TemporaryDirectory()
        directory.write(
            "apps.d/a.conf",
            "[User]\nEnabled=no\n[Daemon]\nSyncSec=1\n[Event e]\nNeed=2\n[Policy]\nEnabled=no\n")
        let loaded = try load(directory)
        #expect(
            loaded.problems == [
                "1: section [User] has no place in the file of an app",
                "3: section [Daemon] has no place in the file of an app",
            ])
        #expect(loaded.configuration.general.isEmpty)
        #expect(loaded.configuration.daemon == DaemonSettings(descriptors: 1_024))
        #expect(loaded.inForce(.enabled, for: "a")?.hasPrefix("no ") == true)
        let app = try #require(AppID("a"))
        #expect(loaded.configuration.policy(for: app, hello: nil).needs.map(\.need.value) == [2])
    }

    @Test func `an app's needs replace the general ones by name`() throws {
        let directory = TemporaryDirectory()
        directory.write("ratingd.conf", "[Event e]\nNeed=2\n[Event f]\nNeed=3\n")
        directory.write("apps.d/a.conf", "[Event e]\nNeed=0\n")
        let app = try #require(AppID("a"))
        let policy = try load(directory).configuration.policy(for: app, hello: nil)
        #expect(policy.needs.map(\.name.string) == ["e", "f"])
        #expect(policy.needs.map(\.need.value) == [0, 3])
    }

    @Test func `a file whose name is no app id is left out`() throws {
        let directory = TemporaryDirectory()
        for name in ["a..b", "1a", "a b", "a."] {
            directory.write("apps.d/\(name).conf", "[Policy]\nEnabled=no\n")
        }
        let loaded = try load(directory)
        #expect(loaded.configuration.apps == [:])
        #expect(loaded.files == [])
        #expect(
            loaded.warnings.map(\.description) == [
                "\(directory.path)/apps.d/1a.conf: '1a' is no app id, ignoring",
                "\(directory.path)/apps.d/a b.conf: 'a b' is no app id, ignoring",
                "\(directory.path)/apps.d/a..b.conf: 'a..b' is no app id, ignoring",
                "\(directory.path)/apps.d/a..conf: 'a.' is no app id, ignoring",
            ])
    }

    @Test func `hidden files and other endings are passed over in silence`() throws {
        let directory = TemporaryDirectory()
        for name in [".a.conf", ".conf", "a.conf~", "a.conf.dpkg-old", "README", "conf"] {
            directory.write("ratingd.conf.d/\(name)", "nonsense\n")
            directory.write("apps.d/\(name)", "nonsense\n")
        }
        let loaded = try load(directory)
        #expect(loaded.warnings == [])
        #expect(loaded.files == [])
    }

    @Test func `a warning names file and line`() throws {
        let directory = TemporaryDirectory()
        let path = directory.write(
            "ratingd.conf", "X=1\n[Polcy]\nDebounceMs=x\nword\n[Policy\nEnabled=x\n")
        #expect(
            try load(directory).warnings.map(\.description) == [
                "\(path):1: key 'X' before any section, ignoring",
                "\(path):2: unknown section 'Polcy', ignoring",
                "\(path):4: no '=' in 'word', ignoring",
                "\(path):5: a section without ']' at its end, ignoring",
            ])
    }

    @Test func `what a warning repeats is escaped and cut`() throws {
        let value = "\u{1B}[31m\u{202E}" + String(repeating: "x", count: 4_000)
        let loaded = try loadText("[Policy]\nEnabled=\(value)\n")
        let text = try #require(loaded.warnings.first).text
        #expect(text.hasPrefix("Enabled= is yes or no, not '\\x1b[31m\\u{202e}xx"))
        #expect(text.hasSuffix("x…'"))
        #expect(text.utf8.count < 150)
    }

    @Test func `names of events are escaped too`() throws {
        #expect(
            try loadText("[Event \u{202E}x]\nneed=1\n").problems
                == ["2: unknown key 'need' in '[Event \\u{202e}x]'"])
    }

    @Test func `files of random bytes only warn`() throws {
        var generator = SystemRandomNumberGenerator()
        let directory = TemporaryDirectory()
        for name in ["ratingd.conf", "ratingd.conf.d/a.conf", "apps.d/a.conf"] {
            directory.write(
                name, bytes: (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        let loaded = try load(directory)
        #expect(loaded.configuration.general.isEmpty)
        #expect(loaded.warnings.count + loaded.warningsLeftOut > 10)
        #expect(loaded.files.count == 3)
    }
}
