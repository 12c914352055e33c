/// All that files say: checked values, one layer for all apps and one for each app with its own file.
package struct Configuration: Hashable, Sendable {
    package var daemon: DaemonSettings
    package var general = PolicyLayer()
    package var apps: [AppID: PolicyLayer] = [:]

    package init(daemon: DaemonSettings) {
        self.daemon = daemon
    }

    /// The policy in force for an app with these wishes.
    ///
    /// Without an app: what is in force for one that has neither a file nor wishes.
    package func policy(for app: AppID?, hello: HelloPolicy?) -> Policy {
        let own = app.flatMap { apps[$0] }
        return Policy(general: general, app: own ?? PolicyLayer(), hello: hello)
    }
}
