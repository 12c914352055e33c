import RatingPolicy

/// The kinds of log entries; each has a stable MESSAGE_ID and a text in the catalog.
enum LogKind: String, CaseIterable, Sendable {
    case started = "bc4cdb528202476ba950ab64fc54fb84"
    case stopped = "942a02dcc5dc45e7bdf286091f2928a6"
    case idleExit = "e5f0cf1d016c4671beec4de0339bbc40"
    case startFailed = "df1910f4a53447ca9be4efb0e5d705df"
    case reloaded = "0a12a3da7a104d0d91799765e521b19f"
    case reloadFailed = "061df324df81458cb3c402de04e9c647"
    case configurationWarning = "3d2404004b6544388ff45e055f3a96c1"
    case requestPending = "21755eb9a3f34941bbfdb8d0c36461a4"
    case requestRefused = "fda4af8132fa4f0992d23b43520da9a7"
    case requestCancelled = "3855894d44394cef9101c2fb3d7fcc8a"
    case promptGranted = "e6839aedafdc4c13b1f036199f028b22"
    case outcomeReported = "19bef03fa3574b5cadb0185b4a27b1d8"
    case optedOut = "bdb3a6d7aa1f4192bfddc14d02e796cf"
    case optedIn = "d4d275946a144f4785dbfe3f27ead4a3"
    case forgot = "7082bb46813f49b3be7a71a83ca433da"
    case badInput = "6c47dbdb92624013a69e9858ffc4d00c"
    case peerUnknown = "07564ae8dff34f718b022a53d9b41b15"
    case limitHit = "5c00a412321143c1835f0cbd5c83784a"
    case clockSetBack = "8dbf377032f340308f8f331a67a352a9"
    case clockRepaired = "3657488743164720bd78ae34642f16bf"
    case stateSetAside = "c8660714881947369006fb8c9c485bb0"
    case stateUnavailable = "52a87b60c4bc42e3a1bf1ee9e4a7314f"
    case stateAvailable = "c00a01ad54be4bbcba69970baa0aea6a"
    case socketGone = "d334b17f94cc4f688cff5af367dd9d3b"
    case runtimeDirectoryFallback = "11ead0a3630c4b40968dede58c7c3df8"
    case appSocketFailed = "1d4d95f036084e1982c52d064227451b"
    case notifyFailed = "d0b8a51121384d3fa80136771f31ed5c"
    case entriesDropped = "0264b61b390b4b46a6214f73d3daa4ec"

    var messageID: String { rawValue }

    var level: LogLevel {
        switch self {
        case .startFailed, .reloadFailed, .stateUnavailable, .socketGone: .error
        case .configurationWarning, .badInput, .peerUnknown, .limitHit, .clockSetBack,
            .stateSetAside,
            .runtimeDirectoryFallback, .appSocketFailed, .notifyFailed, .entriesDropped:
            .warning
        case .started, .stopped, .reloaded, .promptGranted, .clockRepaired, .stateAvailable: .notice
        case .idleExit, .requestRefused, .requestCancelled, .outcomeReported, .optedOut, .optedIn,
            .forgot:
            .info
        case .requestPending: .debug
        }
    }
}

/// A field of the journal, without its `RATINGD_` prefix.
enum LogField: String, Sendable {
    case app = "APP"
    case user = "UID"
    case process = "PEER_PID"
    case decision = "DECISION"
    case reason = "REASON"
    case token = "TOKEN"
    case version = "VERSION"
    case outcome = "OUTCOME"
    case path = "PATH"
    case aside = "ASIDE"
    case error = "ERROR"
    case file = "FILE"
    case line = "LINE"
    case limit = "LIMIT"
    case max = "MAX"
    case suppressed = "SUPPRESSED"
    case step = "STEP_SEC"
    case stamps = "STAMPS"
    case socket = "SOCKET"
    case state = "STATE"
    case warnings = "WARNINGS"
    case idle = "IDLE_SEC"
}

/// One thing that happened, for the journal or standard error.
struct LogEntry: Sendable {
    var kind: LogKind
    var text: String
    var fields: [(field: LogField, value: String)]

    init(_ kind: LogKind, _ text: String, _ fields: [(field: LogField, value: String)] = []) {
        self.kind = kind
        self.text = text
        self.fields = fields
    }
}
