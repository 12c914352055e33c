import RatingPolicy

@testable import RatingDaemon

/// A run as it can be played again.
struct Script {
    var seed: UInt64
    var files: Int
    var outputBytes: Int64
    var steps: [Step]
    /// False: on a disk that only says that it has synced.
    var syncs = true

    /// Plays it; nil if nothing is wrong, else what is, and how many steps it took.
    func play() -> (complaint: String, steps: Int)? {
        let world = World(files: files, outputBytes: outputBytes, disk: Disk(syncs: syncs))
        for (index, step) in steps.enumerated() {
            world.run(step)
            if let complaint = world.witness.complaint { return (complaint, index + 1) }
        }
        return nil
    }

    /// The shortest script found that still goes wrong: chunks are taken out as long as it does.
    func shrunk() -> Script {
        var best = self
        guard let failure = play() else { return self }
        best.steps.removeLast(steps.count - failure.steps)
        var chunk = max(1, best.steps.count / 2)
        while chunk >= 1 {
            var start = 0
            while start < best.steps.count {
                var shorter = best
                shorter.steps.removeSubrange(start..<min(start + chunk, best.steps.count))
                if shorter.play() != nil { best = shorter } else { start += chunk }
            }
            chunk /= 2
        }
        return best
    }

    var text: String {
        let lines = steps.map { "    \($0)" }
        return "files \(files), output_bytes \(outputBytes)\n" + lines.joined(separator: "\n")
    }
}
