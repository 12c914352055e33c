"""Man pages build without a warning and leave nothing out; completions work in their shells."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.environ["RATINGD_TOP"]
PAGES = sorted(glob.glob(f"{TOP}/docs/man/*.scd"))
# A stand-in for ratingctl that knows three apps and writes down what it was called with.
STAND_IN = """#!/bin/sh
echo "$*" >> "${0%/*}/calls"
echo '{"apps":[{"app":"org.gnome.Maps","sessions":1},{"app":"org.gnome.Music"},{"app":"de.x.A_b"}]}'
"""


def page(name):
    with open(f"{TOP}/docs/man/{name}.scd") as file:
        return file.read().replace("\\", "")


class ManPages(unittest.TestCase):
    def test_there_are_six(self):
        self.assertEqual(
            [os.path.basename(p) for p in PAGES],
            ["ratingctl.1.scd", "ratingd-bench.1.scd", "ratingd-policy.7.scd", "ratingd-protocol.7.scd", "ratingd.8.scd",
             "ratingd.conf.5.scd"])

    def test_each_builds_and_man_has_nothing_to_say(self):
        if not shutil.which("scdoc"):
            self.skipTest("no scdoc: apt-get install scdoc")
        for path in PAGES:
            with self.subTest(os.path.basename(path)), open(path) as source, \
                    tempfile.NamedTemporaryFile(suffix=".man") as target:
                built = subprocess.run(["scdoc"], stdin=source, stdout=target, stderr=subprocess.PIPE)
                self.assertEqual((built.returncode, built.stderr), (0, b""))
                if shutil.which("man"):
                    shown = subprocess.run(
                        ["man", "-l", "--warnings", target.name], capture_output=True, text=True,
                        env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80"))
                    self.assertEqual(shown.stderr, "")

    def test_every_page_that_is_referred_to_exists(self):
        ours = {os.path.basename(p)[:-4] for p in PAGES}
        for path in PAGES:
            with open(path) as file:
                named = re.findall(r"\*(rating[\w.-]+)\*\((\d)\)", file.read())
            self.assertLessEqual({f"{n}.{s}" for n, s in named}, ours, path)


def completions(command):
    """What completes the command in each shell."""
    texts = {}
    for shell, name in (("bash", command), ("zsh", f"_{command}"), ("fish", f"{command}.fish")):
        with open(f"{TOP}/docs/completions/{shell}/{name}") as file:
            texts[shell] = file.read()
    return texts


def exit_codes(path, pattern):
    """The exit codes that a source names."""
    with open(f"{TOP}/Sources/{path}") as file:
        return set(re.findall(pattern, file.read(), re.M))


def verbs():
    """The verbs of ratingctl, from its sources."""
    path = f"{TOP}/Sources/RatingControl/Verb.swift"
    if not os.path.exists(path):
        return set()
    with open(path) as file:
        cases = re.findall(r'^    case ([a-zA-Z]+)(?: = "([a-z-]+)")?$', file.read(), re.M)
    return {raw or name for name, raw in cases}


def options():
    """The long options of ratingctl, from its sources."""
    path = f"{TOP}/Sources/RatingControl/Option.swift"
    if not os.path.exists(path):
        return set()
    with open(path) as file:
        cases = re.findall(r'^    case ([a-zA-Z]+)(?: = "([a-z-]+)")?$', file.read(), re.M)
    return {raw or name for name, raw in cases}


class RatingctlIsDescribed(unittest.TestCase):
    def setUp(self):
        if not verbs():
            self.skipTest("ratingctl is not there yet")

    def test_the_man_page_has_every_verb_and_option_and_no_other_verb(self):
        text = page("ratingctl.1")
        documented = {
            word for line in re.findall(r"^\*[^\t].*$", text.split("# LOOKING")[1].split("# EXIT")[0], re.M)
            for word in re.findall(r"(?:^|, )\*([a-z-]+)(?: repair)?\*", line)}
        self.assertEqual({v for v in verbs() if v not in documented}, set())
        self.assertLessEqual({d for d in documented if not d.startswith("-")}, verbs())
        self.assertEqual({o for o in options() if f"--{o}" not in text}, set())

    def test_every_completion_has_every_verb_and_option(self):
        for shell, text in completions("ratingctl").items():
            for verb in verbs():
                self.assertRegex(text, rf"(?<![a-z-]){verb}(?![a-z])", shell)
            for option in options() - {"version"}:
                dashed = rf"-l {option}\b" if shell == "fish" else rf"--{option}\b"
                self.assertRegex(text, dashed, shell)


class RatingdIsDescribed(unittest.TestCase):
    def test_man_page_and_completions_have_every_option(self):
        with open(f"{TOP}/Sources/RatingDaemon/Shell/Options.swift") as source:
            options = set(re.findall(r'"--([a-z-]+)"', source.read()))
        self.assertLessEqual({"check-config", "socket", "help"}, options)
        texts = {"man": page("ratingd.8"), **completions("ratingd")}
        for place, text in texts.items():
            for option in options:
                dashed = rf"-l {option}\b" if place == "fish" else rf"--{option}\b"
                self.assertRegex(text, dashed, place)


class BenchIsDescribed(unittest.TestCase):
    def test_man_page_and_completions_have_every_option_and_load(self):
        def raw_values(file, enum):
            with open(f"{TOP}/Sources/RatingBench/{file}.swift") as source:
                body = re.search(rf"enum {enum}\b.*?\n    (?:package )?var ", source.read(), re.S)
            cases = re.findall(r'^    case (\w+)(?: = "(?:--)?([a-z-]+)")?$', body.group(), re.M)
            return {raw or name for name, raw in cases}

        options, loads = raw_values("BenchOption", "BenchOption"), raw_values("Mix", "Load")
        self.assertLessEqual({"connections", "warm-up"}, options)
        self.assertLessEqual({"event", "ping"}, loads)
        texts = {"man": page("ratingd-bench.1"), **completions("ratingd-bench")}
        for place, text in texts.items():
            for option in options:
                dashed = rf"-l {option}\b" if place == "fish" else rf"--{option}\b"
                self.assertRegex(text, dashed, place)
            for load in loads:
                self.assertRegex(text, rf"(?<![a-z]){load}(?![a-z])", place)


class ExitCodesAreDescribed(unittest.TestCase):
    def test_the_pages_have_the_codes_of_the_sources_and_no_others(self):
        for name, path, pattern in (
                ("ratingctl.1", "RatingControl/ExitCode.swift", r"^    case \w+ = (\d+)$"),
                ("ratingd.8", "RatingDaemon/Shell/Daemon.swift", r"static let \w+: Int32 = (\d+)$")):
            section = page(name).split("# EXIT STATUS")[1].split("\n# ")[0]
            documented = set(re.findall(r"^\*(\d+)\*$", section, re.M))
            self.assertEqual(documented, exit_codes(path, pattern), name)


class Completions(unittest.TestCase):
    def setUp(self):
        base = tempfile.TemporaryDirectory()
        self.addCleanup(base.cleanup)
        self.base = base.name
        with open(f"{self.base}/ratingctl", "w") as file:
            file.write(STAND_IN)
        os.chmod(f"{self.base}/ratingctl", 0o755)
        self.environment = dict(os.environ, PATH=f"{self.base}:{os.environ['PATH']}", HOME=self.base,
                                TERM="dumb")

    def shell(self, *argv):
        if not shutil.which(argv[0]):
            self.skipTest(f"no {argv[0]}: apt-get install {argv[0]}")
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=60, env=self.environment, cwd=self.base)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def calls(self):
        with open(f"{self.base}/calls") as file:
            return file.read().splitlines()

    def bash(self, *words):
        return self.shell("bash", "-c", f"""
            source '{TOP}/docs/completions/bash/{words[0]}'
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _{words[0].replace("-", "_")}
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """, "bash", *words).split()

    def fish(self, text):
        out = self.shell(
            "fish", "-c",
            f"source '{TOP}/docs/completions/fish/{text.split()[0]}.fish'; complete -C $argv", text)
        return [line.split("\t")[0] for line in out.splitlines()]

    def zsh(self, *lines):
        return self.shell("zsh", "-f", "-c", f"""
            zmodload zsh/zpty
            zpty inner zsh -f -i
            zpty -w inner "PS1=; fpath=('{TOP}/docs/completions/zsh' \\$fpath)
                autoload -U compinit; compinit -u -D; bindkey '^X' list-choices; echo READ''Y"
            zpty -r inner out '*READY*'
            for line in "$@"; do
                zpty -n -w inner "$line"$'\\C-X'
                sleep 1
                zpty -n -w inner $'\\C-U'
                sleep 0.2
                while zpty -rt inner part; do print -r -- "$part"; done
            done
            zpty -d inner
        """, "zsh", *lines)

    def test_bash_completes_verbs_apps_and_results(self):
        self.assertEqual(self.bash("ratingctl", "sta"), ["status", "stats"])
        self.assertEqual(self.bash("ratingctl", "--system", "explain", "org."),
                         ["org.gnome.Maps", "org.gnome.Music"])
        self.assertEqual(self.bash("ratingctl", "outcome", "token", "l"), ["later"])
        self.assertEqual(self.bash("ratingctl", "opt-out", "--a"), ["--all"])
        self.assertEqual(self.bash("ratingctl", "--socket", "=", "/x", "explain", "de"), ["de.x.A_b"])
        self.assertEqual(self.calls(), ["--system --json=short apps", "--socket /x --json=short apps"])

    def test_fish_completes_verbs_apps_and_results(self):
        self.assertEqual(self.fish("ratingctl sta"), ["stats", "status"])
        self.assertEqual(self.fish("ratingctl --system explain org."),
                         ["org.gnome.Maps", "org.gnome.Music"])
        self.assertEqual(self.fish("ratingctl outcome token l"), ["later"])
        self.assertEqual(self.calls(), ["--system --json=short apps"])

    def test_zsh_completes_verbs_apps_and_results(self):
        out = self.zsh("ratingctl sta", "ratingctl --system explain ", "ratingctl outcome token ")
        for word in ("status", "stats", "org.gnome.Maps", "de.x.A_b", "dismissed"):
            self.assertIn(word, out)
        self.assertEqual(self.calls(), ["--system --json=short apps"])

    def test_bash_completes_values_after_the_equals_sign(self):
        self.assertEqual(self.bash("ratingctl", "--json", "="), ["short", "pretty"])
        self.assertEqual(self.bash("ratingctl", "status", "--json", "=", "p"), ["pretty"])
        self.assertEqual(self.bash("ratingctl", "watch", "--topic", "=", "d"), ["decisions"])
        self.assertEqual(self.bash("ratingctl", "--limit", "=", "s"), [])
        self.assertEqual(self.bash("ratingctl", "--json", "=", "short", "sta"), ["status", "stats"])
        self.assertEqual(self.bash("ratingctl", "request", "--confirm", "=", "yes", "de"), ["de.x.A_b"])
        self.assertEqual(self.bash("ratingctl", "status", "--no"), ["--no-pager"])
        self.assertEqual(self.bash("ratingd-bench", "--peer", "=", "r"), ["ratingd", "redis"])

    def test_fish_completes_values_after_the_equals_sign(self):
        self.assertEqual(self.fish("ratingctl --json="), ["--json=pretty", "--json=short"])
        self.assertEqual(self.fish("ratingctl request --confirm=y"), ["--confirm=yes"])
        self.assertEqual(self.fish("ratingctl --socket=/x status de"), ["de.x.A_b"])
        self.assertEqual(self.calls()[-1], "--socket=/x --json=short apps")

    def test_zsh_completes_values_after_the_equals_sign(self):
        out = self.zsh("ratingctl ping --json=", "ratingctl --socket=/x status ", "ratingd-bench --peer=")
        for word in ("pretty", "short", "de.x.A_b", "redis"):
            self.assertIn(word, out)
        self.assertEqual(self.calls(), ["--socket=/x --json=short apps"])

    def test_options_of_ratingd(self):
        os.mkdir(f"{self.base}/dir")
        with open(f"{self.base}/dish", "w"):
            pass
        self.assertEqual(self.bash("ratingd", "--c"), ["--config", "--check-config"])
        self.assertEqual(self.bash("ratingd", "--state", "di"), ["dir"])
        self.assertEqual(self.bash("ratingd", "--config", "=", "di"), ["dir"])
        self.assertEqual(self.bash("ratingd", "--socket", "=", "di"), ["dir", "dish"])
        self.assertEqual(self.fish("ratingd --c"), ["--check-config", "--config"])
        self.assertEqual(self.fish("ratingd --config=dir"), ["--config=dir/"])
        out = self.zsh("ratingd --che", "ratingd --state=")
        self.assertRegex(out, "check-config")
        self.assertRegex(out, "dir/")
        self.assertNotRegex(out, "dish")
