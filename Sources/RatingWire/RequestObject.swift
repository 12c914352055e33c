/// The members of one request object, sorted out but not yet decoded.
struct RequestObject {
    private var version: JSONNode?
    private var id: JSONNode?
    private var method: JSONNode?
    private var params: JSONNode?
    private var result: JSONNode?
    private var error: JSONNode?
    /// The name of the first member that no request has.
    private var unknown: JSONNode?
    /// There is a member that neither a request nor an answer has.
    private var isOdd = false

    static func element(_ node: JSONNode) -> Incoming.Element {
        guard node.isOf(.object) else {
            let message = "a request must be an object, not \(node.summary)"
            return .invalid(id: .null, .invalidRequest(message))
        }
        return RequestObject(node).element
    }

    private init(_ node: JSONNode) {
        for (name, value) in node.members {
            if name.equals("method") {
                method = value
            } else if name.equals("params") {
                params = value
            } else if name.equals("id") {
                id = value
            } else if name.equals("jsonrpc") {
                version = value
            } else {
                if name.equals("result") {
                    result = value
                } else if name.equals("error") {
                    error = value
                } else {
                    isOdd = true
                }
                unknown = unknown ?? name
            }
        }
    }

    private var element: Incoming.Element {
        if method == nil, result != nil || error != nil { return .response(response) }
        let id: RequestID?
        do {
            id = try readID()
        } catch {
            return .invalid(id: .null, error)
        }
        do {
            let method = try readMethod()
            return .call(id: id, Self.call(method, params))
        } catch {
            return .invalid(id: id ?? .null, error)
        }
    }

    private static func call(_ name: JSONNode, _ params: JSONNode?) -> Result<Call, Failure> {
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
    private func readID() throws(Failure) -> RequestID? {
        guard let id else { return nil }
        if let number = id.integer { return .integer(number) }
        if let text = id.string { return .string(text) }
        guard id.isOf(.null) else {
            throw .invalidRequest(
                "'id' must be a string, an integer or null, not \(id.summary)", field: "id")
        }
        return .null
    }

    /// The name of the method, once the whole object is known to be a request.
    private func readMethod() throws(Failure) -> JSONNode {
        if let unknown {
            let name = unknown.string ?? ""
            throw .invalidRequest(
                "a request has no member \(ClientText.quoted(name)), only jsonrpc, id, method and"
                    + " params", field: name)
        }
        if let version, !version.isString("2.0") {
            throw .invalidRequest(
                "'jsonrpc' must be \"2.0\" or left out, not \(version.summary)", field: "jsonrpc")
        }
        guard let method else {
            throw .invalidRequest("a request must have a 'method'", field: "method")
        }
        guard method.isOf(.string) else {
            throw .invalidRequest(
                "'method' must be a string, not \(method.summary)", field: "method")
        }
        if let params, !params.isOf(.object) {
            throw .invalidRequest(
                "'params' must be an object, not \(params.summary)", field: "params")
        }
        return method
    }

    /// An answer that is odd in any way is no "yes".
    private var response: ClientResponse {
        let isWhole = version?.isString("2.0") ?? true
        let isAlone = error == nil && params == nil && !isOdd
        let id: RequestID? = try? readID()
        return ClientResponse(
            id: id ?? .null, isYes: isWhole && isAlone && result?.flag == true)
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
