"""Commands of the tests inside the lab: their own, another user's, and root's."""

import json
import os
import pwd
import socket
import subprocess
import time

LAB = "lab"
OTHER = "other"
# The socket on which a test that runs as an ordinary user asks for commands to be run as root.
ROOT_CHANNEL = "LAB_ROOT_CHANNEL"


class CommandFailed(AssertionError):
    """A command that a test needs did not do its work."""


def run(*argv, check=True, timeout=60, **options):
    """Runs a command; its result has `code`, `out` and `err`."""
    done = subprocess.run(
        argv, capture_output=True, text=True, errors="replace", timeout=timeout, **options)
    done.code, done.out, done.err = done.returncode, done.stdout, done.stderr
    if check and done.code != 0:
        raise CommandFailed(f"{argv} ended with {done.code}:\n{done.out}{done.err}")
    return done


def root(*argv, check=True, timeout=60):
    """Runs a command as root, also where the test is not."""
    if os.getuid() == 0:
        return run(*argv, check=check, timeout=timeout)
    channel = socket.socket(fileno=os.dup(int(os.environ[ROOT_CHANNEL])))
    with channel, channel.makefile("rw") as stream:
        stream.write(json.dumps({"argv": argv, "timeout": timeout}) + "\n")
        stream.flush()
        answer = json.loads(stream.readline())
    done = subprocess.CompletedProcess(argv, answer["code"], answer["out"], answer["err"])
    done.code, done.out, done.err = answer["code"], answer["out"], answer["err"]
    if check and done.code != 0:
        raise CommandFailed(f"{argv} as root ended with {done.code}:\n{done.out}{done.err}")
    return done


def environment_of(user):
    """What a login of that user would find in its environment."""
    entry = pwd.getpwnam(user)
    return {
        "HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "LC_ALL": "C.UTF-8",
        "PATH": "/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": f"/run/user/{entry.pw_uid}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_as(user, *argv, check=True, timeout=60, **options):
    """Runs a command as that user (from a module that runs as root)."""
    entry = pwd.getpwnam(user)
    return run(
        *argv, check=check, timeout=timeout, env=environment_of(user), cwd=entry.pw_dir,
        user=entry.pw_uid, group=entry.pw_gid, extra_groups=[], **options)


def until(condition, what, seconds=10.0):
    """Waits for a condition to hold and returns what it gave."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def boxed(app, directory, *argv):
    """The command line that runs `argv` as Flatpak would run it for that app.

    A user namespace and a root of its own, in which /.flatpak-info stands, readable for its user
    only. `directory` (that of the socket) is visible inside.
    """
    info = f"[Application]\nname={app}\nruntime=runtime/org.example.Platform/x86_64/1\n"
    return (
        "sh", "-c", 'umask 077; rm -f /tmp/.info-of-the-box; printf %s "$1" > /tmp/.info-of-the-box; shift; exec "$@"', "sh", info, "bwrap",
        "--unshare-user", "--unshare-pid", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib",
        "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--ro-bind",
        directory, directory, "--proc", "/proc", "--dev", "/dev", "--ro-bind",
        "/tmp/.info-of-the-box", "/.flatpak-info", *argv)


def serve_root(channel):
    """Runs what an ordinary user's test asks root to run, until it is gone."""
    with channel.makefile("rw") as stream:
        for line in stream:
            order = json.loads(line)
            try:
                done = run(*order["argv"], check=False, timeout=order["timeout"])
                answer = {"code": done.code, "out": done.out, "err": done.err}
            except (OSError, subprocess.TimeoutExpired) as error:
                answer = {"code": 127, "out": "", "err": str(error)}
            stream.write(json.dumps(answer) + "\n")
            stream.flush()
