import RatingPolicy

/// Turns lines of clients into what they ask for (SPEC 1 and 2).
///
/// One serves all connections of a thread: nothing of a line is kept but the parser's memory and
/// names of events.
package struct MessageParser: ~Copyable {
    package static let batchMax = Limits.batchMax

    private var parser = JSONParser()
    private var names = EventNames()

    package init() {}

    package mutating func parse(_ line: Span<UInt8>) -> Incoming {
        parser.read(line) { result in
            switch result {
            case .success(let root): Self.incoming(root, &names)
            case .failure(.noMemory): .failure(.internalError(JSONError.noMemory.message))
            case .failure(let error): .failure(.parseError(error.message))
            }
        }
    }

    @inline(__always)
    private static func incoming(_ root: JSONNode, _ names: inout EventNames) -> Incoming {
        guard root.isOf(.array) else { return .single(RequestObject.element(root, &names)) }
        guard root.count > 0 else {
            return .failure(.invalidRequest("a batch must not be empty"))
        }
        guard root.count <= batchMax else {
            return .failure(
                .invalidRequest(
                    "a batch has at most \(batchMax) elements; nothing of it was done",
                    max: batchMax))
        }
        return .batch(root.elements.map { RequestObject.element($0, &names) })
    }
}
