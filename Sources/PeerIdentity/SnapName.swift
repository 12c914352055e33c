package import RatingPolicy

/// The name of an installed Snap: `firefox`, or `firefox_key` where it is installed several times.
package struct SnapName: Hashable, Sendable {
    package let string: String

    /// Nil if the text is no such name: 1 to 40 of a-z, 0-9 and single dashes within, a letter
    /// among them, then perhaps `_` and a key of 1 to 10 of a-z and 0-9.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count <= 2, (1...40).contains(parts[0].count) else { return nil }
        guard parts[0].contains(where: Self.isLetter) else { return nil }
        for word in parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false) {
            guard !word.isEmpty, word.allSatisfy(Self.isLetterOrDigit) else { return nil }
        }
        if parts.count == 2 {
            guard (1...10).contains(parts[1].count), parts[1].allSatisfy(Self.isLetterOrDigit)
            else { return nil }
        }
        string = text
    }

    /// The app that a Snap is: its name, with `_` before one that begins with a digit (no id
    /// does, and no name begins with `_`).
    ///
    /// It is what `snap://%a` needs. Names have no dot, so none is taken for a Flatpak's.
    package var app: AppID {
        let isDigit = string.utf8.first.map(Self.isLetter) == false
        guard let app = AppID(isDigit ? "_" + string : string) else {
            preconditionFailure("a name of a Snap is the id of an app")
        }
        return app
    }

    /// The Snap that a control group is of: `snap.NAME` and `snap.NAME.…`, also
    /// `snap.NAME+COMPONENT.…`; not a slice, which is a group of several (snapd's quotas).
    ///
    /// Nil if it is of none; `.failure` if it begins like one and has no name of one.
    static func named(by group: String) -> Result<SnapName, Malformed>? {
        guard group.utf8.starts(with: "snap.".utf8), !group.hasSuffix(".slice") else { return nil }
        guard let group = UnitName.unescaped(group.utf8.dropFirst(5)) else {
            return .failure(Malformed())
        }
        let end = { (byte: UInt8) in byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+") }
        let name = SnapName(String(decoding: group.prefix { !end($0) }, as: UTF8.self))
        return name.map(Result.success) ?? .failure(Malformed())
    }

    struct Malformed: Error, Equatable {}

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
