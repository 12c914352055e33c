package import RatingPolicy

/// What a list of apps tells of one.
package struct AppSummary: Hashable, Sendable {
    package var app: AppID
    package var sessions: Count
    package var events: Count
    /// What the clock said.
    package var lastSeen: WallTime?
    package var promptsInWindow: Int
    /// True if the app was seen, or has a grant that is not forgotten.
    package var isListed: Bool

    package init(
        app: AppID, sessions: Count, events: Count, lastSeen: WallTime?, promptsInWindow: Int,
        isListed: Bool
    ) {
        self.app = app
        self.sessions = sessions
        self.events = events
        self.lastSeen = lastSeen
        self.promptsInWindow = promptsInWindow
        self.isListed = isListed
    }
}
