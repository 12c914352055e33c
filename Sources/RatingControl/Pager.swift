internal import Glibc
internal import Posix

/// Shows long text on a terminal a page at a time.
package enum Pager {
    /// Prints the lines: through `$PAGER` (else `less`) if they are more than the terminal shows,
    /// else as they are.
    package static func show(_ lines: [String], to output: Output, allowed: Bool)
        throws(ControlFailure)
    {
        guard allowed, output.isTerminal, let rows = Terminal.rows(1), lines.count >= rows,
            let command = command(environment("PAGER")), try run(command, lines)
        else {
            return try output.print(lines)
        }
    }

    /// What the shell is to run; nil if the user wants none.
    static func command(_ value: String?) -> String? {
        guard let value else { return "less" }
        return value.isEmpty || value == "cat" ? nil : value
    }

    /// False if the pager cannot be started, and nothing was shown.
    private static func run(_ command: String, _ lines: [String]) throws(ControlFailure) -> Bool {
        // The rest of the screen stays, and a text that fits after all is just printed.
        unsafe setenv("LESS", "FRSXMK", 0)
        guard let pipe = unsafe popen(command + " 2>/dev/null", "we") else { return false }
        // Ctrl-C is for the pager, and one that ends early has shown all it was asked to.
        let oldInterrupt = signal(SIGINT, SIG_IGN)
        let oldPipe = signal(SIGPIPE, SIG_IGN)
        let text = lines.map { $0 + "\n" }.joined()
        unsafe fputs(text, pipe)
        let status = unsafe pclose(pipe)
        signal(SIGINT, oldInterrupt)
        signal(SIGPIPE, oldPipe)
        // 127: the shell did not find it.
        return (status >> 8) & 0xFF != 127
    }
}
