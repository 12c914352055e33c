/// Short lines that were met lately and said something sensible: an app sends the same few again
/// and again, with other ids, and what they ask for need not be read twice.
///
/// A line is known if all its bytes are those of one that was read, but for the digits of its id.
struct KnownLines {
    /// The longest line that is remembered.
    static let lineBytesMax = 256
    private static let places = 64
    private static let idName = Array(#""id":"#.utf8)

    private var lines = [KnownLine?](repeating: nil, count: places)

    /// What a line says, if it is known.
    @inline(__always)
    func call(in line: Span<UInt8>) -> KnownCall? {
        guard let place = Self.place(of: line), let known = lines[place],
            let id = Self.id(in: line, like: known.bytes, known.id)
        else { return nil }
        return KnownCall(id: id, line: known)
    }

    /// The id of a line that is like a known one, in which it is at this place: nil in a
    /// notification; `.none` if the line is another.
    @inline(__always)
    private static func id(
        in line: Span<UInt8>, like known: [UInt8], _ place: Range<Int>?
    ) -> Int64?? {
        let bytes = known.span
        guard let place else { return line.isSame(as: bytes) ? .some(nil) : .none }
        guard place.lowerBound < line.count,
            line.extracting(..<place.lowerBound)
                .isSame(as: bytes.extracting(..<place.lowerBound)),
            let (number, end) = line.digits(from: place.lowerBound),
            line.extracting(end...).isSame(as: bytes.extracting(place.upperBound...))
        else { return .none }
        return number
    }

    /// Remembers what a line was found to say.
    mutating func remember(_ line: Span<UInt8>, as element: Incoming.Element) {
        guard line.count <= Self.lineBytesMax, let place = Self.place(of: line),
            case .call(let id, let request) = element, case .success(let call) = request
        else { return }
        // What a policy says has names of the client's own, among them `id`.
        if case .hello = call { return }
        switch id {
        case nil:
            lines[place] = KnownLine(Array(copying: line), id: nil, request)
        case .integer(let number):
            // In a good request these bytes are nowhere else: a string would have escaped the
            // quotes, and no other parameter has such a name.
            guard let name = line.end(of: Self.idName.span),
                case let start = line.hasSpace(at: name) ? name + 1 : name,
                let (digits, end) = line.digits(from: start), digits == number
            else { return }
            lines[place] = KnownLine(Array(copying: line), id: start..<end, request)
        case .null, .string: return
        }
    }

    /// By the last bytes, among which an id is seldom; nil for a line that has fewer.
    @inline(__always)
    private static func place(of line: Span<UInt8>) -> Int? {
        guard line.count >= 16 else { return nil }
        let mixed =
            (line.word(at: line.count - 16) &* 31 ^ line.word(at: line.count - 8))
            &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 58)
    }
}

extension Span<UInt8> {
    /// The whole number whose digits begin here, and where they end; nil if there is none, or none
    /// that is written in 1 to 15 digits as everybody would.
    @inline(__always)
    fileprivate func digits(from start: Int) -> (number: Int64, end: Int)? {
        var number: Int64 = 0
        var end = start
        while end < count, case let digit = self[end] &- UInt8(ascii: "0"), digit < 10 {
            guard end - start < 15, end == start || number > 0 else { return nil }
            number = number &* 10 &+ Int64(digit)
            end += 1
        }
        return end > start ? (number, end) : nil
    }

    fileprivate func hasSpace(at place: Int) -> Bool {
        place < count && self[place] == UInt8(ascii: " ")
    }

    /// Where these bytes end, the first time that they occur.
    fileprivate func end(of bytes: Span<UInt8>) -> Int? {
        var start = 0
        while start + bytes.count <= count {
            let end = start + bytes.count
            if extracting(start..<end).isSame(as: bytes) { return end }
            start += 1
        }
        return nil
    }
}
