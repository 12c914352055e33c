import RatingPolicy

extension HelloOffer {
    /// Sorts the members of a `policy` object.
    init(_ object: JSONNode) {
        for (name, value) in object.members {
            if name.equals("event") {
                readEvents(value)
            } else if name.equals("user") {
                readUser(value)
            } else {
                read(name.string ?? "", value, in: .policy)
            }
        }
    }

    private mutating func readEvents(_ node: JSONNode) {
        guard node.kind == .object else { return bad.append("event") }
        for (name, value) in node.members {
            let text = name.string ?? ""
            if let event = EventName(text), let need = value.integer,
                EventNeed.range.contains(need)
            {
                policy.needs[event] = need
            } else {
                bad.append("event." + text)
            }
        }
    }

    private mutating func readUser(_ node: JSONNode) {
        guard node.kind == .object else { return bad.append("user") }
        for (name, value) in node.members {
            read(name.string ?? "", value, in: .user)
        }
    }

    private mutating func read(_ name: String, _ node: JSONNode, in section: PolicyKey.Section) {
        let told = section == .user ? "user." + name : name
        guard let key = PolicyKey.wireNamed(name, in: section) else { return unknown.append(told) }
        if let value = PolicyValue(node, for: key), key.allows(value) {
            policy.values[key] = value
        } else {
            bad.append(told)
        }
    }
}

extension PolicyValue {
    /// Nil if the value is not of the key's type.
    fileprivate init?(_ node: JSONNode, for key: PolicyKey) {
        let value: PolicyValue? =
            switch key.domain {
            case .flag: node.flag.map(PolicyValue.flag)
            case .integer: node.integer.map(PolicyValue.integer)
            case .onActivity:
                node.string.flatMap(OnActivity.init(rawValue:)).map(PolicyValue.onActivity)
            case .reviewURL: node.string.flatMap { ReviewURL($0) }.map(PolicyValue.reviewURL)
            }
        guard let value else { return nil }
        self = value
    }
}
