"""Peers in sandboxes: bubblewrap with a /.flatpak-info, as Flatpak makes it."""

import json
import os
import shutil
import subprocess

from ratingd_client import HANG

BWRAP = shutil.which("bwrap")

# Runs inside: connects, sends one line, prints what comes until it is enough.
PEER = """
import json, socket, sys
path, line, until = sys.argv[1:]
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(30)
peer.connect(path)
try:
    peer.sendall(line.encode() + b"\\n")
    if until == "end":
        peer.shutdown(socket.SHUT_WR)
except OSError:
    pass
try:
    for text in peer.makefile():
        print(text, end="", flush=True)
        message = json.loads(text)
        if until == "answer" and "method" not in message or message.get("method") == until:
            break
except ConnectionResetError:
    pass  # closed with our line unread
"""


def box(test, app, extra=()):
    """The beginning of a command that runs in the sandbox of an app; None: one that hides its app."""
    info = test.daemon.path("flatpak-info." + (app or "none"))
    if app is None:
        os.makedirs(info, exist_ok=True)
    else:
        with open(info, "w", encoding="ascii") as file:
            file.write(f"[Application]\nname={app}\nruntime=runtime/org.example.Platform/x86_64/1\n")
    arguments = [BWRAP, "--tmpfs", "/", "--die-with-parent"]
    for name in os.listdir("/"):
        path = "/" + name
        if name in ("proc", "dev", ".flatpak-info"):
            continue
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            arguments += ["--bind", path, path]
    return arguments + ["--proc", "/proc", "--dev", "/dev", "--ro-bind", info, "/.flatpak-info",
                        *extra]


def boxed(test, app, path, method, params=None, until="answer"):
    """All messages that a peer in the sandbox of an app gets for one request.

    `until`: "answer", the name of a notification, or None for the end of the connection.
    """
    line = json.dumps({"id": 1, "method": method, "params": params or {}})
    done = subprocess.run(
        [*box(test, app), "python3", "-c", PEER, path, line, until or "end"],
        capture_output=True, text=True, timeout=HANG, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return [json.loads(text) for text in done.stdout.splitlines()]
