import Glibc
import RatingControl

@main
struct Main {
    static func main() {
        exit(Run.main(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
