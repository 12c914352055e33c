import RatingPolicy
import TestSupport
import Testing

@testable import RatingConfig

/// Any bytes can stand in a file: what is good in them is used, the rest is a warning.
///
/// An input is a general file and, after a byte of 1, the file of an app.
struct ConfigurationFuzzTests {
    @Test func `any file is read to values in their ranges and warnings`() throws {
        let target = FuzzTarget("config") { Self.objection(to: $0) }
        let objections = try target.objections()
        #expect(objections == [])
    }

    private typealias File = (bytes: [UInt8], scope: ConfigurationBuilder.Scope)

    private static let app = AppID("org.example.Notes")!

    private static func objection(to input: [UInt8]) -> String? {
        let parts = input.split(separator: 1, maxSplits: 1, omittingEmptySubsequences: false)
        var files: [File] = [(Array(parts[0]), .general)]
        if parts.count == 2 { files.append((Array(parts[1]), .app(app))) }
        let builder = built(files)
        if let objection = objection(to: builder, of: files) { return objection }
        let result = builder.result
        if built(writtenAgain(result)).result.policies != result.policies {
            return "written again it says something else"
        }
        let inDOS = files.map { (bytes: withCarriageReturns($0.bytes), scope: $0.scope) }
        guard built(inDOS).result == result else { return "line ends of DOS change it" }
        // No line swallows the next.
        let end = Array("\n[Policy]\nPromptsPerYear=2\n".utf8)
        let ended = built(files.map { (bytes: $0.bytes + end, scope: $0.scope) }).result
        guard ended.policy(for: app, hello: nil).promptsPerYear == 2 else {
            return "what follows is not read"
        }
        return nil
    }

    private static func built(_ files: [File]) -> ConfigurationBuilder {
        var builder = ConfigurationBuilder(descriptors: 1_024)
        for file in files { builder.add(file.bytes, path: "/f", scope: file.scope) }
        return builder
    }

    private static func objection(to builder: ConfigurationBuilder, of files: [File]) -> String? {
        let lines = files.map { $0.bytes.count { $0 == UInt8(ascii: "\n") } + 1 }
        for warning in builder.warnings.kept {
            guard let line = warning.line, (1...(lines.max() ?? 1)).contains(line) else {
                return "a warning of a line that is not there: \(warning)"
            }
            let isPlain = warning.description.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control
            }
            if !isPlain || warning.text.utf8.count > 512 { return "a warning: \(warning)" }
        }
        let daemon = builder.result.daemon
        guard DaemonSettings.syncSecRange.contains(daemon.syncSec),
            DaemonSettings.idleExitSecRange.contains(daemon.idleExitSec),
            Limit.allCases.allSatisfy({ $0.range.contains(daemon.limits[$0]) })
        else { return "[Daemon] is out of its ranges" }
        for layer in builder.result.layers {
            for (key, value) in layer.values where !key.allows(value.value) {
                return "\(key.fileName) = \(value.value)"
            }
            guard layer.needs.count <= ConfigurationLimits.eventNeedsMax,
                layer.needs.values.allSatisfy({ EventNeed.range.contains($0.value) })
            else { return "needs out of their range" }
        }
        return nil
    }

    private static func writtenAgain(_ configuration: Configuration) -> [File] {
        let general: File = (Array(text(of: configuration.general).utf8), .general)
        return [general]
            + configuration.apps.map { (Array(text(of: $0.value).utf8), .app($0.key)) }
    }

    private static func text(of layer: PolicyLayer) -> String {
        let values = layer.values.map { key, value in
            "[\(key.section == .user ? "User" : "Policy")]\n\(key.fileName) = \(value.value.text)\n"
        }
        let needs = layer.needs.map { name, need in
            "[Event \(name.string)]\nNeed=\(need.value)\n"
        }
        return (values + needs).joined()
    }

    private static func withCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
    }
}

extension Configuration {
    fileprivate var layers: [PolicyLayer] { [general] + apps.values }

    /// What is in force, without where it comes from.
    fileprivate var policies: [AppID?: [ExactText: String]] {
        var policies = apps.mapValues(Self.texts(of:)).reduce(into: [AppID?: [ExactText: String]]())
        {
            $0[$1.key] = $1.value
        }
        policies[nil] = Self.texts(of: general)
        return policies
    }

    private static func texts(of layer: PolicyLayer) -> [ExactText: String] {
        var texts: [ExactText: String] = [:]
        for (key, value) in layer.values { texts[ExactText(key.rawValue)] = value.value.text }
        for (name, need) in layer.needs {
            texts[ExactText("[\(name.string)]")] = String(need.value)
        }
        return texts
    }
}
