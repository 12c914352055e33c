import CJSON

/// Reads JSON texts as strictly as SPEC 1 wants them; its memory is used again for each text.
///
/// RFC 8259 in UTF-8 without BOM, no lone surrogates, no member name twice in an object, nesting
/// at most 32, no integer outside ±(2^53−1), no number that overflows a double. What C hands over
/// stays inside this file.
@safe struct JSONParser: ~Copyable {
    static let depthMax = 32
    /// What is set aside for texts at first; a longer one makes it grow.
    static let capacity = 65_536
    /// The longest text, as the tape has no room for the places of more.
    static let bytesMax = Int(CJSON_TEXT_BYTES_MAX)

    private let parser: OpaquePointer?

    init(capacity: Int = Self.capacity) {
        unsafe parser = cjson_new(capacity, Self.depthMax)
    }

    deinit {
        unsafe cjson_free(parser)
    }

    /// Reads one text and hands over its value, which must not be kept.
    ///
    /// Corresponds to `cjson_read`.
    @inline(__always)
    mutating func read<R>(
        _ text: Span<UInt8>, _ body: (Result<JSONNode, JSONError>) -> R
    ) -> R {
        guard let parser = unsafe parser else { return body(.failure(.noMemory)) }
        return unsafe text.withUnsafeBufferPointer { bytes in
            var tape = unsafe cjson_tape()
            let status = unsafe cjson_read(parser, bytes.baseAddress, bytes.count, &tape)
            guard status == CJSON_OK else { return body(.failure(JSONError(status))) }
            return unsafe body(.success(JSONNode(tape: tape, index: 0)))
        }
    }
}

/// One value of a text that was read; valid only inside `JSONParser.read`.
@safe struct JSONNode {
    fileprivate let tape: cjson_tape
    /// Where the value is on the tape.
    let index: Int

    enum Kind: UInt8 {
        case object = 0x7B
        case array = 0x5B
        case string = 0x22
        case integer = 0x6C
        case double = 0x64
        case yes = 0x74
        case no = 0x66
        case null = 0x6E
    }

    @inline(__always)
    private var word: UInt64 { unsafe tape.words[index] }

    /// How many bytes, members or elements this has, if it has any.
    @inline(__always)
    private var wordCount: Int { Int(word >> 32 & 0xFF_FFFF) }

    /// The same as `kind ==`, and cheaper.
    @inline(__always)
    func isOf(_ kind: Kind) -> Bool {
        word >> 56 == UInt64(kind.rawValue)
    }

    var kind: Kind {
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: word >> 56)) else {
            preconditionFailure("a value on the tape has a type")
        }
        return kind
    }

    /// Nil if this is no integer; `1.0` and `1e2` are none.
    var integer: Int64? {
        isOf(.integer) ? unsafe Int64(bitPattern: tape.words[index + 1]) : nil
    }

    var double: Double? {
        isOf(.double) ? unsafe Double(bitPattern: tape.words[index + 1]) : nil
    }

    var flag: Bool? {
        isOf(.yes) ? true : isOf(.no) ? false : nil
    }

    /// The text of a string or a member name.
    var string: String? {
        guard isOf(.string) else { return nil }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// The number of bytes of a string or a member name.
    @inline(__always)
    var byteCount: Int { unsafe bytes.count }

    /// True if this string or member name has exactly these bytes.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool {
        let bytes = unsafe bytes
        return unsafe cjson_is(
            bytes.baseAddress, bytes.count, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// The bytes of a string, of which the tape says where they are.
    @inline(__always)
    private var bytes: UnsafeBufferPointer<UInt8> {
        precondition(isOf(.string), "only a string has bytes")
        let start = unsafe tape.strings + Int(UInt32(truncatingIfNeeded: word))
        return unsafe UnsafeBufferPointer(start: start, count: wordCount)
    }

    /// The value at another index of the same text.
    @inline(__always)
    func at(_ index: Int) -> JSONNode {
        unsafe JSONNode(tape: tape, index: index)
    }

    /// The index after this value.
    @inline(__always)
    private var end: Int {
        if isOf(.object) || isOf(.array) { return Int(UInt32(truncatingIfNeeded: word)) }
        return index + (isOf(.integer) || isOf(.double) ? 2 : 1)
    }

    /// The number of members or elements.
    var count: Int {
        precondition(isOf(.object) || isOf(.array), "only an object or array has a count")
        return wordCount
    }

    /// Names and values of an object, in the order of the text.
    @inline(__always)
    var members: Members {
        precondition(isOf(.object), "only an object has members")
        return Members(upcoming: unsafe JSONNode(tape: tape, index: index + 1), end: end)
    }

    /// Values of an array.
    var elements: Elements {
        precondition(isOf(.array), "only an array has elements")
        return Elements(upcoming: unsafe JSONNode(tape: tape, index: index + 1), end: end)
    }

    struct Members: Sequence, IteratorProtocol {
        fileprivate var upcoming: JSONNode
        fileprivate let end: Int

        @inline(__always)
        mutating func next() -> (name: JSONNode, value: JSONNode)? {
            guard upcoming.index < end else { return nil }
            let name = upcoming
            let value = unsafe JSONNode(tape: name.tape, index: name.index + 1)
            upcoming = unsafe JSONNode(tape: name.tape, index: value.end)
            return (name, value)
        }
    }

    struct Elements: Sequence, IteratorProtocol {
        fileprivate var upcoming: JSONNode
        fileprivate let end: Int

        mutating func next() -> JSONNode? {
            guard upcoming.index < end else { return nil }
            let value = upcoming
            upcoming = unsafe JSONNode(tape: value.tape, index: value.end)
            return value
        }
    }
}

/// Why a text was not accepted.
enum JSONError: Error {
    case noMemory
    case empty
    case syntax
    case string
    case notUTF8
    case byteOrderMark
    case tooDeep
    case number
    case duplicateName

    fileprivate init(_ status: cjson_status) {
        self =
            switch status {
            case CJSON_NO_MEMORY: .noMemory
            case CJSON_EMPTY: .empty
            case CJSON_STRING: .string
            case CJSON_NOT_UTF8: .notUTF8
            case CJSON_BOM: .byteOrderMark
            case CJSON_TOO_DEEP: .tooDeep
            case CJSON_NUMBER: .number
            case CJSON_DUPLICATE_NAME: .duplicateName
            default: .syntax
            }
    }
}

extension Span<UInt8> {
    /// The index of the first such byte at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let found = unsafe extracting(start...).withUnsafeBufferPointer { bytes in
            unsafe cjson_find(bytes.baseAddress, bytes.count, byte)
        }
        return start + found < count ? start + found : nil
    }

    /// True if the bytes are the same.
    @inline(__always)
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { other in
                unsafe cjson_same(own.baseAddress, other.baseAddress, own.count)
            }
        }
    }

    /// Eight bytes from here on, as one number.
    @inline(__always)
    func word(at start: Int) -> UInt64 {
        unsafe extracting(start..<start + 8).withUnsafeBufferPointer {
            unsafe cjson_load($0.baseAddress)
        }
    }
}

extension [UInt8] {
    init(copying bytes: Span<UInt8>) {
        self = []
        append(copying: bytes)
    }

    /// Appends a copy of the bytes.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends text that needs no escapes, such as the fixed parts of a message.
    mutating func append(raw text: StaticString) {
        unsafe append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// A few fixed parts and numbers, appended in one piece: see `append(addingCapacity:)`.
extension OutputSpan<UInt8> {
    @inline(__always)
    mutating func append(raw text: StaticString) {
        let count = text.utf8CodeUnitCount
        precondition(count <= freeCapacity, "there is room for what is appended")
        unsafe withUnsafeMutableBufferPointer { bytes, used in
            unsafe cjson_copy(bytes.baseAddress.unsafelyUnwrapped + used, text.utf8Start, count)
            used += count
        }
    }

    /// The most bytes that an integer takes.
    static var decimalBytesMax: Int { 21 }

    /// An integer in decimal digits.
    mutating func append(decimal number: Int64) {
        append(raw: "", decimal: number)
    }

    /// Fixed text and an integer behind it.
    @inline(__always)
    mutating func append(raw text: StaticString, decimal number: Int64) {
        let count = text.utf8CodeUnitCount
        precondition(
            freeCapacity >= count + Self.decimalBytesMax, "there is room for what is appended")
        unsafe withUnsafeMutableBufferPointer { bytes, used in
            let place = unsafe bytes.baseAddress.unsafelyUnwrapped + used
            unsafe cjson_copy(place, text.utf8Start, count)
            used += unsafe count + cjson_put_decimal(place + count, number)
        }
    }
}
