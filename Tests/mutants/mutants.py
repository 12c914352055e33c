"""The mutants: each breaks one promise or rule in the source, and tests have to notice.

`text` has to stand exactly once in the file. `tests` is a filter for `swift test`, or
`daemon:MODULE` for a module of the black-box tests. `Tests/tidy` looks that all of them still apply.
"""

import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    text: str
    broken: str
    tests: str

    def apply(self, root):
        """Breaks the source below `root`; answers what undoes it."""
        path = os.path.join(root, self.file)
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        if whole.count(self.text) != 1:
            raise ValueError(
                f"mutant '{self.name}': its text stands {whole.count(self.text)} times in {self.file}"
            )
        write(path, whole.replace(self.text, self.broken))
        return lambda: write(path, whole)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


POLICY = "RatingPolicyTests"
STORE = "RatingStoreTests"
DAEMON = "RatingDaemonTests"
WIRE = "RatingWireTests"

ALL = [
    # The rules.
    Mutant(
        "a window of 364 days", "Sources/RatingPolicy/Time.swift",
        "365 * day", "364 * day", POLICY),
    Mutant(
        "more than the sessions needed", "Sources/RatingPolicy/Eligibility.swift",
        "record.sessions.value >= policy", "record.sessions.value > policy", POLICY),
    Mutant(
        "more than the events needed", "Sources/RatingPolicy/Eligibility.swift",
        "count(of: name) >= need(of: name)", "count(of: name) > need(of: name)", POLICY),
    Mutant(
        "a cap of 4", "Sources/RatingPolicy/PolicyKey.swift",
        "(.integer(0...12), .integer(3), .smaller)", "(.integer(0...12), .integer(4), .smaller)",
        POLICY),
    Mutant(
        "one prompt above the cap", "Sources/RatingPolicy/Stamp+Sets.swift",
        "if young.count < cap {", "if young.count <= cap {", POLICY),
    Mutant(
        "a grant of exactly 365 days counts", "Sources/RatingPolicy/Stamp+Sets.swift",
        "count { $0.age(at: now) < span }", "count { $0.age(at: now) <= span }", POLICY),
    Mutant(
        "a clock set back frees the cap", "Sources/RatingPolicy/Stamp.swift",
        "return min(repaired ?? now, now)", "return repaired ?? WallTime(milliseconds: 0)", POLICY),
    Mutant(
        "only the last version is remembered", "Sources/RatingPolicy/Eligibility.swift",
        "record.grants.contains { $0.version == version }", "record.grants.last?.version == version",
        POLICY),
    Mutant(
        "an app may loosen the cap", "Sources/RatingPolicy/Policy.swift",
        "case .smaller: isLess(hello, base.value) ? wish : base", "case .smaller: wish", POLICY),
    Mutant(
        "never is only an outcome", "Sources/RatingPolicy/AppState+Outcome.swift",
        "if outcome == .never { record.isOptedOut = true }", "", POLICY),
    Mutant(
        "rated is over after exactly its days", "Sources/RatingPolicy/Eligibility.swift",
        "policy.daysAfterRated * .day + 1", "policy.daysAfterRated * .day", POLICY),
    Mutant(
        "forgetting frees the cap", "Sources/RatingPolicy/AppState+Outcome.swift",
        "        kept.grants = record.grants\n", "", POLICY),
    # The life of a request.
    Mutant(
        "no answer to confirm means yes", "Sources/RatingPolicy/AppState.swift",
        "return ended(deadline.isMissed(at: now) ? .stale : .confirmTimeout)",
        "return deadline.isMissed(at: now) ? ended(.stale) : granted(request, at: now.wall)", POLICY),
    Mutant(
        "the rules are not read again after confirm", "Sources/RatingPolicy/AppState.swift",
        "{ return ended(reason) }\n        return granted", "{ _ = reason }\n        return granted",
        POLICY),
    Mutant(
        "a restarted request is not checked again", "Sources/RatingPolicy/AppState.swift",
        "{ return ended(reason) }\n        guard request.asksConfirm",
        "{ if !request.isRestarted { return ended(reason) } }\n        guard request.asksConfirm",
        POLICY),
    Mutant(
        "a request that the machine slept through is asked", "Sources/RatingPolicy/Deadline.swift",
        "now.boottime > boottime.adding(Self.latenessMax)", "false", POLICY),
    Mutant(
        "the quiet time runs on the wall clock", "Sources/RatingDaemon/Shell/Moment+Now.swift",
        "nanoseconds: clocks.monotonicNanoseconds", "nanoseconds: clocks.wallMilliseconds * 1_000_000",
        "daemon:test_clock"),
    # Store, then tell.
    Mutant(
        "told before it is stored", "Sources/RatingDaemon/Core/Core+Turn.swift",
        "        var changes = StoreChanges()\n",
        "        for client in turn.clients { client.output.release() }\n"
        "        var changes = StoreChanges()\n",
        DAEMON),
    Mutant(
        "a grant is not synced", "Sources/RatingDaemon/Core/Core+Requests.swift",
        "        turn.isSynced = true\n", "", DAEMON),
    Mutant(
        "an outcome is not synced", "Sources/RatingDaemon/Core/Core+Choices.swift",
        "        app.content.state = state\n        turn.isSynced = true\n",
        "        app.content.state = state\n", DAEMON),
    Mutant(
        "the error of a sync is ignored", "Sources/RatingStore/StateStore+Disk.swift",
        "            logState.isDirty = true\n            throw broken(cause)\n",
        "            _ = cause\n            return\n", STORE),
    Mutant(
        "a failed sync is tried again for clients only", "Sources/RatingDaemon/Shell/DiskStorage.swift",
        "syncDue ?? recovery.due", "syncDue", DAEMON),
    Mutant(
        "a sync under way has succeeded", "Sources/RatingStore/StateStore+Disk.swift",
        "logState.isDirty || logState.isBeingSynced", "logState.isDirty", STORE),
    Mutant(
        "the cap is not counted again in the ledger", "Sources/RatingStore/StateStore+Commit.swift",
        "guard ofApp < check.cap else", "guard ofApp <= check.cap else", STORE),
    Mutant(
        "damaged state is deleted", "Sources/RatingStore/SetAside.swift",
        "try Files.rename(paths.database, to: aside)", "try Files.unlink(paths.database)", STORE),
    Mutant(
        "grants are made beside a ledger set aside", "Sources/RatingStore/StateStore.swift",
        "return !isBesideSetAside", "return true", STORE),
    Mutant(
        "what was tallied comes back over what came after it",
        "Sources/RatingStore/StateStore+Commit.swift",
        "            try database.settle()\n", "", STORE),
    Mutant(
        "a record is read without the tally", "Sources/RatingStore/Database+Read.swift",
        "        try apply(tally.marks(ofApp: app.row), to: &app.record)\n", "", STORE),
    Mutant(
        "a refused commit leaves its marks in the tally", "Sources/RatingStore/Database+Write.swift",
        "            isTallyKnown = false\n", "", STORE),
    Mutant(
        "what is remembered beside an app outlives its row", "Sources/RatingStore/KnownRows.swift",
        "        rows[key] = nil\n        state = State()\n", "        rows[key] = nil\n", STORE),
    Mutant(
        "what is remembered beside an app outlives a commit that failed",
        "Sources/RatingStore/KnownRows.swift",
        "        rows = [:]\n        state = State()\n", "        rows = [:]\n", STORE),
    Mutant(
        "a mark is taken for another with its hash", "Sources/RatingStore/WordIndex.swift",
        "while slots[slot] != 0, words[Int(slots[slot]) - 1] != word {",
        "while slots[slot] == .max {", STORE),
    Mutant(
        "a clock set back is tallied", "Sources/RatingStore/Tally.swift",
        "            lastSeen.first >= lastBefore.first\n", "            true\n", STORE),
    Mutant(
        "a sheet that changed is not written", "Sources/RatingStore/Tally.swift",
        "        changed |= 1 <<", "        changed = 1 <<", STORE),
    Mutant(
        "two daemons share one state", "Sources/Posix/LockFile.swift",
        "if error.code == EWOULDBLOCK { return false }", "if error.code == EWOULDBLOCK { return true }",
        "PosixTests"),
    # Who is asking.
    Mutant(
        "the app's name is taken from the message", "Sources/RatingPolicy/Identity.swift",
        "!isSandboxed || app == other", "true", POLICY),
    Mutant(
        "who cannot be read is not sandboxed", "Sources/RatingPolicy/Identity.swift",
        "case .flatpak, .snap, .unknown: true\n            case .unit, .socket, .claimed: false",
        "case .flatpak, .snap: true\n            case .unit, .socket, .claimed, .unknown: false",
        POLICY),
    Mutant(
        "a link is read as .flatpak-info", "Sources/PeerIdentity/PeerRoot.swift",
        "guard status.kind == .file else {\n            throw",
        "if status.kind != .file { return nil }\n        if false {\n            throw",
        "PeerIdentityTests"),
    Mutant(
        "every uid may name another", "Sources/RatingDaemon/Core/Core+Apps.swift",
        "guard surroundings.scope == .system, client.user.id == 0 else",
        "guard surroundings.scope == .system else", DAEMON),
    # Limits.
    Mutant(
        "lines are one byte longer", "Sources/RatingWire/LineFramer.swift",
        "guard end - start < Self.lineBytesMax else", "guard end - start <= Self.lineBytesMax else", WIRE),
    Mutant(
        "one message above the rate", "Sources/RatingPolicy/RateBucket.swift",
        "guard level >= wanted else", "guard level >= 0 else", POLICY),
    Mutant(
        "one event name too many", "Sources/RatingPolicy/EventCounts.swift",
        "names.count < namesMax", "names.count <= namesMax", POLICY),
    Mutant(
        "one process may make all apps", "Sources/RatingDaemon/Core/Core+Shares.swift",
        "own < share(of: .appsPerUid)", "own < Int(limits[.appsPerUid])", DAEMON),
    Mutant(
        "pending requests end with their connection's count", "Sources/RatingDaemon/Core/Core+Shares.swift",
        "client.process.content.pendingCount < share", "client.content.pendingCount < share", DAEMON),
    Mutant(
        "a process is forgotten with its last connection", "Sources/RatingDaemon/Core/Core+Shares.swift",
        "return content.pendingCount == 0 && content.appCount == 0", "return content.pendingCount == 0",
        DAEMON),
    Mutant(
        "rubbish costs nothing", "Sources/RatingDaemon/Core/Core+Answers.swift",
        "        _ = charge(client)\n        noteBadInput", "        noteBadInput", DAEMON),
    Mutant(
        "an agent that has hung up shows prompts", "Sources/RatingDaemon/Core/Core+Subscribers.swift",
        "&& !client.isHungUp", "", DAEMON),
    Mutant(
        "sockets are closed with unread bytes", "Sources/Posix/SocketIO.swift",
        "guard shutdown(fd, Int32(SHUT_RDWR)) == 0 else", "guard fd < 0 else", "PosixTests"),
    Mutant(
        "a process has a turn for each connection", "Sources/RatingDaemon/Shell/Backlog.swift",
        "processes.wait(process)", "processes.wait(ProcessPlace())", DAEMON),
    Mutant(
        "a user has a turn for each process", "Sources/RatingDaemon/Shell/Backlog.swift",
        "users.wait(user)", "users.wait(UserPlace())", DAEMON),
    Mutant(
        "events in a row cost nothing", "Sources/RatingDaemon/Core/Core+Streaks.swift",
        "        _ = charge(streak.client, price: Int64(streak.ids.count), cost: 0)\n", "", DAEMON),
    Mutant(
        "a streak goes on behind something else", "Sources/RatingDaemon/Core/Core+Turn.swift",
        "        recordStreaks()\n        isPerforming = true\n        answer(",
        "        endStreak()\n        isPerforming = true\n        answer(", DAEMON),
    Mutant(
        "a turn of streaks is stored without the rest", "Sources/RatingDaemon/Core/Core+Streaks.swift",
        "!streaks.isEmpty && apps.isEmpty && checks", "!streaks.isEmpty && checks", DAEMON),
    Mutant(
        "a streak goes on from what was not stored", "Sources/RatingDaemon/Core/Core+Turn.swift",
        "        for streak in turn.streaks { streak.app.streak = nil }\n", "", DAEMON),
    Mutant(
        "an app's events of two clients are counted once", "Sources/RatingDaemon/Core/Core+Streaks.swift",
        "guard let streak = app.streak else {", "guard let streak = app.streak, false else {", DAEMON),
    Mutant(
        "rises are stored beside what is tallied", "Sources/RatingStore/StateStore+Rises.swift",
        "                try database.settle()\n", "", "RatingStoreTests"),
    Mutant(
        "who was put aside stays unwatched", "Sources/RatingDaemon/Shell/EventLoop.swift",
        "        if !connection.hasWork { connection.isPutAside = false }\n", "",
        "daemon:test_many_clients"),
    Mutant(
        "a turn welcomes all who come", "Sources/RatingDaemon/Shell/EventLoop.swift",
        "backlog.isEmpty, welcomedIn != fresh.turn, seen", "backlog.isEmpty, seen",
        "daemon:test_many_clients"),
    Mutant(
        "a turn sees off all who go", "Sources/RatingDaemon/Shell/EventLoop.swift",
        "fresh.turn, seen < Self.readyMany,", "fresh.turn,", "daemon:test_many_clients"),
    Mutant(
        "a turn is worked off at once", "Sources/RatingDaemon/Core/Core+Pieces.swift",
        "limit: Self.appsAtOnce, at", "limit: 1_000, at", DAEMON),
    Mutant(
        "what a batch starts is told before its answer", "Sources/RatingDaemon/Core/Core+Subscribers.swift",
        "if client.isMidBatch {", "if client.isMidBatch, client.isClosing {", DAEMON),
    Mutant(
        "what the log held back is told by chance", "Sources/RatingDaemon/Core/Core+Requests.swift",
        "        tellHeldBack(until: now.monotonic)\n", "", DAEMON + ".LogTests"),
    Mutant(
        "lagged is lost with its subscription", "Sources/RatingDaemon/Core/Core+Subscribers.swift",
        "        tellLag(client)\n        client.content.subscription = nil",
        "        client.content.subscription = nil", DAEMON),
    Mutant(
        "who does not read is read from", "Sources/RatingDaemon/Shell/EventLoop+Lines.swift",
        "client.output.count <= core.outputBytesMax", "client.output.count >= 0",
        "daemon:test_slow_readers"),
    Mutant(
        "a busy service manager is told nothing more", "Sources/RatingDaemon/Shell/Watchdog.swift",
        "againAt = notifier.isWaiting ? now.monotonic.adding(Self.pause) : nil", "againAt = nil",
        "daemon:test_notify"),
    Mutant(
        "who is over the rate is looked out for", "Sources/RatingDaemon/Core/Core+Rates.swift",
        "if wait == nil { hasAccepted = true }", "hasAccepted = true", DAEMON),
    Mutant(
        "a policy's id is taken for the line's", "Sources/RatingWire/KnownLines.swift",
        "        if case .hello = call { return }\n", "        _ = call\n", WIRE),
    Mutant(
        "names may come twice in an object", "Sources/CJSON/TapeWriter.h",
        "has_duplicate(names, members) ? CJSON_DUPLICATE_NAME : CJSON_OK", "CJSON_OK", WIRE),
    Mutant(
        "half of a surrogate pair is a character", "Sources/CJSON/TapeWriter.h",
        "        if (has_surrogate(bytes, count)) return stop(CJSON_STRING);\n", "", WIRE),
    Mutant(
        "a NUL ends a text", "Sources/CJSON/CJSON.cpp",
        "is_at_end && text.Tell() != count ? CJSON_SYNTAX : status(error)", "status(error)", WIRE),
]
