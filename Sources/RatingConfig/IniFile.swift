internal import CInih

/// The content of an INI file, line by line, checked for form only.
struct IniFile {
    /// What one line says.
    enum Entry: Equatable {
        /// `[NAME]`; nil if the name has no end.
        case section(String?)
        /// `KEY=VALUE`, without the spaces around both.
        case assignment(key: String, value: String)
        /// A line that cannot be used, and why.
        case fault(String)
    }

    struct Line: Equatable {
        /// Counted from 1.
        let number: Int
        let entry: Entry
    }

    /// The lines that say something; empty ones and comments are left out.
    let lines: [Line]

    /// Reads the bytes of a file; every content can be read, in the worst case as faults.
    ///
    /// The lines are cut here and inih splits them into key and value: Debian's build would cut a
    /// section's name after 49 bytes, gives no line numbers, and takes the rest of a line that is
    /// too long for a line of its own. See ini_parse_stream in ini.h.
    init(_ bytes: [UInt8]) {
        Self.configureOnce
        let feed = Feed(bytes)
        withExtendedLifetime(feed) {
            let pointer = unsafe Unmanaged.passUnretained(feed).toOpaque()
            // The result is the first line without "=", which the feed never hands on.
            _ = unsafe ini_parse_stream(nextLine, pointer, takeAssignment, pointer)
        }
        lines = feed.lines
    }

    private static let configureOnce: Void = cinih_configure(
        CInt(ConfigurationLimits.lineBytesMax))
}

/// inih asks for a line: copies the next one and a NUL into its buffer, nil at the end.
private func nextLine(
    buffer: UnsafeMutablePointer<CChar>?, size: CInt, stream: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CChar>? {
    guard let buffer = unsafe buffer, let stream = unsafe stream else { return nil }
    let feed = unsafe Unmanaged<Feed>.fromOpaque(stream).takeUnretainedValue()
    guard let line = feed.nextAssignment() else { return nil }
    precondition(line.count < Int(size), "the feed hands on no line longer than the limit")
    for (index, byte) in line.enumerated() {
        unsafe buffer[index] = CChar(bitPattern: byte)
    }
    unsafe buffer[line.count] = 0
    return unsafe buffer
}

/// inih found a key and its value in the line it was handed last.
private func takeAssignment(
    user: UnsafeMutableRawPointer?, section: UnsafePointer<CChar>?, name: UnsafePointer<CChar>?,
    value: UnsafePointer<CChar>?
) -> CInt {
    guard let user = unsafe user, let name = unsafe name, let value = unsafe value else {
        return 0
    }
    let feed = unsafe Unmanaged<Feed>.fromOpaque(user).takeUnretainedValue()
    unsafe feed.take(.assignment(key: String(cString: name), value: String(cString: value)))
    return 1
}

/// The lines of one file on their way through inih.
private final class Feed {
    private(set) var lines: [IniFile.Line] = []
    private var rest: ArraySlice<UInt8>
    private var number = 0

    init(_ bytes: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        rest = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    }

    func take(_ entry: IniFile.Entry) {
        lines.append(IniFile.Line(number: number, entry: entry))
    }

    /// The next line that inih is to split; those before it are dealt with here.
    func nextAssignment() -> ArraySlice<UInt8>? {
        while let line = nextTrimmed() {
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";")
            else { continue }
            if let fault = Self.fault(of: line) {
                take(.fault(fault))
            } else if first == UInt8(ascii: "[") {
                take(.section(Self.sectionName(line)))
            } else if line.contains(UInt8(ascii: "=")) {
                return line
            } else {
                take(.fault("no '=' in \(excerpt(String(decoding: line, as: UTF8.self)))"))
            }
        }
        return nil
    }

    private func nextTrimmed() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        var line = rest[..<(end ?? rest.endIndex)]
        rest = end.map { rest[($0 + 1)...] } ?? []
        number += 1
        line = line.drop(while: Self.isSpace)
        while let last = line.last, Self.isSpace(last) { line.removeLast() }
        return line
    }

    private static func fault(of line: ArraySlice<UInt8>) -> String? {
        let bytesMax = ConfigurationLimits.lineBytesMax
        if line.count > bytesMax { return "a line of more than \(bytesMax) bytes" }
        if line.contains(0) { return "a line with a NUL byte" }
        if String(validating: line, as: UTF8.self) == nil { return "a line that is not UTF-8" }
        return nil
    }

    private static func sectionName(_ line: ArraySlice<UInt8>) -> String? {
        guard line.last == UInt8(ascii: "]") else { return nil }
        return String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
    }

    /// The space of C's isspace: space, tab, LF, VT, FF, CR.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
