import RatingPolicy

/// What Flatpak writes into the root of every sandbox as `/.flatpak-info`: the app's name.
///
/// A key file. Its reader is strict, because a file that can be read in two ways names nobody.
enum FlatpakInfo {
    static let name = ".flatpak-info"
    /// Such files have one or two KiB; long lists of permissions are the longest part.
    static let bytesMax = 65_536

    /// The value of `name` in `[Application]`.
    ///
    /// Nil if that is not there exactly once, is no app id, or a line is none of a key file
    /// (blank, `# comment`, `[group]`, `key=value` in a group).
    static func app(in content: [UInt8]) -> AppID? {
        var group: ArraySlice<UInt8>?
        var names: [ArraySlice<UInt8>] = []
        for line in content.split(separator: UInt8(ascii: "\n")) {
            let line = trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
                group = line.dropFirst().dropLast()
                continue
            }
            guard let group, let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            if group.elementsEqual("Application".utf8),
                trimmed(line[..<equals]).elementsEqual("name".utf8)
            {
                names.append(trimmed(line[(equals + 1)...]))
            }
        }
        guard names.count == 1 else { return nil }
        return AppID(exactly: names[0])
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }
}

extension AppID {
    /// The id that these bytes are, nil if they are none; never repaired.
    init?(exactly bytes: some Sequence<UInt8>) {
        self.init(String(decoding: Array(bytes), as: UTF8.self))
    }
}
