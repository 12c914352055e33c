import Glibc

/// A fresh directory for one test, gone with everything in it when the test ends.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/ratingd-test-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer {
            unsafe mkdtemp($0.baseAddress!) != nil
        }
        precondition(isMade, "/tmp takes a directory")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of a name in it.
    package func file(_ name: String) -> String {
        path + "/" + name
    }

    deinit {
        _ = try? Child.run("/bin/rm", ["-rf", "--", path])
    }
}
