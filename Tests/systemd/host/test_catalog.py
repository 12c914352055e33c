"""One list of messages: docs/journal.md, the catalog and the code say the same."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.environ["RATINGD_TOP"]
ID = r"[0-9a-f]{32}"


def table():
    """Kind -> (MESSAGE_ID, priority) of docs/journal.md."""
    with open(f"{TOP}/docs/journal.md") as file:
        rows = re.findall(rf"^\| `([a-z-]+)` \| `({ID})` \| (\w+) \|", file.read(), re.M)
    return {kind: (identifier, priority) for kind, identifier, priority in rows}


def catalog():
    """MESSAGE_ID -> text of the catalog."""
    with open(f"{TOP}/systemd/ratingd.catalog") as file:
        parts = re.split(rf"^-- ({ID})\n", file.read(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def sources():
    texts = {}
    for path in glob.glob(f"{TOP}/Sources/**/*.swift", recursive=True):
        with open(path) as file:
            texts[path] = file.read()
    return texts


class Journal(unittest.TestCase):
    def test_every_kind_is_explained_in_the_catalog_and_nothing_else_is(self):
        self.assertEqual({i for i, _ in table().values()}, set(catalog()))

    def test_no_id_is_used_twice(self):
        self.assertEqual(len({i for i, _ in table().values()}), len(table()))

    def test_the_code_knows_the_ids_of_the_table_and_no_other(self):
        found = {}
        for path, text in sources().items():
            for identifier in re.findall(rf'"({ID})"', text):
                found.setdefault(identifier, path)
        known = {identifier: kind for kind, (identifier, _) in table().items()}
        strange = {i: p for i, p in found.items() if i not in known}
        missing = sorted(kind for i, kind in known.items() if i not in found)
        self.assertEqual((strange, missing), ({}, []))

    def test_every_entry_has_a_subject_and_says_who_defines_it(self):
        for identifier, text in catalog().items():
            self.assertRegex(text, r"\ASubject: \S.*\nDefined-By: ratingd\n", identifier)

    def test_the_catalog_names_only_fields_of_the_table(self):
        with open(f"{TOP}/docs/journal.md") as file:
            documented = set(re.findall(r"RATINGD_[A-Z_]+", file.read()))
        for identifier, text in catalog().items():
            self.assertLessEqual(set(re.findall(r"@(\w+)@", text)), documented, identifier)

    def test_journalctl_takes_the_catalog(self):
        if not shutil.which("journalctl"):
            self.skipTest("no journalctl")
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(f"{root}/usr/lib/systemd/catalog")
            os.makedirs(f"{root}/var/lib/systemd/catalog")
            shutil.copy(f"{TOP}/systemd/ratingd.catalog", f"{root}/usr/lib/systemd/catalog/")
            run = lambda *a: subprocess.run(
                ["journalctl", f"--root={root}", *a], capture_output=True, text=True)
            self.assertEqual(run("--update-catalog").stderr, "")
            listed = run("--list-catalog").stdout
        self.assertEqual(len(listed.splitlines()), len(table()))
