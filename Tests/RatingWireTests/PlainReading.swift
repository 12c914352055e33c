@testable import RatingWire

/// What a line says as far as JSON-RPC goes, read from its JSON by the text of SPEC 1.
enum PlainReading: Equatable {
    case failure(String)
    case single(Element)
    case batch([Element])

    enum Element: Equatable {
        /// Without an id a notification; a call that cannot be done has a fault.
        case call(RequestID?, method: String, fault: String?)
        case response(RequestID, isYes: Bool)
        case invalid(RequestID)
    }

    init(of value: JSONValue) {
        guard case .array(let elements) = value else {
            self = .single(Element(of: value))
            return
        }
        self =
            (1...100).contains(elements.count)
            ? .batch(elements.map(Element.init(of:))) : .failure("invalid_request")
    }

    /// The same of what the parser says.
    init(_ incoming: Incoming) {
        switch incoming {
        case .failure(let failure): self = .failure(failure.reason.rawValue)
        case .single(let element): self = .single(Element(element))
        case .known(let call): self = .single(Element(call.element))
        case .batch(let elements): self = .batch(elements.map(Element.init))
        }
    }
}

extension PlainReading.Element {
    init(of value: JSONValue) {
        guard let members = value.members else {
            self = .invalid(.null)
            return
        }
        let names = Set(members.map { Array($0.name.utf8) })
        func isThere(_ name: String) -> Bool { names.contains(Array(name.utf8)) }
        let id = Self.id(value["id"])
        let isVersioned = value["jsonrpc"].map { $0 == .string("2.0") } ?? true
        if !isThere("method"), isThere("result") || isThere("error") {
            let isAnswer = names.isSubset(of: ["jsonrpc", "id", "result"].map { Array($0.utf8) })
            self = .response(
                (id ?? .null) ?? .null,
                isYes: isAnswer && isVersioned && value["result"] == .bool(true))
            return
        }
        guard let id else {
            self = .invalid(.null)
            return
        }
        let isKnown = names.isSubset(
            of: ["jsonrpc", "id", "method", "params"].map { Array($0.utf8) })
        let isObject = value["params"].map { $0.members != nil } ?? true
        guard isKnown, isVersioned, isObject, let method = value["method"]?.string else {
            self = .invalid(id ?? .null)
            return
        }
        let fault = PlainParameters.fault(of: method, value["params"])
        self = .call(id, method: fault == nil ? method : "", fault: fault)
    }

    /// Nil if it can be no id; `.some(nil)` if there is none.
    private static func id(_ value: JSONValue?) -> RequestID?? {
        switch value {
        case nil: .some(nil)
        case .null?: .null
        case .integer(let number)?: .integer(number)
        case .string(let text)?: .string(text)
        default: nil
        }
    }

    init(_ element: Incoming.Element) {
        switch element {
        case .call(let id, .success(let call)):
            self = .call(id, method: call.name, fault: nil)
        case .call(let id, .failure(let failure)):
            self = .call(id, method: "", fault: failure.reason.rawValue)
        case .response(let response): self = .response(response.id, isYes: response.isYes)
        case .invalid(let id, _): self = .invalid(id)
        }
    }
}
