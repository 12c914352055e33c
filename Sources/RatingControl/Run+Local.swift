internal import RatingPolicy
internal import RatingWire

/// What needs no daemon.
extension Run {
    func printVersion() throws(ControlFailure) {
        guard case .json = invocation.format else {
            return try output.print("ratingctl \(Release.version)")
        }
        try output.print(jsonLines(.object([.init("ratingctl", .string(Release.version))])))
    }

    func printSocketPath() throws(ControlFailure) {
        let address = try Address.find(invocation.target)
        if let warning = address.warning { Messages.warn(warning) }
        guard case .json = invocation.format else {
            // Scripts need it as it is; a terminal does not.
            return try output.print(output.isTerminal ? safe(address.path) : address.path)
        }
        try output.print(jsonLines(.object([.init("path", .string(address.path))])))
    }
}
