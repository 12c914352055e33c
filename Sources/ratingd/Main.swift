import Glibc
import RatingDaemon

@main
struct Main {
    static func main() {
        exit(Daemon.run(Array(CommandLine.arguments.dropFirst())))
    }
}
