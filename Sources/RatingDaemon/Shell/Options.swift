/// What the command line asks for (SPEC 4).
struct Options: Equatable {
    enum Action: Equatable {
        case run
        case checkConfiguration
        case version
        case help
    }

    var action = Action.run
    var isSystem = false
    var socket: String?
    var state: String?
    var configuration: String?

    struct UsageError: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        Usage: ratingd [OPTION]...
        Decides for the apps of a desktop when to ask "would you rate me?".

          --user            serve the user who starts it (the default)
          --system          serve all users of the machine
          --socket PATH     listen at PATH
          --state DIR       keep the state in DIR
          --config DIR      read the configuration from DIR alone
          --check-config    say what is wrong with the configuration, and end
          --version         print the version, and end
          -h, --help        print this, and end

        Started by a socket unit it takes over the socket and needs no option.
        More: ratingd(8), ratingd.conf(5), ratingctl(1).

        """

    /// Reads the arguments after the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        var scopes: Set<String> = []
        while let argument = rest.popFirst() {
            let (name, attached) = Self.split(argument == "-h" ? "--help" : argument)
            switch name {
            case "--user", "--system", "--check-config", "--version", "--help":
                guard attached == nil else {
                    throw UsageError(description: "\(name) takes no value")
                }
                scopes.formUnion([name].filter { $0 == "--user" || $0 == "--system" })
                guard scopes.count < 2 else {
                    throw UsageError(description: "--user and --system exclude each other")
                }
                setFlag(name)
            case "--socket", "--state", "--config":
                guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
                    throw UsageError(description: "\(name) needs a value")
                }
                setValue(name, value)
            default:
                throw UsageError(description: "'\(argument)' is no option of ratingd")
            }
        }
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private mutating func setFlag(_ name: String) {
        switch name {
        case "--user": isSystem = false
        case "--system": isSystem = true
        case "--check-config": action = .checkConfiguration
        case "--version": action = .version
        default: action = .help
        }
    }

    private mutating func setValue(_ name: String, _ value: String) {
        switch name {
        case "--socket": socket = value
        case "--state": state = value
        default: configuration = value
        }
    }
}
