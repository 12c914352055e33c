import RatingConfig
import Testing

struct ConfigurationPathsTests {
    @Test func `a user's directories go from the distribution's to the user's own`() {
        let paths = ConfigurationPaths.user(["HOME": "/home/ada"])
        #expect(
            paths.directories == [
                "/usr/share/ratingd", "/etc/xdg/ratingd", "/home/ada/.config/ratingd",
            ])
        #expect(!paths.mustExist)
    }

    @Test func `the first of XDG_CONFIG_DIRS is the strongest of them`() {
        let paths = ConfigurationPaths.user([
            "XDG_CONFIG_DIRS": "/a:/b", "XDG_CONFIG_HOME": "/c", "HOME": "/home/ada",
        ])
        #expect(
            paths.directories == ["/usr/share/ratingd", "/b/ratingd", "/a/ratingd", "/c/ratingd"])
    }

    @Test func `relative paths are ignored`() {
        let paths = ConfigurationPaths.user([
            "XDG_CONFIG_DIRS": "a:/b:.:../c", "XDG_CONFIG_HOME": "conf", "HOME": "/home/ada",
        ])
        #expect(
            paths.directories == ["/usr/share/ratingd", "/b/ratingd", "/home/ada/.config/ratingd"])
        #expect(
            ConfigurationPaths.user(["HOME": "ada"]).directories
                == ["/usr/share/ratingd", "/etc/xdg/ratingd"])
    }

    @Test func `an empty variable is none`() {
        let paths = ConfigurationPaths.user([
            "XDG_CONFIG_DIRS": "", "XDG_CONFIG_HOME": "", "HOME": "",
        ])
        #expect(paths.directories == ["/usr/share/ratingd", "/etc/xdg/ratingd"])
    }

    @Test func `slashes at the end are not doubled`() {
        let paths = ConfigurationPaths.user(["XDG_CONFIG_DIRS": "/a/", "HOME": "/"])
        #expect(
            paths.directories == ["/usr/share/ratingd", "/a/ratingd", "/.config/ratingd"])
    }

    @Test func `a machine's directories end with the one that is gone after a restart`() {
        #expect(
            ConfigurationPaths.system.directories
                == ["/usr/share/ratingd", "/etc/ratingd", "/run/ratingd/conf"])
    }

    @Test func `--config stands in place of all others and must be there`() {
        #expect(ConfigurationPaths.only("conf").directories == ["conf"])
        #expect(ConfigurationPaths.only("conf").mustExist)
    }
}
