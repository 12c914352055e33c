extension JSONError {
    /// One sentence: what was wrong and what is allowed.
    var message: String {
        switch self {
        case .noMemory: "there is no memory to read the text"
        case .empty: "the line holds only white space; it must hold one JSON text"
        case .syntax: "the line is not one JSON text (RFC 8259)"
        case .string:
            "a string has no end, a raw control character, an unknown escape or a lone surrogate"
        case .notUTF8: "the line is not UTF-8"
        case .byteOrderMark: "the line starts with a byte order mark; JSON has none"
        case .tooDeep: "the text is nested deeper than \(JSONParser.depthMax) levels"
        case .number:
            "a number is malformed or out of range; integers go from -(2^53-1) to 2^53-1"
        case .duplicateName: "an object has two members of the same name"
        }
    }
}
