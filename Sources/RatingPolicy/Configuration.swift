/// All that files say: checked values, one layer for all apps and one for each app with its own file.
package struct Configuration: Hashable, Sendable {
    package var daemon: DaemonSettings
    package var general = PolicyLayer()
    package var apps: [AppID: PolicyLayer] = [:]

    package init(daemon: DaemonSettings) {
        self.daemon = daemon
    }

    /// The policy in force for an app with these wishes.
    package func policy(for app: AppID, hello: HelloPolicy?) -> Policy {
        Policy(general: general, app: apps[app] ?? PolicyLayer(), hello: hello)
    }
}
