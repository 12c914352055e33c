import RatingPolicy
import Testing

@testable import RatingWire

/// Reads one line as the daemon does.
func parsed(_ line: String) -> Incoming {
    var parser = MessageParser()
    let bytes = Array(line.utf8)
    return parser.parse(bytes.span).asIfRead
}

extension Incoming {
    /// The same as if the parser had met no line like it.
    var asIfRead: Incoming {
        if case .known(let call) = self { .single(call.element) } else { self }
    }
}

/// The call of a line that must be a valid one.
func call(_ line: String) throws -> Call {
    guard case .single(.call(_, .success(let call))) = parsed(line) else {
        throw Unexpected(description: "no call: \(parsed(line))")
    }
    return call
}

/// The call of a method with these `params`.
func call(_ method: String, _ params: String) throws -> Call {
    try call(#"{"id":1,"method":"\#(method)","params":\#(params)}"#)
}

/// Why a line fails, with the id it is answered with; nil if it does not.
func failure(_ line: String) -> (id: RequestID?, failure: Failure)? {
    switch parsed(line) {
    case .failure(let failure): (.null, failure)
    case .single(.invalid(let id, let failure)): (id, failure)
    case .single(.call(let id, .failure(let failure))): (id, failure)
    case .single(.call(_, .success)), .single(.response), .known, .batch: nil
    }
}

/// What a writer appended, as text.
func written(_ append: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    append(&bytes)
    return String(decoding: bytes, as: UTF8.self)
}

struct Unexpected: Error, CustomStringConvertible {
    var description: String
}

extension Failure {
    func extra(_ name: String) -> JSONValue? {
        extras.first { $0.name == name }?.value
    }
}

let notes = AppID("org.example.Notes")!
let token = Token("Jm3abcdefghijklmnopqrs")!
let time = WallTime(milliseconds: 1_796_015_342_123)
