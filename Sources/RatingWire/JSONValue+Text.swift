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
        // JSON has no infinity and no NaN.
        case .double(let number): bytes.append(raw: number.isFinite ? "\(number)" : "null")
        case .string(let text): bytes.append(string: text)
        case .array(let elements):
            Self.append(elements, in: "[]", to: &bytes, layout, depth) { element, bytes in
                element.append(to: &bytes, layout, depth: depth + 1)
            }
        case .object(let members):
            Self.append(members, in: "{}", to: &bytes, layout, depth) { member, bytes in
                bytes.append(string: member.name)
                bytes.append(raw: layout == .pretty ? ": " : ":")
                member.value.append(to: &bytes, layout, depth: depth + 1)
            }
        }
    }

    private static func append<Item>(
        _ items: [Item], in brackets: String, to bytes: inout [UInt8], _ layout: Layout,
        _ depth: Int, _ append: (Item, inout [UInt8]) -> Void
    ) {
        guard !items.isEmpty else { return bytes.append(raw: brackets) }
        bytes.append(contentsOf: brackets.utf8.prefix(1))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(&bytes, layout, depth + 1)
            append(item, &bytes)
        }
        breakLine(&bytes, layout, depth)
        bytes.append(contentsOf: brackets.utf8.suffix(1))
    }

    private static func breakLine(_ bytes: inout [UInt8], _ layout: Layout, _ depth: Int) {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
