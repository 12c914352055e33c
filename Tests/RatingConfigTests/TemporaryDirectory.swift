import Foundation

/// A directory of its own for a test; gone with everything in it when the test is over.
final class TemporaryDirectory {
    let path = "/tmp/ratingd-config-" + UUID().uuidString

    init() {
        makeFolder(path)
    }

    deinit {
        // What cannot be removed goes with the machine's other temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file below the directory, making the folders on the way.
    @discardableResult
    func write(_ name: String, _ text: String) -> String {
        write(name, bytes: Array(text.utf8))
    }

    @discardableResult
    func write(_ name: String, bytes: [UInt8]) -> String {
        let path = pathMakingParents(of: name)
        let isWritten = FileManager.default.createFile(atPath: path, contents: Data(bytes))
        precondition(isWritten, "the test can write \(path)")
        return path
    }

    /// Makes a symbolic link below the directory.
    @discardableResult
    func link(_ name: String, to target: String) -> String {
        let path = pathMakingParents(of: name)
        do {
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: target)
        } catch {
            preconditionFailure("the test can link \(path): \(error)")
        }
        return path
    }

    /// Makes a folder below the directory.
    @discardableResult
    func makeDirectory(_ name: String) -> String {
        let path = pathMakingParents(of: name)
        makeFolder(path)
        return path
    }

    private func pathMakingParents(of name: String) -> String {
        let path = self.path + "/" + name
        makeFolder((path as NSString).deletingLastPathComponent)
        return path
    }

    private func makeFolder(_ path: String) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("the test can make \(path): \(error)")
        }
    }
}
