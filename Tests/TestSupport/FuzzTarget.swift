import CFuzzer
import Glibc
import Posix

/// Something that has to hold for any bytes: a test looks at those of the corpus, and libFuzzer,
/// where tests are built with it, for others.
///
/// `Tests/fuzz/run` is how it is looked for; `Tests/fuzz/corpus/NAME` has one file for each input,
/// those that were once dealt with wrongly among them.
package struct FuzzTarget {
    package let name: String
    /// What is wrong with how the bytes were dealt with; nil if nothing is.
    private let objection: ([UInt8]) -> String?

    package init(_ name: String, objection: @escaping ([UInt8]) -> String?) {
        self.name = name
        self.objection = objection
    }

    private static let corpus =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/fuzz/corpus/"

    /// What is wrong with the inputs of the corpus, `FILE: …` each.
    ///
    /// If `RATINGD_FUZZ` is the name of this target, libFuzzer takes over and ends the process; if
    /// it is another's, nothing is done.
    package func objections() throws -> [String] {
        if let wanted = Self.variable("RATINGD_FUZZ") {
            return wanted == name ? search() : []
        }
        let directory = Self.corpus + name
        let files = try Files.directoryEntries(directory)
        guard !files.isEmpty else { return ["\(directory) is empty"] }
        return try files.compactMap { file in
            let bytes = try Files.readFile(directory + "/" + file, maxBytes: 1 << 20)
            return objection(bytes).map { "\(file): \($0)" }
        }
    }

    /// Has libFuzzer search, with the arguments in `RATINGD_FUZZ_ARGUMENTS`.
    private func search() -> [String] {
        let words = (Self.variable("RATINGD_FUZZ_ARGUMENTS") ?? "").split(separator: " ")
        var arguments = unsafe ([name] + words.map(String.init)).map { unsafe strdup($0) } + [nil]
        let count = unsafe CInt(arguments.count - 1)
        let box = unsafe Unmanaged.passRetained(Box(objection)).toOpaque()
        _ = unsafe cfuzzer_run(count, &arguments, Self.take, box)
        return ["these tests were built without libFuzzer: use Tests/fuzz/run"]
    }

    private final class Box {
        let objection: ([UInt8]) -> String?

        init(_ objection: @escaping ([UInt8]) -> String?) {
            self.objection = objection
        }
    }

    /// Anything wrong is to be a crash.
    private static let take: cfuzzer_body = { context, bytes, count in
        guard let context = unsafe context else { return }
        let box = unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue()
        let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        if let text = box.objection(input) { fatalError(text) }
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
