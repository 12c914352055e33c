/// What activity does to a pending request.
package enum OnActivity: String, Hashable, Sendable {
    case cancel
    case restart
}

/// Where a user can write a review by hand; a template with %a, %v and %%.
package struct ReviewURL: Hashable, Sendable {
    package let template: String

    package static let bytesMax = 2_048
    package static let grammar =
        "an https:, appstream: or snap: URL of at most 2048 bytes; %a is the app, %v its version"
    package static let standard = ReviewURL(unchecked: "appstream://%a")

    /// Nil if the scheme is not one of the three, or a character cannot stand in a URL.
    package init?(_ text: String) {
        let schemes = ["https://", "appstream://", "snap://"]
        guard text.utf8.count <= Self.bytesMax,
            schemes.contains(where: { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }),
            Self.placeholdersAreKnown(text)
        else { return nil }
        template = text
    }

    private init(unchecked text: String) {
        template = text
    }

    /// The URL for one app; what a URL may not hold literally is percent-encoded.
    package func filled(app: AppID, version: Version?) -> String {
        var result = ""
        var isPlaceholder = false
        for character in template.unicodeScalars {
            if isPlaceholder {
                switch character {
                case "a": result += app.string
                case "v": result += Self.percentEncoded(version?.string ?? "")
                default: result.unicodeScalars.append(character)
                }
                isPlaceholder = false
            } else if character == "%" {
                isPlaceholder = true
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return result
    }

    private static func placeholdersAreKnown(_ text: String) -> Bool {
        var isPlaceholder = false
        for byte in text.utf8 {
            if isPlaceholder {
                let known: [UInt8] = [UInt8(ascii: "a"), UInt8(ascii: "v"), UInt8(ascii: "%")]
                guard known.contains(byte) else { return false }
                isPlaceholder = false
            } else {
                isPlaceholder = byte == UInt8(ascii: "%")
            }
        }
        return !isPlaceholder
    }

    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%"
                result.unicodeScalars.append(digits[Int(byte >> 4)])
                result.unicodeScalars.append(digits[Int(byte & 15)])
            }
        }
        return result
    }
}

/// The value of one policy key.
package enum PolicyValue: Hashable, Sendable {
    case flag(Bool)
    case integer(Int64)
    case onActivity(OnActivity)
    case reviewURL(ReviewURL)

    /// The value as a file holds it; `PolicyKey.value(from:)` reads it back.
    package var text: String {
        switch self {
        case .flag(let flag): flag ? "yes" : "no"
        case .integer(let number): String(number)
        case .onActivity(let reaction): reaction.rawValue
        case .reviewURL(let url): url.template
        }
    }
}
