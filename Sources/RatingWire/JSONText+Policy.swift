import RatingPolicy

/// Values of the policy as JSON text.
extension [UInt8] {
    mutating func append(_ app: AppID?) {
        if let app { append(plain: app.string) } else { append(raw: "null") }
    }

    mutating func append(_ token: Token?) {
        if let token { append(plain: token.string) } else { append(raw: "null") }
    }

    mutating func append(_ version: Version?) {
        if let version { append(string: version.string) } else { append(raw: "null") }
    }

    mutating func append(_ outcome: OutcomeLabel?) {
        if let outcome { append(plain: outcome.name) } else { append(raw: "null") }
    }

    mutating func append(_ rules: [Rule]) {
        append(array: rules) { rule, bytes in bytes.append(string: rule.name) }
    }

    mutating func append(_ texts: [String]) {
        append(array: texts) { text, bytes in bytes.append(string: text) }
    }

    mutating func append(_ counts: [NamedCount]) {
        append(object: counts.lazy.map { ($0.name, $0.count) }) { count, bytes in
            bytes.append(decimal: count)
        }
    }

    mutating func append(_ limits: Limits) {
        append(object: Limit.allCases.lazy.map { ($0.rawValue, limits[$0]) }) { value, bytes in
            bytes.append(decimal: value)
        }
    }

    mutating func append(_ identity: IdentityReply) {
        append(raw: #"{"source":"#)
        append(string: identity.source)
        append(raw: #","verified":"#)
        append(identity.isVerified)
        append(UInt8(ascii: "}"))
    }

    mutating func append(_ value: PolicyValue) {
        switch value {
        case .flag(let flag): append(flag)
        case .integer(let number): append(decimal: number)
        case .onActivity(let reaction): append(plain: reaction.rawValue)
        case .reviewURL(let url): append(string: url.template)
        }
    }

    mutating func append(_ figure: Figure) {
        switch figure {
        case .count(let number): append(decimal: number)
        case .flag(let flag): append(flag)
        case .nothing: append(raw: "null")
        }
    }

    mutating func append<Items: Sequence>(
        array items: Items, _ append: (Items.Element, inout [UInt8]) -> Void
    ) {
        self.append(UInt8(ascii: "["))
        var isFirst = true
        for item in items {
            if !isFirst { self.append(UInt8(ascii: ",")) }
            isFirst = false
            append(item, &self)
        }
        self.append(UInt8(ascii: "]"))
    }

    mutating func append<Items: Sequence, Value>(
        object items: Items, _ append: (Value, inout [UInt8]) -> Void
    ) where Items.Element == (String, Value) {
        self.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in items {
            if !isFirst { self.append(UInt8(ascii: ",")) }
            isFirst = false
            self.append(string: name)
            self.append(UInt8(ascii: ":"))
            append(value, &self)
        }
        self.append(UInt8(ascii: "}"))
    }
}
