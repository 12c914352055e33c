extension JSONValue {
    /// How a value is laid out as text.
    package enum Layout: Sendable {
        /// One line without spaces.
        case short
        /// Two spaces a level, one member or element a line.
        case pretty
    }

    /// The value as JSON text, members in their order, without a line feed at the end.
    package func text(_ layout: Layout = .short) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, layout, depth: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    func append(to bytes: inout [UInt8]) {
        append(to: &bytes, .short, depth: 0)
    }

    private func append(to bytes: inout [UInt8], _ layout: Layout, depth: Int) {
        switch self {
        case .null: bytes.append(raw: "null")
        case .bool(let flag): bytes.append(flag)
        case .integer(let number): bytes.append(decimal: number)
        case .double(let number):
            // JSON has no infinity and no NaN.
            bytes.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
        case .string(let text): bytes.append(string: text)
        case .array(let elements):
            Self.append(elements, in: ("[", "]"), to: &bytes, layout, depth) { element, bytes in
                element.append(to: &bytes, layout, depth: depth + 1)
            }
        case .object(let members):
            Self.append(members, in: ("{", "}"), to: &bytes, layout, depth) { member, bytes in
                bytes.append(string: member.name)
                bytes.append(raw: layout == .pretty ? ": " : ":")
                member.value.append(to: &bytes, layout, depth: depth + 1)
            }
        }
    }

    private static func append<Item>(
        _ items: [Item], in brackets: (StaticString, StaticString), to bytes: inout [UInt8],
        _ layout: Layout,
        _ depth: Int, _ append: (Item, inout [UInt8]) -> Void
    ) {
        bytes.append(raw: brackets.0)
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(&bytes, layout, depth + 1)
            append(item, &bytes)
        }
        if !items.isEmpty { breakLine(&bytes, layout, depth) }
        bytes.append(raw: brackets.1)
    }

    private static func breakLine(_ bytes: inout [UInt8], _ layout: Layout, _ depth: Int) {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
