/// The name of an app, such as `org.gnome.Maps`.
package struct AppID: Hashable, Comparable, Sendable {
    package let string: String
    /// The hash of the text, worked out once: each turn looks up the apps that it changes.
    private let digest: Int

    package static let bytesMax = 255
    /// What a valid id looks like, for error messages.
    package static let grammar =
        "1 to 255 bytes of A-Z a-z 0-9 . _ -, starting with a letter or _, no '..', no '.' at the end"

    /// Nil if the text is no app id (SPEC, "Words").
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.bytesMax).contains(bytes.count),
            let first = bytes.first, Self.isLetter(first) || first == UInt8(ascii: "_"),
            bytes.last != UInt8(ascii: ".")
        else { return nil }
        var previous = first
        for byte in bytes {
            guard Self.isAllowed(byte) else { return nil }
            if byte == UInt8(ascii: "."), previous == byte { return nil }
            previous = byte
        }
        string = text
        digest = text.hashValue
    }

    package static func == (left: AppID, right: AppID) -> Bool {
        left.digest == right.digest && left.string == right.string
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }

    package static func < (left: AppID, right: AppID) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: isLetter(byte)
        }
    }
}

/// The name of a kind of significant event.
package struct EventName: Hashable, Comparable, Sendable {
    package let text: ExactText
    // The first eight bytes and the next eight as numbers that sort as they do, worked out once:
    // each event has its name looked up, and most are no longer.
    private let head: UInt64
    private let next: UInt64

    package static let bytesMax = 64
    package static let grammar = "1 to 64 bytes without control characters, '[' and ']'"
    /// The name of an event that was reported without one.
    package static let significant = EventName(unchecked: "significant")

    package init?(_ string: String) {
        guard (1...Self.bytesMax).contains(string.utf8.count) else { return nil }
        // Control characters are U+0000 to U+001F, and U+007F to U+009F; by bytes, since this is
        // done for each event.
        var previous: UInt8 = 0
        let bytes = string.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): previous = byte
            case 0x00..<0x20, 0x7F, UInt8(ascii: "["), UInt8(ascii: "]"): return nil
            case 0x80...0x9F where previous == 0xC2: return nil
            default: previous = byte
            }
        }
        self.init(unchecked: string)
    }

    private init(unchecked string: String) {
        text = ExactText(string)
        head = Self.word(string.utf8.prefix(8))
        next = Self.word(string.utf8.dropFirst(8).prefix(8))
    }

    private static func word(_ bytes: Substring.UTF8View) -> UInt64 {
        var word: UInt64 = 0
        for byte in bytes { word = word << 8 | UInt64(byte) }
        return word << UInt64(64 - 8 * bytes.count)
    }

    private var isLong: Bool { string.utf8.count > 16 }

    package var string: String { text.string }

    package static func == (left: EventName, right: EventName) -> Bool {
        left.head == right.head && left.next == right.next
            && left.string.utf8.count == right.string.utf8.count
            && (!left.isLong || left.text == right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(head)
        hasher.combine(next)
        if isLong { hasher.combine(text) }
    }

    package static func < (left: EventName, right: EventName) -> Bool {
        if left.head != right.head { return left.head < right.head }
        if left.next != right.next { return left.next < right.next }
        return (left.isLong || right.isLong) && left.text < right.text
    }
}

/// The version of an app; opaque, only equality matters.
package struct Version: Hashable, Sendable {
    package let text: ExactText

    package static let bytesMax = 64
    package static let grammar = "1 to 64 bytes"

    package init?(_ string: String) {
        guard (1...Self.bytesMax).contains(string.utf8.count) else { return nil }
        text = ExactText(string)
    }

    package var string: String { text.string }
}

/// The name of one request, and of the grant it may become; 22 characters of base64url.
package struct Token: Hashable, Sendable {
    package let string: String

    /// The longest text that is looked up as a token.
    package static let bytesMax = 64
    package static let randomBytes = 16

    /// Nil if the text cannot be a token of ours.
    package init?(_ text: String) {
        guard (1...Self.bytesMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ Self.alphabet.contains($0) })
        else { return nil }
        string = text
    }

    /// A token of 16 bytes from a secure source of randomness.
    package init(random bytes: [UInt8]) {
        precondition(bytes.count == Self.randomBytes, "a token is made of 16 random bytes")
        var characters: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                characters.append(Self.alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        characters.append(Self.alphabet[Int(buffer << UInt32(6 - bits) & 63)])
        if characters[0] == UInt8(ascii: "-") {
            // As an argument of a command it would be taken for an option.
            characters[0] = UInt8(ascii: "A")
        }
        string = String(decoding: characters, as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}

/// The user an app runs as.
package typealias UserID = UInt32

/// What everything is kept per: one app of one user.
package struct AppKey: Hashable, Sendable {
    package var user: UserID
    package var app: AppID

    package init(user: UserID, app: AppID) {
        self.user = user
        self.app = app
    }
}
