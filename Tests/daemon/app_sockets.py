"""What the suites of the sockets for sandboxed apps share."""

import os
import shutil

from base import APP, DaemonTest
from ratingd_client import Client
from ratingd_daemon import eventually

OTHER = "org.example.Maps"


class AppSocketTest(DaemonTest):
    def setUp(self):
        self.make_user_daemon()
        self.prepare()
        self.daemon.start()
        self.connect().ask("ping")

    def make_user_daemon(self):
        """A daemon with a runtime directory of its user, not started."""
        self.daemon = self.make_daemon(self.config)
        self.runtime = self.daemon.path("xdg")
        os.makedirs(self.runtime, 0o700)
        self.daemon.env["XDG_RUNTIME_DIR"] = self.runtime

    def prepare(self):
        """What is there before the daemon starts."""

    def flatpak(self, app=APP):
        """The directory that Flatpak makes for an app; the path its socket should have."""
        os.makedirs(f"{self.runtime}/app/{app}", 0o700, exist_ok=True)
        return f"{self.runtime}/app/{app}/ratingd.sock"

    def snap(self, name):
        os.makedirs(f"{self.runtime}/snap.{name}", 0o700, exist_ok=True)
        return f"{self.runtime}/snap.{name}/ratingd.sock"

    def take_away(self, folder):
        """At once, or the daemon mends what is half gone."""
        os.rename(folder, self.daemon.path("away"))
        shutil.rmtree(self.daemon.path("away"))

    def answers(self, path):
        try:
            client = Client(path)
        except OSError:
            return False
        try:
            return client.ask("ping")["pong"]
        except (OSError, AssertionError):
            return False  # met the end of a socket
        finally:
            client.close()

    def await_socket(self, path):
        eventually(lambda: self.answers(path), f"a socket at {path}")
        return path

    def client(self, path):
        client = Client(path)
        self.daemon.clients.append(client)
        return client

    def whoami(self, path):
        result = self.client(path).ask("whoami")
        return result["app"], result["identity"]["source"], result["identity"]["verified"]

    def cpu(self):
        with open(f"/proc/{self.daemon.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


__all__ = ["AppSocketTest", "OTHER"]
