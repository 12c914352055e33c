/// The candidate that a mistyped word most likely meant; nil if none is near.
///
/// A letter too many, too few, wrong, or swapped with its neighbour counts one; a third of the
/// word may be wrong.
package func nearest(to word: String, in candidates: [String]) -> String? {
    let allowed = max(1, word.count / 3)
    let ranked = candidates.map { (name: $0, distance: distance(Array(word), Array($0))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= allowed ? best.name : nil
}

/// The optimal string alignment distance.
private func distance(_ left: [Character], _ right: [Character]) -> Int {
    guard !left.isEmpty, !right.isEmpty, left.count <= 64 else {
        return max(left.count, right.count)
    }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var best = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2],
                left[row - 2] == right[column - 1]
            {
                best = min(best, beforeLast[column - 2] + 1)
            }
            current.append(best)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
