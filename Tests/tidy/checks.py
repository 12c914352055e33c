"""The checks; each takes a Tree and gives back lines of text, one for each problem."""

import ast
import posixpath
import re

import swift_source

# What a target may import beside nothing at all; those not named here may import anything that
# Package.swift lets them.
PURE_IMPORTS = {"RatingPolicy": set(), "RatingWire": {"RatingPolicy", "CJSON"}}
# What runs in the daemon's process.
DAEMON_TARGETS = {
    "RatingPolicy", "RatingWire", "Posix", "Systemd", "RatingStore", "RatingConfig",
    "PeerIdentity", "RatingDaemon", "ratingd"}
# Shells know the system; of each other they know Posix only. RatingDaemon is where they meet.
SHELLS = {"Systemd", "RatingStore", "RatingConfig", "PeerIdentity"}
BANNED = {
    r"\btry!": "try!", r"\bas!": "as!", r"(?<![\w.])print\(": "print(",
    r"\bTask(?:\.detached)?\s*\{": "Task {", r"\bfatalError\(": "fatalError(",
    r"\bawait\b": "await"}
# Where a pure target may touch memory: the seam to the reader of JSON.
UNSAFE_ALLOWED = {"Sources/RatingWire/JSONParser.swift"}
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 350
TEXT_SUFFIXES = (
    ".swift", ".c", ".cpp", ".h", ".modulemap", ".py", ".md", ".scd", ".conf", ".service",
    ".socket", ".catalog", ".fish")
# The enumerations whose values are words of the protocol.
PROTOCOL_WORDS = {
    "Method": "the method", "Reason": "the error", "Limit": "the limit",
    "Outcome": "the outcome", "Source": "the identity", "Topic": "the topic",
    "Decision": "the decision", "ByeReason": "the reason of bye"}
MESSAGE_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")


def target(path):
    """`Name` of `Sources/Name/…`."""
    return path.split("/")[1] if path.startswith("Sources/") else ""


def daemon_sources(tree):
    return [p for p in tree.find("Sources/", ".swift") if target(p) in DAEMON_TARGETS]


def imports_of_pure_targets(tree):
    """pure targets import no more than they may"""
    for path in tree.find("Sources/", ".swift"):
        allowed = PURE_IMPORTS.get(target(path))
        for number, module in swift_source.imports(tree.read(path)):
            if allowed is not None and module not in allowed:
                yield f"{path}:{number}: {target(path)} may not import {module}"


def imports_of_shells(tree):
    """shells do not import each other, and nothing in the daemon imports Foundation"""
    for path in daemon_sources(tree):
        for number, module in swift_source.imports(tree.read(path)):
            if module.startswith("Foundation") or module == "Dispatch":
                yield f"{path}:{number}: the daemon does without {module}"
            if target(path) in SHELLS | {"Posix"} and module in SHELLS - {target(path)}:
                yield f"{path}:{number}: the shell {target(path)} may not import {module}"


def banned_calls(tree):
    """no banned call in the daemon"""
    for path in daemon_sources(tree):
        for number, line in enumerate(swift_source.masked(tree.read(path)).split("\n"), 1):
            for pattern, name in BANNED.items():
                if re.search(pattern, line):
                    yield f"{path}:{number}: {name}"


def unsafe_code(tree):
    """unsafe code in shells only, and in the one seam of the wire"""
    for path in tree.find("Sources/", ".swift"):
        if target(path) not in PURE_IMPORTS or path in UNSAFE_ALLOWED:
            continue
        for number, line in enumerate(swift_source.masked(tree.read(path)).split("\n"), 1):
            if re.search(r"(?<!@)\bunsafe\b", line):
                yield f"{path}:{number}: unsafe in a pure target"


def function_lengths(tree):
    """no function is longer than the wall"""
    for path in tree.find("", ".swift"):
        for number, name, lines in swift_source.functions(tree.read(path)):
            if lines > FUNCTION_LINES_MAX:
                yield f"{path}:{number}: {name} has {lines} lines, at most {FUNCTION_LINES_MAX}"
    for path in tree.find("", ".py"):
        for node in ast.walk(ast.parse(tree.read(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = node.end_lineno - node.lineno + 1
                if lines > FUNCTION_LINES_MAX:
                    yield (f"{path}:{node.lineno}: {node.name} has {lines} lines, "
                           f"at most {FUNCTION_LINES_MAX}")


def file_lengths(tree):
    """no file of Swift, C or C++ is too long"""
    for suffix in (".swift", ".c", ".cpp", ".h"):
        for path in tree.find("", suffix):
            lines = len(tree.read(path).splitlines())
            if lines > FILE_LINES_MAX:
                yield f"{path}: {lines} lines, at most {FILE_LINES_MAX}"


def message_ids(tree):
    """code, catalog and docs know the same kinds of journal entries"""
    catalog = tree.text("systemd/", ".catalog")
    known = {
        "the code": set(MESSAGE_ID.findall(tree.text("Sources/RatingDaemon/", ".swift"))),
        "the catalog": set(re.findall(r"^-- ([0-9a-f]{32})$", catalog, re.M)),
        "docs/journal.md": set(MESSAGE_ID.findall(tree.text("docs/journal.md"))),
    }
    present = {place: ids for place, ids in known.items() if ids}
    for message in sorted(set().union(*present.values())):
        for place in present:
            if message not in present[place]:
                yield f"{message} is missing in {place}"


def raw_values(tree, enum):
    """The raw values of a Swift enumeration of the pure targets, in order; [] if there is none.

    A case without a raw value has its own name.
    """
    for path in [p for name in PURE_IMPORTS for p in tree.find(f"Sources/{name}/", ".swift")]:
        code = tree.read(path)
        start = re.search(rf"\benum {enum}\s*:\s*String\b[^{{]*{{", code)
        if start:
            break
    else:
        return []
    depth, end = 1, start.end()
    while end < len(code) and depth:
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    body = code[start.end():end]
    # Cases of nested enumerations and of switches are deeper.
    cases = re.findall(rf"^{_indent(body)}case (\w+)(?: = \"([^\"]*)\")?", body, re.M)
    return [text or name for name, text in cases]


def _indent(body):
    match = re.search(r"^( *)case ", body, re.M)
    return match.group(1) if match else ""


def documented(tree, words, places, kind):
    """Problems for all words that are not in each of the documents; one not there yet is skipped."""
    for place in places:
        text = tree.read(place)
        if place.endswith(".scd"):
            # Underscores around words are emphasis, those within may be escaped: _opt\_out_.
            text = re.sub(r"(?<![\\\w])_|_(?!\w)", " ", text).replace("\\", "")
        for word in words:
            if text and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text):
                yield f"{place}: says nothing of {kind} {word}"


def documented_protocol(tree):
    """docs and man page name every method, error, notification and limit of the protocol"""
    places = ["docs/protocol.md", "docs/man/ratingd-protocol.7.scd"]
    for enum, kind in PROTOCOL_WORDS.items():
        words = raw_values(tree, enum)
        if not words:
            yield f"Tests/tidy/checks.py: there is no enumeration {enum} any more"
        yield from documented(tree, words, places, kind)
    code = tree.read("Sources/RatingPolicy/CancelReason.swift")
    reasons = re.findall(r'case \.\w+: "(\w+)"', code)
    if not reasons:
        yield "Tests/tidy/checks.py: there are no reasons in CancelReason.swift any more"
    yield from documented(tree, reasons, places, "the cancellation")


def documented_policy(tree):
    """docs and man pages name every key and every rule of the policy"""
    policy = "Sources/RatingPolicy/"
    keys, rules = ["docs/policy.md", "docs/man/ratingd.conf.5.scd"], [
        "docs/policy.md", "docs/man/ratingd-policy.7.scd"]
    for source, pattern, places, kind in [
            (policy + "PolicyKey.swift", r'case \w+ = "(?:User\.)?(\w+)"', keys, "the key"),
            (policy + "DaemonSettings.swift", r'case \.\w+: "([A-Z]\w+)"', keys, "the key"),
            ("Sources/RatingConfig/ConfigurationBuilder.swift", r'case "([A-Z]\w+)":', keys,
             "the key"),
            (policy + "Rule.swift", r'case \.\w+: "(\w+)"', rules, "the rule")]:
        words = re.findall(pattern, tree.read(source))
        if not words:
            yield f"Tests/tidy/checks.py: there is no such word in {source} any more: {kind}"
        yield from documented(tree, words, places, kind)


def machine_traces(tree):
    """no path of one machine, no package registry and no address of a private net in the tree"""
    # In pieces, so that this file is not found.
    patterns = [
        r"(?<![\w}/.$-])/ro" + r"ot/", r"(?<![\w}/.$-])/ho" + r"me/(?!(?:ada|lab|other|user|you)\b)\w",
        r"/tmp/w" + r"t\b", r"(?<![\w}/.-])/wo" + r"rk/", r"\.py" + r"env\b",
        r"\b(?:py" + r"pi\.org|registry\.np" + r"mjs\.org|crates\.io|proxy\.gol" + r"ang\.org)",
        r"\b(?:deb\.deb" + r"ian\.org|security\.deb" + r"ian\.org|docker\.i" + r"o|ghcr\.i" + r"o)\b",
        r"https?://(?:\d{1,3}\.){3}\d", r"https?://local" + r"host\b"]
    for path in tree.paths:
        for number, line in enumerate(tree.read(path).split("\n"), 1):
            for pattern in patterns:
                match = re.search(pattern, line)
                if match:
                    yield f"{path}:{number}: {match.group(0)}"


def unfinished_work(tree):
    """nothing is left for later"""
    for path in tree.paths:
        if not path.endswith(TEXT_SUFFIXES):
            continue
        for number, line in enumerate(tree.read(path).split("\n"), 1):
            match = re.search(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X:)", line)
            if match:
                yield f"{path}:{number}: {match.group(0)}"


def links_in_docs(tree):
    """links between documents lead somewhere"""
    for path in tree.find("", ".md"):
        text = re.sub(r"```.*?```", "", tree.read(path), flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", link):
                continue
            file, _, anchor = link.partition("#")
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            if not tree.exists(goal):
                yield f"{path}: {link} leads nowhere"
            elif anchor and anchor not in _anchors(tree.read(goal)):
                yield f"{path}: {link} leads to no heading"


def _anchors(text):
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def mutants_apply(tree):
    """the text that each mutant breaks stands once in its file"""
    path = "Tests/mutants/mutants.py"
    for node in ast.walk(ast.parse(tree.read(path))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Mutant":
            file, text = (ast.literal_eval(argument) for argument in node.args[1:3])
            if tree.read(file).count(text) != 1:
                yield f"{path}:{node.lineno}: stands {tree.read(file).count(text)} times in {file}"


ALL = [
    imports_of_pure_targets, imports_of_shells, banned_calls, unsafe_code, function_lengths,
    file_lengths, message_ids, documented_protocol, documented_policy, machine_traces,
    unfinished_work, links_in_docs, mutants_apply]
