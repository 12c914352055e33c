package import RatingControl
internal import RatingPolicy
internal import RatingWire

/// One run of `ratingd-bench`.
package enum Bench {
    static let program = "ratingd-bench"

    /// Does what the arguments (without the program's name) ask for, and says how to exit.
    package static func main(_ arguments: [String]) -> ExitCode {
        let output = Output()
        do {
            let options = try BenchOptions(arguments)
            switch options.action {
            case .help: try output.print(BenchOption.helpLines)
            case .version: try output.print("\(program) \(Release.version)")
            case .run:
                let figures = try Measurement(options).run()
                try output.print(options.isJSON ? [figures.json.text()] : figures.lines)
                guard let complaint = figures.complaint else { return .done }
                Messages.print(complaint, of: program)
                return complaint.code
            }
            return .done
        } catch {
            Messages.print(error, of: program)
            return error.code
        }
    }
}
