import Testing

@testable import RatingConfig

struct VerifyTests {
    private let directory = TemporaryDirectory()

    @Test func `a file of which everything is used has no warnings`() throws {
        let path = directory.write("x.conf", "[Daemon]\nSyncSec=1\n[Policy]\nDebounceMs=0\n")
        #expect(try ConfigurationLoader.verify(path) == [])
    }

    @Test func `each line that is not used is told with its place`() throws {
        let path = directory.write("x.conf", "[Policy]\nNope=1\nDebounceMs=600001\n")
        let lines = try ConfigurationLoader.verify(path)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("\(path):2: "))
        #expect(lines[1].hasPrefix("\(path):3: "))
    }

    @Test(arguments: ["apps.d/org.example.Notes.conf", "apps.d/./org.example.Notes.conf"])
    func `the own file of an app may say less`(name: String) throws {
        let path = directory.write(name, "[Daemon]\nSyncSec=1\n")
        #expect(try ConfigurationLoader.verify(path).count == 1)
    }

    @Test(arguments: ["apps.d/9.conf", "apps.d/org.example.Notes"])
    func `a name that no app has is told`(name: String) throws {
        let lines = try ConfigurationLoader.verify(directory.write(name, ""))
        #expect(lines.count == 1)
    }

    @Test func `what cannot be read is an error`() {
        #expect(throws: ConfigurationError.notAFile(directory.path)) {
            try ConfigurationLoader.verify(directory.path)
        }
        #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.verify(directory.path + "/nothing")
        }
    }
}
