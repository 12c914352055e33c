import Glibc
import RatingBench
import RatingControl

@main
struct Main {
    static func main() {
        exit(Bench.main(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
