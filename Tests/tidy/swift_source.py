"""Just enough of Swift's grammar to look at code without its comments and its text."""

import re

DECLARATION = re.compile(r"\b(func\s+[^\s(<]+|func\s+`[^`]*`|init\b[?!]?|deinit|subscript)\s*[(<{`]")
PROPERTY = re.compile(r"\b(var\s+\w+)\s*:[^={}\n]*\{")


def masked(text):
    """The same text, line by line, with blanks in place of comments and of what is in quotes."""
    out = []
    at = 0
    while at < len(text):
        end = _end_of_comment(text, at) or _end_of_string(text, at)
        if end is None:
            out.append(text[at])
            at += 1
        else:
            out.append("".join(c if c == "\n" else " " for c in text[at:end]))
            at = end
    return "".join(out)


def _end_of_comment(text, at):
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if not text.startswith("/*", at):
        return None
    depth = 0
    while at < len(text):
        if text.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif text.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1
    return at


def _end_of_string(text, at):
    start = re.compile(r'(#*)("""|")').match(text, at)
    if not start:
        return None
    hashes, quote = start.groups()
    close, escape = quote + hashes, "\\" + hashes
    at = start.end()
    while at < len(text):
        if text.startswith(escape + "(", at):
            at = _end_of_interpolation(text, at + len(escape) + 1)
        elif text.startswith(escape, at):
            at += len(escape) + 1
        elif text.startswith(close, at):
            return at + len(close)
        elif quote == '"' and text[at] == "\n":
            return at
        else:
            at += 1
    return at


def _end_of_interpolation(text, at):
    depth = 1
    while at < len(text) and depth:
        end = _end_of_string(text, at)
        if end is not None:
            at = end
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def imports(text):
    """Pairs of line number and module; `import struct Foundation.Date` counts as Foundation."""
    pattern = re.compile(
        r"^\s*(?:@\w+\s+)*(?:public\s+|package\s+|internal\s+|private\s+|fileprivate\s+)?import\s+"
        r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)")
    for number, line in enumerate(masked(text).split("\n"), 1):
        match = pattern.match(line)
        if match:
            yield number, match.group(1)


def functions(text):
    """Triples of line number, declaration and number of lines of every function with a body."""
    code = masked(text)
    for match in sorted(
            [*DECLARATION.finditer(code), *PROPERTY.finditer(code)], key=lambda m: m.start()):
        is_property = match.re is PROPERTY
        opening = match.end() - 1 if is_property else _body(code, match.start())
        if opening is None:
            continue
        depth = 0
        for end in range(opening, len(code)):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            if depth == 0:
                break
        first = code.count("\n", 0, match.start()) + 1
        last = code.count("\n", 0, end) + 1
        yield first, match.group(1), last - first + 1


def _body(code, at):
    """Where the body of the declaration begins; None if it has none (protocols, calls of init)."""
    depth = 0
    while at < len(code):
        character = code[at]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth < 0:
                return None
        elif character == "{" and depth == 0:
            return at
        elif character == "}" and depth == 0:
            return None
        elif character == "\n" and depth == 0 and not _goes_on(code, at):
            return None
        at += 1
    return None


def _goes_on(code, at):
    """True if the declaration before this line feed is continued in the next line."""
    following = code[at + 1:].lstrip()
    before = code[:at].rstrip()
    return before.endswith(("->", ",", "where", "throws", "async", "==", "&")) or following.startswith(
        ("->", "{", "throws", "async", "where", ")", "rethrows"))
