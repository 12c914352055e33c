/// The members of one request object, sorted out but not yet decoded.
struct RequestObject {
    private let object: JSONNode
    // Where on the tape the members' values are, 0 if they are not there.
    private var version = 0
    private var id = 0
    private var method = 0
    private var params = 0
    private var result = 0
    private var error = 0
    /// Where the name of the first member is that no request has.
    private var unknown = 0
    /// There is a member that neither a request nor an answer has.
    private var isOdd = false

    @inline(__always)
    static func element(_ node: JSONNode) -> Incoming.Element {
        guard node.isOf(.object) else {
            let message = "a request must be an object, not \(node.summary)"
            return .invalid(id: .null, .invalidRequest(message))
        }
        return RequestObject(node).element()
    }

    @inline(__always)
    private init(_ node: JSONNode) {
        object = node
        for (name, value) in node.members {
            if name.equals("method") {
                method = value.index
            } else if name.equals("params") {
                params = value.index
            } else if name.equals("id") {
                id = value.index
            } else if name.equals("jsonrpc") {
                version = value.index
            } else {
                if name.equals("result") {
                    result = value.index
                } else if name.equals("error") {
                    error = value.index
                } else {
                    isOdd = true
                }
                if unknown == 0 { unknown = name.index }
            }
        }
    }

    @inline(__always)
    private func node(_ place: Int) -> JSONNode? {
        place == 0 ? nil : object.at(place)
    }

    @inline(__always)
    private func element() -> Incoming.Element {
        if method == 0, result != 0 || error != 0 { return .response(response) }
        let id: RequestID?
        do {
            id = try readID()
        } catch {
            return .invalid(id: .null, error)
        }
        do {
            let method = try readMethod()
            return .call(id: id, Self.call(method, node(params)))
        } catch {
            return .invalid(id: id ?? .null, error)
        }
    }

    @inline(__always)
    private static func call(
        _ name: JSONNode, _ params: JSONNode?
    ) -> Request {
        guard let method = Method(name) else {
            return .failure(.methodNotFound(name.string ?? ""))
        }
        do {
            return .success(try Parameters(params, of: method).call())
        } catch {
            return .failure(error)
        }
    }

    /// Nil if there is none, which makes it a notification.
    @inline(__always)
    private func readID() throws(Failure) -> RequestID? {
        guard let id = node(id) else { return nil }
        if let number = id.integer { return .integer(number) }
        if let text = id.string { return .string(text) }
        guard id.isOf(.null) else {
            throw .invalidRequest(
                "'id' must be a string, an integer or null, not \(id.summary)", field: "id")
        }
        return .null
    }

    /// The name of the method, once the whole object is known to be a request.
    @inline(__always)
    private func readMethod() throws(Failure) -> JSONNode {
        if let unknown = node(unknown) {
            let name = unknown.string ?? ""
            throw .invalidRequest(
                "a request has no member \(ClientText.quoted(name)), only jsonrpc, id, method and"
                    + " params", field: name)
        }
        if let version = node(version), !version.isString("2.0") {
            throw .invalidRequest(
                "'jsonrpc' must be \"2.0\" or left out, not \(version.summary)", field: "jsonrpc")
        }
        guard let method = node(method) else {
            throw .invalidRequest("a request must have a 'method'", field: "method")
        }
        guard method.isOf(.string) else {
            throw .invalidRequest(
                "'method' must be a string, not \(method.summary)", field: "method")
        }
        if let params = node(params), !params.isOf(.object) {
            throw .invalidRequest(
                "'params' must be an object, not \(params.summary)", field: "params")
        }
        return method
    }

    /// An answer that is odd in any way is no "yes".
    private var response: ClientResponse {
        let isWhole = node(version)?.isString("2.0") ?? true
        let isAlone = error == 0 && params == 0 && !isOdd
        let id: RequestID? = try? readID()
        return ClientResponse(
            id: id ?? .null, isYes: isWhole && isAlone && node(result)?.flag == true)
    }
}

extension JSONNode {
    func isString(_ text: StaticString) -> Bool {
        isOf(.string) && equals(text)
    }

    /// The value as a message names it: short, and cut where it is the client's text.
    var summary: String {
        switch kind {
        case .object: "an object"
        case .array: "an array"
        case .string: ClientText.quoted(string ?? "")
        case .integer: String(integer ?? 0)
        case .double: (double ?? 0).description
        case .yes: "true"
        case .no: "false"
        case .null: "null"
        }
    }
}
