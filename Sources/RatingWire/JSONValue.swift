/// Any JSON value as a tree, for what has no type of its own.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// Members in the order of the text.
    case object([Member])

    package struct Member: Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }
}

extension JSONValue: Equatable {
    /// Strings and names are compared by their bytes, members in their order.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue.Member: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }
}

extension JSONValue {
    /// The member of this name; nil if there is none or this is no object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

/// Why a text is not the JSON that ratingd speaks.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    package let message: String
}

extension JSONValue {
    /// Reads a text as strictly as the daemon does.
    package init(parsing text: Span<UInt8>) throws(JSONSyntaxError) {
        var parser = JSONParser(capacity: text.count)
        self = try parser.read(text) { $0.map(JSONValue.init(node:)) }
            .mapError { JSONSyntaxError(message: $0.message) }.get()
    }

    package init(parsing text: String) throws(JSONSyntaxError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }

    init(node: JSONNode) {
        self =
            switch node.kind {
            case .null: .null
            case .yes: .bool(true)
            case .no: .bool(false)
            case .integer: .integer(node.integer ?? 0)
            case .double: .double(node.double ?? 0)
            case .string: .string(node.string ?? "")
            case .array: .array(node.elements.map(JSONValue.init(node:)))
            case .object:
                .object(
                    node.members.map { name, value in
                        Member(name.string ?? "", JSONValue(node: value))
                    })
            }
    }
}
