import RatingPolicy

/// Turns lines of clients into what they ask for (SPEC 1 and 2).
///
/// One serves all connections of a thread: nothing of a line is kept but the parser's memory and
/// lines met lately.
package struct MessageParser: ~Copyable {
    package static let batchMax = Limits.batchMax

    private var parser = JSONParser()
    private var known = KnownLines()

    package init() {}

    package mutating func parse(_ line: Span<UInt8>) -> Incoming {
        if let call = known.call(in: line) { return .known(call) }
        let incoming: Incoming = parser.read(line) { result in
            switch result {
            case .success(let root): Self.incoming(root)
            case .failure(.noMemory): .failure(.internalError(JSONError.noMemory.message))
            case .failure(let error): .failure(.parseError(error.message))
            }
        }
        if case .single(let element) = incoming { known.remember(line, as: element) }
        return incoming
    }

    @inline(__always)
    private static func incoming(_ root: JSONNode) -> Incoming {
        guard root.isOf(.array) else { return .single(RequestObject.element(root)) }
        guard root.count > 0 else {
            return .failure(.invalidRequest("a batch must not be empty"))
        }
        guard root.count <= batchMax else {
            return .failure(
                .invalidRequest(
                    "a batch has at most \(batchMax) elements; nothing of it was done",
                    max: batchMax))
        }
        return .batch(root.elements.map { RequestObject.element($0) })
    }
}
