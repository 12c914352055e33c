internal import RatingPolicy

/// Takes files one after the other and keeps what each line sets.
///
/// A later line replaces an earlier one. An empty value takes an earlier one back: then what is
/// weaker holds, the general files for an app's own file, the default for the general ones.
struct ConfigurationBuilder {
    private(set) var warnings = WarningList()
    private(set) var files: [String] = []
    private var configuration: Configuration
    private var setLimits: Set<Limit> = []
    private let standard: DaemonSettings

    /// Which of the two kinds of files, hence which sections.
    enum Scope: Hashable {
        case general
        case app(AppID)
    }

    /// Where a key stands.
    private enum Section {
        case beforeAny
        case notUsed
        case daemon
        case user
        case policy
        case event(EventName)
    }

    init(descriptors: Int) {
        standard = DaemonSettings(descriptors: descriptors)
        configuration = Configuration(daemon: standard)
    }

    /// What all files set together.
    var result: Configuration {
        var result = configuration
        for app in result.apps.keys where result.apps[app]?.isEmpty == true {
            result.apps[app] = nil
        }
        if setLimits.contains(.connections), !setLimits.contains(.connectionsPerUid) {
            result.daemon.limits[.connectionsPerUid] = max(
                1, result.daemon.limits[.connections] / 2)
        }
        return result
    }

    mutating func warn(_ text: String, file: String, line: Int? = nil) {
        warnings.append(text, file: file, line: line)
    }

    /// Reads one file into what those before it set.
    mutating func add(_ bytes: [UInt8], path: String, scope: Scope) {
        files.append(path)
        var section = Section.beforeAny
        for line in IniFile(bytes).lines {
            do throws(Fault) {
                switch line.entry {
                case .fault(let text):
                    throw Fault(text)
                case .section(let name):
                    // What stands below a section that is not used is not used either.
                    section = .notUsed
                    section = try Self.section(named: name, in: scope)
                case .assignment(let key, let value):
                    try assign(key, value, in: section, of: scope, source: .file(path))
                }
            } catch {
                warn(error.text, file: path, line: line.number)
            }
        }
    }

    /// Why a line is not used.
    private struct Fault: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    private static func section(
        named name: String?, in scope: Scope
    ) throws(Fault) -> Section {
        guard let name else { throw Fault("a section without ']' at its end") }
        switch (name, scope) {
        case ("Policy", _):
            return .policy
        case ("Daemon", .general):
            return .daemon
        case ("User", .general):
            return .user
        case ("Daemon", .app), ("User", .app):
            throw Fault("section [\(name)] has no place in the file of an app")
        case ("Event", _):
            throw Fault("section [Event] without the name of an event")
        default:
            let prefix = "Event "
            guard name.hasPrefix(prefix) else { throw Fault("unknown section \(excerpt(name))") }
            guard let event = EventName(String(name.dropFirst(prefix.count))) else {
                throw Fault("\(excerpt(name)): a name of an event is \(EventName.grammar)")
            }
            return .event(event)
        }
    }

    private mutating func assign(
        _ name: String, _ value: String, in section: Section, of scope: Scope,
        source: PolicySource
    ) throws(Fault) {
        switch section {
        case .notUsed:
            return
        case .beforeAny:
            throw Fault("key \(excerpt(name)) before any section")
        case .daemon:
            try assignToDaemon(name, value)
        case .user, .policy:
            let isUser = if case .user = section { true } else { false }
            guard let key = PolicyKey.named(name, in: isUser ? .user : .policy) else {
                throw Fault("unknown key \(excerpt(name)) in [\(isUser ? "User" : "Policy")]")
            }
            let parsed = try Self.parsed(name, value, key.allowed) { key.value(from: $0) }
            updateLayer(of: scope) { layer in
                layer.values[key] = parsed.map { Sourced($0, from: source) }
            }
        case .event(let event):
            let header = excerpt("[Event \(event.string)]")
            guard name == "Need" else {
                throw Fault("unknown key \(excerpt(name)) in \(header)")
            }
            let need = try Self.parsed(name, value, EventNeed.allowed) {
                EventNeed.value(from: $0)
            }
            let needs = layer(of: scope).needs
            let needsMax = ConfigurationLimits.eventNeedsMax
            guard need == nil || needs[event] != nil || needs.count < needsMax else {
                throw Fault("\(header) is one more than the \(needsMax) that count")
            }
            updateLayer(of: scope) { layer in
                layer.needs[event] = need.map { Sourced($0, from: source) }
            }
        }
    }

    private mutating func assignToDaemon(_ name: String, _ value: String) throws(Fault) {
        if let limit = Limit.allCases.first(where: { $0.key == name }) {
            let number = try Self.number(name, value, in: limit.range)
            configuration.daemon.limits[limit] = number ?? standard.limits[limit]
            if number == nil { setLimits.remove(limit) } else { setLimits.insert(limit) }
            return
        }
        switch name {
        case "SyncSec":
            let number = try Self.number(name, value, in: DaemonSettings.syncSecRange)
            configuration.daemon.syncSec = number ?? standard.syncSec
        case "IdleExitSec":
            let number = try Self.number(name, value, in: DaemonSettings.idleExitSecRange)
            configuration.daemon.idleExitSec = number ?? standard.idleExitSec
        case "AppSockets":
            let flag = try Self.parsed(name, value, "yes or no") { PolicyKey.flag(from: $0) }
            configuration.daemon.appSockets = flag ?? standard.appSockets
        case "LogLevel":
            let allowed = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            let level = try Self.parsed(name, value, "one of \(allowed)") {
                LogLevel(rawValue: $0)
            }
            configuration.daemon.logLevel = level ?? standard.logLevel
        default:
            throw Fault("unknown key \(excerpt(name)) in [Daemon]")
        }
    }

    /// The value of a key; nil if it is empty.
    private static func parsed<Value>(
        _ name: String, _ value: String, _ allowed: String, _ parse: (String) -> Value?
    ) throws(Fault) -> Value? {
        guard !value.isEmpty else { return nil }
        guard let parsed = parse(value) else {
            throw Fault("\(name)= is \(allowed), not \(excerpt(value))")
        }
        return parsed
    }

    private static func number(
        _ name: String, _ value: String, in range: ClosedRange<Int64>
    ) throws(Fault) -> Int64? {
        let allowed = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return try parsed(name, value, allowed) { text in
            PolicyKey.integer(from: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private func layer(of scope: Scope) -> PolicyLayer {
        switch scope {
        case .general: configuration.general
        case .app(let app): configuration.apps[app] ?? PolicyLayer()
        }
    }

    private mutating func updateLayer(of scope: Scope, _ body: (inout PolicyLayer) -> Void) {
        switch scope {
        case .general: body(&configuration.general)
        case .app(let app): body(&configuration.apps[app, default: PolicyLayer()])
        }
    }
}
