/// Text of unknown origin as one safe line for logs and terminals, at most `maxBytes` long.
///
/// Control characters and bytes that are not UTF-8 become `\xNN`; bidirectional and other format
/// controls, line and paragraph separators, private and unassigned characters become `\u{...}`.
/// What does not fit is cut and ends in `…`. Escaping what is escaped already changes nothing, so
/// backslashes stay as they are. `maxBytes` is at least 3.
package func escapedForLog(_ text: String, maxBytes: Int) -> String {
    escapedForLog(text.utf8, maxBytes: maxBytes)
}

/// The same of bytes that may not be UTF-8.
package func escapedForLog(_ bytes: some Sequence<UInt8>, maxBytes: Int) -> String {
    precondition(maxBytes >= ellipsis.utf8.count, "there must be room for the mark of a cut")
    var line = BoundedLine(bytesMax: maxBytes)
    var iterator = RecordingIterator(base: bytes.makeIterator(), recent: [])
    var parser = Unicode.UTF8.ForwardParser()
    while !line.isCut {
        switch parser.parseScalar(from: &iterator) {
        case .valid(let encoded):
            iterator.recent.removeFirst(encoded.count)
            line.append(piece(of: Unicode.UTF8.decode(encoded)))
        case .error(let length):
            for byte in iterator.recent.prefix(length) {
                line.append("\\x" + hexadecimal(UInt32(byte), digits: 2))
            }
            iterator.recent.removeFirst(length)
        case .emptyInput:
            return line.text
        }
    }
    return line.text
}

private let ellipsis = "…"

/// A scalar as it is written: itself, or its escape.
private func piece(of scalar: Unicode.Scalar) -> String {
    if scalar.isASCII {
        guard scalar.value < 0x20 || scalar.value == 0x7F else { return String(scalar) }
        return "\\x" + hexadecimal(scalar.value, digits: 2)
    }
    guard isHarmless(scalar) else { return "\\u{" + hexadecimal(scalar.value, digits: 1) + "}" }
    return String(scalar)
}

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
        .unassigned:
        return false
    default:
        return true
    }
}

private func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// Text that grows to a limit and is cut between two pieces there.
private struct BoundedLine {
    let bytesMax: Int
    private(set) var text = ""
    private(set) var isCut = false
    /// What of the text stays if the next piece is one too many.
    private var kept = "".startIndex

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    mutating func append(_ piece: String) {
        guard !isCut else { return }
        if text.utf8.count + ellipsis.utf8.count <= bytesMax { kept = text.endIndex }
        if text.utf8.count + piece.utf8.count <= bytesMax {
            text += piece
        } else {
            text = String(text.utf8.prefix(upTo: kept)) ?? ""
            text += ellipsis
            isCut = true
        }
    }
}

/// Keeps what the parser has read and not yet given back, for the bytes of an error.
private struct RecordingIterator<Base: IteratorProtocol<UInt8>>: IteratorProtocol {
    var base: Base
    var recent: [UInt8]

    mutating func next() -> UInt8? {
        guard let byte = base.next() else { return nil }
        recent.append(byte)
        return byte
    }
}
