package import RatingPolicy

/// A page of `apps`, each row of which is written when it becomes known: a long page takes several
/// turns.
package struct AppPage: Sendable {
    package private(set) var count = 0
    /// Behind whom the next page begins; nil if there is none.
    package var next: AppID?
    /// Rows with commas between them; none is empty.
    private var pieces: [[UInt8]] = []

    package init(_ rows: [AppRow] = [], next: AppID? = nil) {
        self.next = next
        add(rows)
    }

    package mutating func add(_ rows: [AppRow]) {
        guard let first = rows.first else { return }
        count += rows.count
        var piece: [UInt8] = []
        first.append(to: &piece)
        for row in rows.dropFirst() {
            piece.append(UInt8(ascii: ","))
            row.append(to: &piece)
        }
        pieces.append(piece)
    }

    /// All members of the result, without the brace that ends it.
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"apps":["#)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: piece)
        }
        bytes.append(UInt8(ascii: "]"))
        guard let next else { return }
        bytes.append(raw: #","next":"#)
        bytes.append(next)
    }
}
