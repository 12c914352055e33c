// swift-tools-version: 6.2

import PackageDescription

/// What every Swift target of the package is built with.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A Swift target of the package, with its own settings in force.
func swift(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The Swift Testing suites of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.init(stringLiteral: name)] + dependencies,
        swiftSettings: strict)
}

let package = Package(
    name: "ratingd",
    products: [
        .executable(name: "ratingd", targets: ["ratingd"]),
        .executable(name: "ratingctl", targets: ["ratingctl"]),
        .executable(name: "ratingd-bench", targets: ["ratingd-bench"]),
    ],
    targets: [
        // C faces: what Swift imports of the libraries.
        .target(name: "CLinux"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CInih"),
        .target(name: "CJSON"),

        // Pure: rules and messages, no I/O, no clock.
        swift("RatingPolicy"),
        swift("RatingWire", ["RatingPolicy", "CJSON"]),

        // Shells: each talks to one part of the system.
        swift("Posix", ["CLinux"]),
        swift("Systemd", ["Posix"]),
        swift("RatingStore", ["RatingPolicy", "Posix", "CSQLite"]),
        swift("RatingConfig", ["RatingPolicy", "Posix", "CInih"]),
        swift("PeerIdentity", ["RatingPolicy", "Posix"]),
        swift(
            "RatingDaemon",
            [
                "RatingPolicy", "RatingWire", "Posix", "Systemd", "RatingStore", "RatingConfig",
                "PeerIdentity",
            ]),
        .executableTarget(
            name: "ratingd", dependencies: ["RatingDaemon"], swiftSettings: strict),
        // The command line: what it understands and says is a library that tests can call.
        swift(
            "RatingControl",
            ["RatingPolicy", "RatingWire", "RatingConfig", "Posix", "CLinux"]),
        .executableTarget(
            name: "ratingctl", dependencies: ["RatingControl"], swiftSettings: strict),
        // The load generator, with the manners of the command line.
        swift("RatingBench", ["RatingControl", "RatingPolicy", "RatingWire", "Posix"]),
        .executableTarget(
            name: "ratingd-bench", dependencies: ["RatingBench", "RatingControl"],
            swiftSettings: strict),

        // For the tests: temporary directories and child processes, and a program to run as one.
        // What is fuzzed asks for libFuzzer, which is there in builds of Tests/fuzz/run only.
        .target(name: "CFuzzer", path: "Tests/CFuzzer"),
        .target(
            name: "TestSupport", dependencies: ["CFuzzer", "Posix"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "Probe", dependencies: ["Posix", "Systemd", "PeerIdentity", "RatingPolicy"],
            path: "Tests/Probe", swiftSettings: strict),

        tests("RatingPolicy", ["TestSupport"]),
        tests("RatingWire", ["RatingPolicy", "TestSupport"]),
        tests("Posix", ["TestSupport", "Probe"]),
        tests("Systemd", ["Posix", "TestSupport", "Probe"]),
        tests("RatingStore", ["RatingPolicy", "Posix", "TestSupport"]),
        tests("RatingConfig", ["RatingPolicy", "Posix", "TestSupport"]),
        tests("PeerIdentity", ["RatingPolicy", "Posix", "TestSupport", "Probe"]),
        tests("RatingControl", ["RatingPolicy", "RatingWire", "Posix"]),
        tests("RatingBench", ["RatingControl", "RatingWire", "Posix"]),
        tests(
            "RatingDaemon",
            [
                "RatingPolicy", "RatingWire", "RatingStore", "RatingConfig", "Posix", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
