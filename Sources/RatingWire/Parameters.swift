import RatingPolicy

/// The `params` of one call: each read gives nil for an absent member and throws for a bad value.
struct Parameters {
    let method: Method
    private let object: JSONNode?
    /// Where on the tape each field's value is, 0 if it is not there.
    private var places = InlineArray<22, Int32>(repeating: 0)

    /// Fails on a member the method does not have.
    @inline(__always)
    init(_ object: JSONNode?, of method: Method) throws(Failure) {
        self.method = method
        self.object = object
        guard let object else { return }
        let fields = method.fields
        for (name, value) in object.members {
            guard let field = Field(name), fields.contains(field) else {
                throw Self.unknown(name.string ?? "", of: method)
            }
            places[Int(field.rawValue)] = Int32(truncatingIfNeeded: value.index)
        }
    }

    private static func unknown(_ name: String, of method: Method) -> Failure {
        let fields = method.fields.map(\.name.description)
        let known =
            fields.isEmpty ? "which takes none" : "which takes \(fields.joined(separator: ", "))"
        return .invalidParams(
            field: name,
            "\(ClientText.quoted(name)) is no parameter of \(method.rawValue), \(known)")
    }

    @inline(__always)
    subscript(field: Field) -> JSONNode? {
        let place = places[Int(field.rawValue)]
        return place == 0 ? nil : object?.at(Int(place))
    }

    func flag(_ field: Field) throws(Failure) -> Bool? {
        guard let node = self[field] else { return nil }
        guard let flag = node.flag else { throw Self.bad(field, node, "true or false") }
        return flag
    }

    @inline(__always)
    func integer(_ field: Field, in range: ClosedRange<Int64>) throws(Failure) -> Int64? {
        guard let node = self[field] else { return nil }
        guard let number = node.integer, range.contains(number) else {
            throw Self.bad(
                field, node, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A string of which something can be made.
    func value<Value>(
        _ field: Field, _ allowed: @autoclosure () -> String, _ make: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let node = self[field] else { return nil }
        return try Self.value(node, field, allowed(), make)
    }

    /// A set of strings of which something can be made; at least one.
    func values<Value: Hashable>(
        _ field: Field, _ allowed: String, _ make: (String) -> Value?
    ) throws(Failure) -> Set<Value>? {
        guard let node = self[field] else { return nil }
        guard node.kind == .array, node.count > 0 else {
            throw Self.bad(field, node, "an array of at least one string")
        }
        var values: Set<Value> = []
        for element in node.elements {
            values.insert(try Self.value(element, field, allowed, make))
        }
        return values
    }

    private static func value<Value>(
        _ node: JSONNode, _ field: Field, _ allowed: @autoclosure () -> String,
        _ make: (String) -> Value?
    ) throws(Failure) -> Value {
        guard let text = node.string, let value = make(text) else {
            throw bad(field, node, allowed())
        }
        return value
    }

    static func bad(_ field: Field, _ node: JSONNode, _ allowed: String) -> Failure {
        .invalidParams(
            field: field.name.description,
            "'\(field.name)' must be \(allowed), not \(node.summary)")
    }

    func missing(_ field: Field) -> Failure {
        .invalidParams(
            field: field.name.description,
            "'\(field.name)' is missing: \(method.rawValue) needs it")
    }
}

extension Parameters {
    func app(_ field: Field = .app) throws(Failure) -> AppID? {
        try value(field, "an app id (\(AppID.grammar))", AppID.init)
    }

    func version() throws(Failure) -> Version? {
        try value(.version, "a string of \(Version.grammar)", Version.init)
    }

    func user() throws(Failure) -> UserID? {
        // The highest number stands for "no user" in the kernel.
        try integer(.user, in: 0...Int64(UserID.max) - 1).map(UserID.init)
    }

    /// Nil if there is none; `.some(nil)` if the text cannot be a token.
    func token() throws(Failure) -> Token?? {
        try value(.token, "a string") { .some(Token($0)) }
    }
}
