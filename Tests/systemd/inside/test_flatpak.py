"""Real Flatpak apps, from a repository made here, and desktop apps in real scopes."""

import json
import os
import shutil
import sys
import unittest

from support import ServiceTest, run, until

RUN_AS = "lab"
# Its manifest knows nothing of ratingd.
PLAIN = "org.example.Plain"
# That one was given the directory of the daemon's own socket.
ALLOWED = "org.example.Allowed"
RUNTIME = "org.example.Platform"
MISSING = [tool for tool in ("flatpak", "ostree", "busybox", "cc") if not shutil.which(tool)]
POLICY = "[Policy]\nSessionsUntilPrompt=0\nEventsUntilPrompt=0\nDaysUntilPrompt=0\nDebounceMs=50\n"

CLIENT = """
import json, socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(10)
peer.connect(sys.argv[1])
peer.sendall(sys.argv[2].encode() + b"\\n")
print(peer.makefile().readline(), end="")
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def build(repository, kind, name, metadata):
    """One runtime or app of static programs, put into the repository."""
    folder = f"{os.path.dirname(repository)}/{name}"
    write(f"{folder}/metadata", metadata)
    for top in ("files", "usr"):
        os.makedirs(f"{folder}/{top}/bin")
    if kind == "--runtime":
        for top in ("files", "usr"):
            shutil.copy(shutil.which("busybox"), f"{folder}/{top}/bin/sh")
    else:
        os.makedirs(f"{folder}/export")
        run("cc", "-static", "-O1", "-Wall", "-Werror", "-o", f"{folder}/files/bin/peer",
            "/lab/flatpak_peer.c")
    run("flatpak", "build-export", "--disable-sandbox", *([kind] if kind else []), repository,
        folder, "1")


def request(method, **params):
    return json.dumps({"id": 1, "method": method, "params": params})


@unittest.skipIf(MISSING, f"needs {' '.join(MISSING)}")
class Flatpak(ServiceTest):
    @classmethod
    def setUpClass(cls):
        base = os.path.expanduser("~/flatpak-test")
        repository = f"{base}/repository"
        os.makedirs(base)
        run("ostree", "init", "--mode=archive-z2", f"--repo={repository}")
        platform = f"{RUNTIME}/{os.uname().machine}/1"
        build(repository, "--runtime", RUNTIME,
              f"[Runtime]\nname={RUNTIME}\nruntime={platform}\nsdk={platform}\n")
        for app, more in ((PLAIN, ""), (ALLOWED, "[Context]\nfilesystems=xdg-run/ratingd;\n")):
            build(repository, None, app,
                  f"[Application]\nname={app}\nruntime={platform}\ncommand=peer\n{more}")
        run("flatpak", "build-update-repo", repository)
        run("flatpak", "--user", "remote-add", "--no-gpg-verify", "lab", repository)
        for name in (f"runtime/{platform}", f"app/{PLAIN}", f"app/{ALLOWED}"):
            run("flatpak", "--user", "install", "--noninteractive", "lab", name)

    def setUp(self):
        super().setUp()
        self.configure(POLICY)
        self.start()
        self.runtime = os.environ["XDG_RUNTIME_DIR"]
        self.bus = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus"}

    def socket_of(self, app):
        return f"{self.runtime}/app/{app}/ratingd.sock"

    def peer(self, app, path, line, enough='"id":1'):
        """What the app is told at a path, as messages; a word if it cannot connect."""
        done = run("flatpak", "run", app, path, line, enough, env=os.environ | self.bus)
        if not done.out.startswith("{"):
            return done.out.strip()
        return [json.loads(text) for text in done.out.splitlines()]

    def test_an_app_whose_manifest_was_never_changed_is_known_and_prompted(self):
        (answer,) = self.peer(PLAIN, self.socket_of(PLAIN), request("whoami"))
        self.assertEqual(answer["result"]["app"], PLAIN)
        self.assertEqual(answer["result"]["identity"], {"source": "flatpak", "verified": True})
        told = self.peer(PLAIN, self.socket_of(PLAIN), request("request", version="1"),
                         '"method":"prompt"')
        self.assertEqual(told[0]["result"]["decision"], "pending")
        self.assertEqual(told[-1]["method"], "prompt")
        self.assertEqual(told[-1]["params"]["app"], PLAIN)
        self.assertEqual(self.client().call("status", app=PLAIN)["prompts_in_window"], 1)

    def test_without_a_permission_the_daemons_own_socket_is_not_there(self):
        self.assertEqual(self.peer(PLAIN, self.socket_path, request("whoami")), "ENOENT")

    def test_with_the_permission_it_is_and_the_app_is_known_there_too(self):
        for path in (self.socket_path, self.socket_of(ALLOWED)):
            (answer,) = self.peer(ALLOWED, path, request("whoami"))
            self.assertEqual(answer["result"]["app"], ALLOWED)
            self.assertEqual(answer["result"]["identity"], {"source": "flatpak", "verified": True})

    def test_another_apps_id_is_refused_at_both(self):
        for app, path in ((PLAIN, self.socket_of(PLAIN)), (ALLOWED, self.socket_path),
                          (ALLOWED, self.socket_of(ALLOWED))):
            for method in ("session", "status", "request", "hello"):
                more = {"version": "1"} if method != "status" else {}
                (answer,) = self.peer(app, path, request(method, app="org.example.Victim", **more))
                self.assertEqual(answer["error"]["data"]["reason"], "not_permitted", method)

    def test_the_socket_of_another_app_is_not_there(self):
        os.makedirs(f"{self.runtime}/app/org.example.Victim", exist_ok=True)
        until(lambda: os.path.exists(self.socket_of("org.example.Victim")), "a socket")
        for app in (PLAIN, ALLOWED):
            answer = self.peer(app, self.socket_of("org.example.Victim"), request("whoami"))
            self.assertEqual(answer, "ENOENT")

    def test_a_stopped_service_leaves_no_socket_and_its_start_brings_them_back(self):
        self.peer(PLAIN, self.socket_of(PLAIN), request("whoami"))
        self.assertTrue(os.path.exists(self.socket_of(PLAIN)))
        self.systemctl("stop", "ratingd.service")
        self.assertFalse(os.path.exists(self.socket_of(PLAIN)))
        self.start()
        until(lambda: os.path.exists(self.socket_of(PLAIN)), "the socket")

    def test_a_day_with_apps_logs_no_warning(self):
        self.peer(PLAIN, self.socket_of(PLAIN), request("session", version="1"))
        self.assertEqual([e["MESSAGE"] for e in self.own_entries() if int(e["PRIORITY"]) < 5], [])


class Scopes(ServiceTest):
    """Apps that a desktop starts, each in a scope of its own."""

    def whoami(self, unit, *before):
        done = run("systemd-run", "--user", "--scope", "--quiet", f"--unit={unit}", *before,
                   sys.executable, "-c", CLIENT, self.socket_path, request("whoami"))
        result = json.loads(done.out)["result"]
        return result["app"], result["identity"]["source"], result["identity"]["verified"]

    def test_the_units_of_desktop_apps_are_a_hint(self):
        # A hint for people only: any process can give itself such a unit.
        for unit in ("app-gnome-org.gnome.Maps-1.scope", "app-org.example.Plain-77.scope",
                     r"app-gnome-org.example.With\x2ddash-9.scope"):
            self.assertEqual(self.whoami(unit), (None, "unit", False), unit)

    def test_other_units_and_what_a_terminal_starts_only_claim(self):
        self.assertEqual(self.whoami("run-something.scope"), (None, "claimed", False))
        shell = ("sh", "-c", '"$@"; exit $?', "sh")
        self.assertEqual(
            self.whoami("app-gnome-org.gnome.Terminal-1.scope", *shell), (None, "claimed", False))

    def test_a_scope_named_like_a_snaps_is_that_snaps(self):
        self.assertEqual(
            self.whoami("snap.notes.notes-1234.scope"), ("notes", "snap", True))
