import RatingConfig
import RatingPolicy
import Testing

struct ConfigurationLimitsTests {
    @Test(arguments: [0, 1]) func `a file is read up to its limit, one byte more is left out`(
        _ excess: Int
    ) throws {
        let directory = TemporaryDirectory()
        let text = "[Policy]\nEnabled=no\n"
        let filler = ConfigurationLimits.fileBytesMax + excess - text.utf8.count
        let path = directory.write(
            "ratingd.conf", text + String(repeating: "#", count: filler))
        let loaded = try load(directory)
        if excess == 0 {
            #expect(loaded.general(.enabled) == "no")
            #expect(loaded.warnings == [])
        } else {
            #expect(loaded.general(.enabled) == nil)
            #expect(
                loaded.warnings.map(\.description)
                    == ["\(path): a file of more than 65536 bytes, ignoring"])
        }
    }

    @Test func `an endless file is left out`() throws {
        let directory = TemporaryDirectory()
        directory.link("ratingd.conf", to: "/dev/zero")
        #expect(try load(directory).problems == ["a file of more than 65536 bytes"])
    }

    @Test(arguments: [0, 1]) func `files are read up to their number, one more is left out`(
        _ excess: Int
    ) throws {
        let directory = TemporaryDirectory()
        directory.write("ratingd.conf", "")
        let count = ConfigurationLimits.filesMax + excess - 1
        for number in 0..<count {
            directory.write("apps.d/a\(1_000_000 + number).conf", "")
        }
        let loaded = try load(directory)
        #expect(loaded.files.count == ConfigurationLimits.filesMax)
        #expect(
            loaded.problems
                == [[], ["one more file than the 10000 that are read"]][excess])
    }

    @Test(arguments: [0, 1]) func `warnings are kept up to their number, the rest is counted`(
        _ excess: Int
    ) throws {
        let count = ConfigurationLimits.warningsMax + excess
        let loaded = try loadText(String(repeating: "nonsense\n", count: count))
        #expect(loaded.warnings.count == ConfigurationLimits.warningsMax)
        #expect(loaded.warningsLeftOut == excess)
        #expect(loaded.warningLines.count == count)
        #expect(loaded.warningLines.last?.hasSuffix("and 1 more warnings") == (excess == 1))
    }

    @Test(arguments: [0, 1]) func `events are needed up to their number, one more is left out`(
        _ excess: Int
    ) throws {
        let count = ConfigurationLimits.eventNeedsMax + excess
        let text = (1...count).map { "[Event e\($0)]\nNeed=1\nNeed=2\n" }.joined()
        let directory = TemporaryDirectory()
        directory.write("ratingd.conf", text)
        directory.write("apps.d/a.conf", text)
        let loaded = try load(directory)
        let app = try #require(AppID("a"))
        for layer in [loaded.configuration.general, loaded.configuration.apps[app]] {
            #expect(layer?.needs.count == ConfigurationLimits.eventNeedsMax)
            #expect(layer?.needs.values.allSatisfy { $0.value == 2 } == true)
        }
        #expect(loaded.warnings.count == 4 * excess)
    }
}
