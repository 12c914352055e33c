"""A D-Bus service that counts, behind a private bus."""

import os
import subprocess
import sys

from servers import LOAD_CORE, PEERS, Server, pinned

CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Bus(Server):
    """The bus is the server's process, and the service one more on the same core."""

    service = None

    def prepare(self):
        with open(self.path("bus.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(socket=self.socket_path))

    @property
    def address(self):
        return f"unix:path={self.socket_path}"

    def start(self):
        super().start()
        self.service = self.spawn([os.path.join(PEERS, "bus-service"), self.address])
        return self

    def stop(self):
        self.service.kill()
        self.service.wait()
        super().stop()

    def load(self, connections=1, pipeline=1, seconds=1.0, mix="event", warm_up=0.3):
        """The median of one client with one call at a time."""
        done = subprocess.run(
            [os.path.join(PEERS, "bus-client"), self.address, str(warm_up), str(seconds)],
            preexec_fn=pinned(LOAD_CORE), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{self.name}: {done.stderr}\n{self.log()}")
        return {"latency_us": {"median": float(done.stdout)}}


class DBusDaemon(Bus):
    name = "dbus-daemon"

    def command(self):
        return ["dbus-daemon", f"--config-file={self.path('bus.conf')}", "--nofork", "--nopidfile"]


class DBusBroker(Bus):
    """Its launcher wants a journal, which it gets in a mount namespace of its own."""

    name = "dbus-broker"

    namespace = ["unshare", "--user", "--map-root-user", "--mount"]

    @classmethod
    def is_possible(cls):
        """Whether this machine lets us make such a namespace."""
        return subprocess.run([*cls.namespace, "true"], capture_output=True, check=False
                              ).returncode == 0

    def command(self):
        return [*self.namespace, sys.executable, "-B", os.path.abspath(__file__),
                self.socket_path, self.path("bus.conf")]


def launch_broker(socket_path, configuration):
    """Becomes the launcher of dbus-broker, as systemd would start it."""
    import socket
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/systemd"], check=True)
    os.mkdir("/run/systemd/journal")
    # 3 is where the launcher looks for its listener.
    os.dup2(0, 3)
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    journal.bind("/run/systemd/journal/socket")
    # Nobody reads it; it is there as long as the process.
    journal.set_inheritable(True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(socket_path)
    listener.listen(4096)
    os.dup2(listener.fileno(), 3, inheritable=True)
    environment = dict(
        os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS="1",
        DBUS_SESSION_BUS_ADDRESS=f"unix:path={socket_path}")
    environment.pop("NOTIFY_SOCKET", None)
    os.execvpe("dbus-broker-launch", ["dbus-broker-launch", "--scope", "user", "--config-file",
                                      configuration], environment)


if __name__ == "__main__":
    launch_broker(*sys.argv[1:])
