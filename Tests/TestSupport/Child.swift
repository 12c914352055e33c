import Glibc

/// A program run to its end, for what a test cannot do to its own process.
package struct Child {
    /// Why a program could not be started.
    package struct Failure: Error {
        package let code: Int32
    }

    /// The exit code, or 128 and the signal that ended it.
    package let status: Int32
    /// What it wrote to its standard output.
    package let output: String

    /// The program of the tests that uses the tested targets as it is told to.
    package static var probe: String {
        let directory = unsafe realpath("/proc/self/exe", nil).map { path in
            defer { unsafe free(path) }
            return unsafe String(cString: path).split(separator: "/").dropLast()
        }
        return "/" + (directory ?? []).joined(separator: "/") + "/Probe"
    }

    /// Runs a shell script, in which `$PROBE` is the probe.
    package static func shell(
        _ script: String, environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) throws -> Child {
        var environment = environment
        environment["PROBE"] = probe
        return try run(
            "/bin/sh", ["-c", script], environment: environment, descriptors: descriptors)
    }

    /// Runs a program with just this environment, and these descriptors under the given numbers.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) throws -> Child {
        let written = try anonymousFile()
        defer { close(written) }
        let variables = ["PATH=/usr/bin:/bin"] + environment.map { "\($0.key)=\($0.value)" }
        let pid = try spawn(
            program, arguments, variables, descriptors.merging([1: written]) { given, _ in given })
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return Child(
            status: signal == 0 ? status >> 8 : 128 + signal, output: content(of: written))
    }

    /// A file without a name: unlike a pipe it never fills up, and no other child can hold it open.
    private static func anonymousFile() throws -> Int32 {
        let path = "/tmp/ratingd-child-\(UInt64.random(in: 0 ... .max))"
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(code: errno) }
        unsafe unlink(path)
        return file
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ variables: [String],
        _ descriptors: [Int32: Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // Out of the way of the numbers that they get.
        let copies = descriptors.mapValues { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { for copy in copies.values { close(copy) } }
        for (number, copy) in copies {
            unsafe posix_spawn_file_actions_adddup2(&actions, copy, number)
        }
        var argv = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var envp = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe argv.indices { unsafe free(argv[index]) }
            for index in unsafe envp.indices { unsafe free(envp[index]) }
        }
        var pid: pid_t = 0
        let code = unsafe posix_spawn(&pid, program, &actions, nil, &argv, &envp)
        guard code == 0 else { throw Failure(code: code) }
        return pid
    }

    private static func content(of file: Int32) -> String {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe pread(file, &chunk, chunk.count, off_t(output.count))
            guard count > 0 else { return String(decoding: output, as: UTF8.self) }
            output += chunk[..<count]
        }
    }
}
