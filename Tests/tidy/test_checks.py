"""Each check finds what is wrong in a broken sample, and nothing in the sample put right."""

import os
import tempfile
import unittest

import checks
import swift_source
from tree import Tree


class CheckTests(unittest.TestCase):
    def problems(self, check, files):
        with tempfile.TemporaryDirectory(prefix="ratingd-tidy-") as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return list(check(Tree(root)))

    def assert_finds(self, check, path, wrong, right, others=None):
        """The check has one problem with `wrong` at that path and none with `right`."""
        others = {name: text for name, text in (others or {}).items() if name != path}
        found = self.problems(check, {path: wrong, **others})
        self.assertEqual(len(found), 1, found)
        self.assertEqual(self.problems(check, {path: right, **others}), [])
        return found[0]

    def test_imports_of_pure_targets(self):
        problem = self.assert_finds(
            checks.imports_of_pure_targets, "Sources/RatingPolicy/A.swift",
            "\ninternal import Glibc\n", "// import Glibc\n")
        self.assertEqual(
            problem, "Sources/RatingPolicy/A.swift:2: RatingPolicy may not import Glibc")
        self.assert_finds(
            checks.imports_of_pure_targets, "Sources/RatingWire/A.swift",
            "import struct Foundation.Date\n", "package import RatingPolicy\nimport CJSON\n")

    def test_imports_of_shells(self):
        self.assert_finds(
            checks.imports_of_shells, "Sources/RatingStore/A.swift",
            "import RatingConfig\n", "import Posix\nimport Glibc\n")
        self.assert_finds(
            checks.imports_of_shells, "Sources/RatingDaemon/A.swift",
            "import FoundationEssentials\n", "import RatingConfig\n")
        self.assertEqual(
            self.problems(
                checks.imports_of_shells, {"Sources/ratingctl/A.swift": "import Foundation\n"}), [])

    def test_banned_calls(self):
        for call in ["try! x()", "x as! Y", "print(1)", "Task { }", 'fatalError("")', "await x()"]:
            self.assert_finds(
                checks.banned_calls, "Sources/RatingDaemon/A.swift", f"let a = {call}\n",
                f'// {call}\nlet a = "{call.replace(chr(34), "")}" + b.print(1) + sprint(2)\n')

    def test_unsafe_code(self):
        self.assert_finds(
            checks.unsafe_code, "Sources/RatingWire/A.swift",
            "let a = unsafe b\n", "let a = b // unsafe\n",
            {"Sources/RatingWire/JSONParser.swift": "unsafe b\n",
             "Sources/Posix/A.swift": "unsafe c\n"})

    def test_function_lengths(self):
        def function(lines):
            return "struct A {\n    func b(c: D = E { f() }) -> G {\n" + "x()\n" * (lines - 2) + "}\n}\n"
        problem = self.assert_finds(
            checks.function_lengths, "Tests/A/A.swift", function(71), function(70))
        self.assertEqual(problem, "Tests/A/A.swift:2: func b has 71 lines, at most 70")
        self.assert_finds(
            checks.function_lengths, "Sources/A/A.swift",
            "var a: Int {\n" + "\n" * 69 + "}\n", "var a: Int {\n" + "\n" * 68 + "}\n")
        self.assert_finds(
            checks.function_lengths, "Tests/a/a.py",
            "def a():\n" + "    b()\n" * 70, "def a():\n" + "    b()\n" * 69)

    def test_file_lengths(self):
        self.assert_finds(
            checks.file_lengths, "Sources/A/A.cpp", "\n" * 351, "\n" * 350)

    def test_message_ids(self):
        one, two = "a" * 32, "b" * 32
        code = {"Sources/RatingDaemon/A.swift": f'case a = "{one}"\ncase b = "{two}"\n'}
        docs = {"docs/journal.md": f"`{one}` `{two}`\n"}
        self.assert_finds(
            checks.message_ids, "systemd/a.catalog", f"-- {one}\n", f"-- {one}\n-- {two}\n",
            {**code, **docs})
        self.assert_finds(
            checks.message_ids, "Sources/RatingDaemon/A.swift", f'"{one}"\n', f'"{one}" "{two}"\n',
            {"systemd/a.catalog": f"-- {one}\n-- {two}\n", **docs})

    def test_documented_protocol(self):
        method = ('enum Method: String {\n    case ping\n    case optOut = "opt_out"\n\n'
                  "    var a: Int {\n        switch self {\n        case .no: 1\n        }\n    }\n}\n")
        others = "".join(
            f"enum {name}: String {{\n    case {name.lower()}\n}}\n"
            for name in checks.PROTOCOL_WORDS if name != "Method")
        code = {
            "Sources/RatingWire/Method.swift": method,
            "Sources/RatingPolicy/Others.swift": others,
            "Sources/RatingPolicy/CancelReason.swift": 'case .stale: "stale"\n',
        }
        words = " ".join(name.lower() for name in checks.PROTOCOL_WORDS if name != "Method")
        self.assert_finds(
            checks.documented_protocol, "docs/protocol.md", words + " ping opt_out_all stale",
            words + " ping `opt_out` stale", code)
        self.assert_finds(
            checks.documented_protocol, "docs/man/ratingd-protocol.7.scd",
            words + " *ping* *opt\\_out*", words + " *ping* *opt\\_out* _stale_", code)
        # An enumeration that was renamed must not make the check idle.
        self.assert_finds(
            checks.documented_protocol, "Sources/RatingWire/Method.swift",
            method.replace("Method", "Verb"), method, code)

    def test_documented_policy(self):
        code = {
            "Sources/RatingPolicy/PolicyKey.swift":
                'case a = "DebounceMs"\ncase b = "User.Enabled"\n',
            "Sources/RatingPolicy/DaemonSettings.swift": 'case .a: "ConnectionsMax"\n',
            "Sources/RatingConfig/ConfigurationBuilder.swift": 'case "SyncSec":\n',
            "Sources/RatingPolicy/Rule.swift": 'case .a: "annual_cap"\n',
        }
        words = ["DebounceMs", "Enabled", "ConnectionsMax", "SyncSec", "annual_cap"]
        for word in words:
            self.assert_finds(
                checks.documented_policy, "docs/policy.md",
                " ".join(w for w in words if w != word), " ".join(words), code)

    def test_machine_traces(self):
        for trace in ["/ro" + "ot/x", "/ho" + "me/somebody/x", "/tmp/w" + "t/x",
                      "https://py" + "pi.org/x", "http://10.0.0." + "1/", "/wo" + "rk/x"]:
            self.assert_finds(
                checks.machine_traces, "docs/a.md", f"see {trace}\n",
                "see /proc/PID/ro" + "ot/x, /ho" + "me/ada/x, $HOME/wo" + "rk/x\n")

    def test_unfinished_work(self):
        self.assert_finds(checks.unfinished_work, "a/a.c", "// TO" + "DO\n", "// done\n")

    def test_links_in_docs(self):
        others = {"docs/b.md": "# The first one\n"}
        for link in ["c.md", "b.md#second", "#none"]:
            self.assert_finds(
                checks.links_in_docs, "docs/a.md", f"[a]({link})\n",
                "# Mine\n[a](b.md) [b](b.md#the-first-one) [c](https://x) [d](#mine)\n", others)

    def test_mutants_apply(self):
        sample = 'ALL = [Mutant("n", "Sources/A/A.swift", "b"\n " c", "", "T")]\n'
        for source in ["a b  c\n", "b c b c\n"]:
            self.assert_finds(
                checks.mutants_apply, "Sources/A/A.swift", source, "a b c\n",
                {"Tests/mutants/mutants.py": sample})


class SwiftSourceTests(unittest.TestCase):
    def test_masks_comments_and_strings(self):
        text = 'a // b "c\n"d \\(e("f")) g" h /* i /* j */ k */ l #"m" \\(n)"# o\n"""\np"q\n""" r'
        masked = swift_source.masked(text)
        self.assertEqual(masked.split(), ["a", "h", "l", "o", "r"])
        self.assertEqual([len(line) for line in masked.split("\n")],
                         [len(line) for line in text.split("\n")])

    def test_finds_functions_and_their_lengths(self):
        text = ("protocol A {\n  func b()\n  init()\n}\nfunc `c d`(\n  e: F\n) throws(G)\n  -> H {\n}\n"
                "init?(a: [B]) {\n  self.init(c)\n}\nvar d: E {\n  f\n}\ndeinit {}\n")
        # `deinit` has no parentheses: it is found by its name.
        self.assertEqual(
            [(number, name, lines) for number, name, lines in swift_source.functions(text)],
            [(5, "func `c d`", 5), (10, "init?", 3), (13, "var d", 3), (16, "deinit", 1)])

    def test_finds_imports(self):
        text = "// import A\npackage import B\n@testable import C\nimport func D.e\nlet x = important\n"
        self.assertEqual(list(swift_source.imports(text)), [(2, "B"), (3, "C"), (4, "D")])


if __name__ == "__main__":
    unittest.main()
