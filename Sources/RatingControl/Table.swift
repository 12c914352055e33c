/// Rows of text in aligned columns.
package struct Table: Sendable {
    package enum Alignment: Sendable {
        case left
        case right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    package init(_ columns: [(String, Alignment)]) {
        self.columns = columns.map { (title: $0.0, alignment: $0.1) }
    }

    package mutating func append(_ row: [String]) {
        precondition(row.count == columns.count, "a row has a cell for each column")
        rows.append(row)
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The title and the rows; no line ends in spaces.
    package var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in
            all.map { $0[column].count }.max() ?? 0
        }
        return all.map { row in
            let cells = columns.indices.map { column in
                padded(row[column], to: widths[column], columns[column].alignment)
            }
            return withoutTrailingSpaces(cells.joined(separator: "  "))
        }
    }
}

/// Labels and values, the labels right-aligned before a colon.
package struct Fields: Sendable {
    private var rows: [(label: String, value: String)] = []

    package init() {}

    package mutating func append(_ label: String, _ value: String) {
        rows.append((label, value))
    }

    package var lines: [String] {
        let width = rows.map(\.label.count).max() ?? 0
        return rows.map { padded($0.label, to: width, .right) + ": " + $0.value }
    }
}

private func padded(_ text: String, to width: Int, _ alignment: Table.Alignment) -> String {
    let gap = String(repeating: " ", count: max(0, width - text.count))
    return alignment == .left ? text + gap : gap + text
}

private func withoutTrailingSpaces(_ text: String) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    return text
}
