import Glibc
import Posix
import TestSupport
import Testing

struct DirectoryWatchTests {
    private let directory = TemporaryDirectory()

    private func changes(_ watch: borrowing DirectoryWatch) -> [DirectoryWatch.Change] {
        var changes: [DirectoryWatch.Change] = []
        watch.drain { changes.append($0) }
        return changes
    }

    @Test func `names that appear and go are told in order`() throws {
        let watch = try DirectoryWatch()
        let number = try watch.watch(directory.path)
        #expect(try !SocketIO.wait(watch.raw, timeoutMilliseconds: 0))
        try Files.makeDirectories(directory.file("org.example.é"))
        try Files.rename(directory.file("org.example.é"), to: directory.file("b"))
        unsafe rmdir(directory.file("b"))
        #expect(try SocketIO.wait(watch.raw, timeoutMilliseconds: 0))
        #expect(
            changes(watch) == [
                .appeared("org.example.é", watch: number),
                .disappeared("org.example.é", watch: number), .appeared("b", watch: number),
                .disappeared("b", watch: number),
            ])
        #expect(changes(watch) == [])
    }

    @Test func `two directories are told apart, and one that goes says so`() throws {
        let watch = try DirectoryWatch()
        let (one, other) = (directory.file("one"), directory.file("other"))
        try Files.makeDirectories(one)
        try Files.makeDirectories(other)
        let numbers = [try watch.watch(one), try watch.watch(other)]
        #expect(try watch.watch(one) == numbers[0])
        try Files.makeDirectories(other + "/x")
        unsafe rmdir(one)
        #expect(
            changes(watch) == [
                .appeared("x", watch: numbers[1]), .directoryGone(watch: numbers[0]),
            ])
        watch.unwatch(numbers[0])
        watch.unwatch(numbers[1])
        unsafe rmdir(other + "/x")
        #expect(changes(watch) == [])
    }

    @Test func `many changes come over several drains and none is lost`() throws {
        let watch = try DirectoryWatch()
        _ = try watch.watch(directory.path)
        for number in 0..<1500 {
            try Files.makeDirectories(directory.file("\(number)"))
        }
        var seen = 0
        while try SocketIO.wait(watch.raw, timeoutMilliseconds: 0) { seen += changes(watch).count }
        #expect(seen == 1500)
    }

    @Test func `what is no directory cannot be watched`() throws {
        let watch = try DirectoryWatch()
        for (path, code) in [(directory.file("none"), ENOENT), ("/dev/null", ENOTDIR)] {
            let expected = PosixError(operation: "inotify_add_watch", subject: path, code: code)
            #expect(throws: expected) { _ = try watch.watch(path) }
        }
    }
}
