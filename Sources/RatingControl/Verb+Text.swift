extension Verb {
    package var summary: String {
        switch self {
        case .status: "how an app stands; without APP the daemon and all apps"
        case .explain: "every rule and every policy value for an app, and where it comes from"
        case .apps: "the apps that were seen"
        case .history: "the prompts an app was granted"
        case .report: "how many requests became prompts, and what became of the others"
        case .watch: "print decisions and counters as they happen"
        case .session: "tell that the app was started"
        case .event: "tell that something worth counting happened"
        case .activity: "tell that the user is busy"
        case .request: "ask for a prompt and wait for how it ends"
        case .outcome: "tell what became of a prompt"
        case .review: "print where a review can be written by hand"
        case .optOut: "never ask about an app"
        case .optIn: "allow prompts again, also after a 'never'"
        case .forget: "delete the counters of an app; its caps stay"
        case .ping: "see whether the daemon answers"
        case .stats: "what the daemon counts about itself, and its limits"
        case .whoami: "who the daemon thinks is calling"
        case .reload: "read the configuration again"
        case .clock: "let times that lie in the future count as now"
        case .logs: "show the daemon's journal with journalctl"
        case .call: "send any method and print the bare result"
        case .verify: "check configuration files without a daemon"
        case .socketPath: "print the path of the socket that would be used"
        case .version: "print the version of ratingctl"
        }
    }

    /// What its help says besides the summary; lines, none longer than 82 columns.
    package var details: [String] {
        switch self {
        case .status:
            [
                "The rules are listed with what is there, what is needed, whether they refuse, and",
                "when a rule about time will hold. Exit status 1: a request would be refused now.",
                "Asking changes nothing. Without APP the exit status is 0.",
            ]
        case .explain:
            [
                "Like status, with a sentence for each rule that does not hold, and the policy in",
                "force: each value with its source (default, hello, or a file). Exit status 1: a",
                "request would be refused now.",
            ]
        case .watch:
            [
                "One line for each decision and counter; --json prints one JSON text a line. Ends",
                "when the daemon stops (exit status 75) or the reader of its output goes away.",
            ]
        case .session:
            ["Messages closer together than SessionGapSec are one session."]
        case .event:
            ["Without NAME the event is called 'significant'."]
        case .activity:
            ["Exit status 1: no request was waiting."]
        case .request:
            [
                "ratingctl takes the place of the app: when the prompt is due, it prints it. Exit",
                "status 1: refused or cancelled. Report what became of it with 'outcome'. With",
                "--confirm it asks on the terminal before the prompt is granted; --confirm=yes or",
                "=no answers at once. Interrupting it cancels the request. No time limit unless",
                "--timeout is given. With --no-wait only --agent makes sense, as a prompt goes to",
                "the connection that asked; without it the request ends at once, disconnected.",
                "--json prints one object: 'decision' is granted, cancelled or refused (with",
                "--no-wait also pending), beside what the daemon says.",
            ]
        case .outcome:
            [
                "RESULT is shown (one more may follow), rated, later, declined, never, dismissed",
                "or failed. 'never' opts the app out. Exit status 1: the token is not known, or",
                "another outcome stands.",
            ]
        case .review:
            ["Counted as a manual review, never against the cap."]
        default:
            detailsOfManaging
        }
    }

    private var detailsOfManaging: [String] {
        switch self {
        case .optOut, .optIn:
            ["--all is a switch of its own beside those of the apps."]
        case .forget:
            [
                "An opt-out stays. With --ledger versions, tokens and outcomes go too, but the",
                "times of past prompts stay and count: forgetting never frees a cap.",
            ]
        case .reload:
            ["Exit status 1: the old configuration stays in force, with the reason."]
        case .clock:
            [
                "Only after the clock was wrong and is right again. The times first stored stay",
                "beside, so that a repair under a wrong clock frees nothing.",
            ]
        case .logs:
            [
                "What follows -- goes to journalctl: ratingctl logs org.example.Notes -- -o json.",
                "-n limits the number of entries. The entries are those of the service whose",
                "socket is meant, and of every ratingd if a socket elsewhere is named.",
            ]
        case .call:
            [
                "JSON is the object of parameters. It is checked before it is sent (exit status",
                "65), and the result is printed as JSON. Example:",
                "  ratingctl call history '{\"app\":\"org.example.Notes\",\"limit\":3}'",
            ]
        case .verify:
            [
                "Each line that would not be used is told with its place, and the exit status is",
                "65. In a folder apps.d a file is read as that of the app in its name. A whole",
                "directory is checked by 'ratingd --check-config --config DIR'.",
            ]
        default:
            []
        }
    }
}
