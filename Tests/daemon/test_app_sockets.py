"""A socket for each sandboxed app, in the directory that Flatpak or snapd makes for it (SPEC 6)."""

import os
import re
import resource
import shutil
import socket
import stat
import threading
import time
import unittest

from base import APP, DaemonTest, easy
from ratingd_client import Client
from ratingd_daemon import eventually
from sandbox import BWRAP, boxed

OTHER = "org.example.Maps"


class AppSocketTest(DaemonTest):
    def setUp(self):
        self.daemon = self.make_daemon(self.config)
        self.runtime = self.daemon.path("xdg")
        os.makedirs(self.runtime, 0o700)
        self.daemon.env["XDG_RUNTIME_DIR"] = self.runtime
        self.prepare()
        self.daemon.start()
        self.connect().ask("ping")

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


class ThereAndGone(AppSocketTest):
    def prepare(self):
        self.early = [self.flatpak(), self.snap("firefox")]

    def test_directories_that_are_there_have_a_socket_when_the_daemon_answers(self):
        for path in self.early:
            self.assertTrue(stat.S_ISSOCK(os.lstat(path).st_mode))
            self.assertEqual(stat.S_IMODE(os.lstat(path).st_mode), 0o600)
            self.assertTrue(self.answers(path))

    def test_directories_that_appear_get_one(self):
        self.await_socket(self.flatpak(OTHER))
        self.await_socket(self.snap("0ad_two"))
        self.assertEqual(self.whoami(self.flatpak(OTHER)), (OTHER, "socket", False))
        self.assertEqual(self.whoami(self.snap("0ad_two")), ("_0ad_two", "socket", False))

    def test_the_parent_of_all_flatpaks_may_come_late_go_and_come_again(self):
        for _ in range(3):
            self.take_away(f"{self.runtime}/app")
            self.await_socket(self.flatpak())

    def test_a_stop_takes_away_what_was_made_and_nothing_else(self):
        path = self.flatpak()
        with open(os.path.dirname(path) + "/own", "w", encoding="ascii"):
            pass
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["own"])
        self.assertEqual(os.listdir(f"{self.runtime}/snap.firefox"), [])

    def test_what_a_killed_daemon_left_is_replaced(self):
        self.daemon.kill()
        self.assertTrue(os.path.exists(self.early[0]))
        self.daemon.start()
        for path in self.early:
            self.await_socket(path)

    def test_a_reload_switches_them_off_and_on(self):
        client = self.client(self.early[0])
        for text, there in (("no", False), ("yes", True), ("no", False)):
            self.daemon.write_config("ratingd.conf", easy(daemon={"AppSockets": text}))
            self.connect().ask("reload")
            eventually(lambda: all(os.path.exists(p) == there for p in self.early), text)
            self.assertTrue(client.ask("ping")["pong"], "who is connected stays so")
        self.flatpak(OTHER)
        time.sleep(0.1)
        self.assertFalse(os.path.exists(self.flatpak(OTHER)))

    def test_names_that_are_no_apps_are_left_alone(self):
        names = ["app/1bad", "app/a..b", "app/end.", "snap.", "snap.UPPER", "snap.a.b", "other"]
        for name in names:
            os.makedirs(f"{self.runtime}/{name}")
        self.await_socket(self.flatpak(OTHER))
        for name in names:
            self.assertEqual(os.listdir(f"{self.runtime}/{name}"), [], name)

    def test_an_id_of_255_bytes_has_one_though_its_path_is_no_address(self):
        path = self.flatpak("o" + "x" * 254)
        eventually(lambda: os.path.exists(path), "a socket")
        directory = os.open(os.path.dirname(path), os.O_PATH)
        self.assertTrue(self.answers(f"/proc/self/fd/{directory}/ratingd.sock"))
        os.close(directory)

    def test_a_second_daemon_of_the_user_leaves_the_first_ones_alone(self):
        inode = os.lstat(self.early[0]).st_ino
        second = self.make_daemon(self.config, env={"XDG_RUNTIME_DIR": self.runtime})
        second.start()
        second.await_log("another daemon")
        second.stop()
        self.assertEqual(os.lstat(self.early[0]).st_ino, inode)
        self.assertTrue(self.answers(self.early[0]))


class NoneAtAll(AppSocketTest):
    def test_a_system_daemon_has_none(self):
        path = self.flatpak()
        self.await_socket(path)
        self.daemon.stop()
        self.daemon.args.append("--system")
        self.daemon.start()
        self.assertFalse(os.path.exists(path))

    def test_without_a_runtime_directory_there_are_none(self):
        path = self.flatpak()
        self.await_socket(path)
        self.daemon.stop()
        for value in (None, "xdg"):
            if value is None:
                del self.daemon.env["XDG_RUNTIME_DIR"]
            else:
                self.daemon.env["XDG_RUNTIME_DIR"] = value
            self.daemon.start()
            self.assertFalse(os.path.exists(path))
            self.daemon.stop()
        self.daemon.start()


class Who(AppSocketTest):
    def prepare(self):
        self.path = self.flatpak()
        self.flatpak(OTHER)

    def test_an_unsandboxed_peer_is_that_app_by_default_and_may_be_another(self):
        self.assertEqual(self.whoami(self.path), (APP, "socket", False))
        client = self.client(self.path)
        self.assertEqual(client.ask("session", version="1")["sessions"], 1)
        self.assertEqual(client.ask("status")["app"], APP)
        self.assertEqual(client.ask("status", app=OTHER)["app"], OTHER)
        self.assertEqual(client.ask("hello", app=OTHER, version="2")["app"], OTHER)

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_the_app_itself_is_prompted_there(self):
        result = boxed(self, APP, self.path, "request", {"version": "1"}, until="prompt")
        self.assertEqual(result[0]["result"]["decision"], "pending")
        self.assertEqual(result[-1]["params"]["app"], APP)

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_the_app_itself_is_verified_and_no_other(self):
        (answer,) = boxed(self, APP, self.path, "whoami")
        self.assertEqual(answer["result"]["app"], APP)
        self.assertEqual(answer["result"]["identity"], {"source": "flatpak", "verified": True})
        (answer,) = boxed(self, APP, self.path, "session", {"app": OTHER, "version": "1"})
        self.assert_error(answer["error"], "not_permitted")

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_another_sandboxed_app_gets_one_line_and_is_closed(self):
        for path in (self.path, self.daemon.socket_path):
            answers = boxed(self, OTHER, path, "session", {"app": APP, "version": "1"}, until=None)
            self.assert_error(answers[0]["error"], "not_permitted")
            if path == self.path:
                self.assertEqual((len(answers), answers[0]["id"]), (1, None))
                self.assertEqual(
                    answers[0]["error"]["data"]["identity"],
                    {"source": "flatpak", "verified": True})

    @unittest.skipUnless(BWRAP, "needs bubblewrap")
    def test_a_peer_that_cannot_be_read_is_that_app_and_no_other(self):
        # A directory where the name of the app should be: neither an app nor no sandbox.
        (answer,) = boxed(self, None, self.path, "whoami")
        self.assertEqual(answer["result"]["app"], APP)
        self.assertEqual(answer["result"]["identity"], {"source": "socket", "verified": False})
        (answer,) = boxed(self, None, self.path, "session", {"app": OTHER, "version": "1"})
        self.assert_error(answer["error"], "not_permitted")
        (answer,) = boxed(self, None, self.daemon.socket_path, "session",
                          {"app": APP, "version": "1"})
        self.assert_error(answer["error"], "not_permitted")


class Hostile(AppSocketTest):
    """What an app can do in its own directory."""

    def prepare(self):
        self.path = self.flatpak()
        self.directory = os.path.dirname(self.path)

    def test_an_app_that_deletes_its_socket_gets_another(self):
        for _ in range(3):
            os.unlink(self.path)
            self.await_socket(self.path)
        os.rename(self.path, self.path + ".moved")
        self.await_socket(self.path)

    def test_deleting_without_end_costs_little_and_the_socket_comes_back(self):
        ended = threading.Event()
        deleted = [0, 0]

        def delete():
            while not ended.is_set():
                try:
                    os.unlink(self.path)
                    deleted[0] += 1
                except FileNotFoundError:
                    pass
                with open(self.directory + "/noise", "w", encoding="ascii"):
                    pass
                os.unlink(self.directory + "/noise")
                deleted[1] += 1

        thread = threading.Thread(target=delete)
        before, begin = self.cpu(), time.monotonic()
        thread.start()
        time.sleep(4)
        used, passed = self.cpu() - before, time.monotonic() - begin
        neighbour = self.await_socket(self.flatpak(OTHER))
        ended.set()
        thread.join()
        print(f"\n  {deleted[1]} changes, socket deleted {deleted[0]} times in {passed:.1f} s: "
              f"{100 * used / passed:.1f} % of a CPU", flush=True)
        self.assertLess(used / passed, 0.05)
        self.assertLess(deleted[0], 16 + 3 * (passed + 1))
        self.assertTrue(self.answers(neighbour))
        self.await_socket(self.path)
        self.assertEqual(self.daemon.log().count("no socket for"), 0)

    def put(self, make):
        """Something of the app's at the path of its socket, which the daemon met and left."""
        before = self.daemon.log().count("no socket for")
        os.unlink(self.path)
        # The daemon may have been quicker.
        while True:
            try:
                make()
                break
            except FileExistsError:
                os.unlink(self.path)
        self.daemon.await_log("no socket for the app 'org.example.Notes'")
        self.assertEqual(before, 0, "the test is about the first one")
        self.assertTrue(self.connect().ask("ping")["pong"])
        self.await_socket(self.flatpak(OTHER))

    def test_a_link_is_not_followed_and_not_replaced(self):
        target = self.daemon.path("target")
        self.put(lambda: os.symlink(target, self.path))
        self.assertEqual(os.readlink(self.path), target)
        self.assertFalse(os.path.lexists(target))
        os.unlink(self.path)
        self.await_socket(self.path)

    def test_a_link_to_another_socket_is_not_connected_to(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.daemon.path("foreign"))
        listener.listen(5)
        listener.setblocking(False)
        self.put(lambda: os.symlink(self.daemon.path("foreign"), self.path))
        with self.assertRaises(BlockingIOError):
            listener.accept()
        listener.close()

    def test_a_file_stays(self):
        def make():
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self.put(make)
        self.assertTrue(os.path.isfile(self.path))

    def test_a_socket_that_somebody_listens_on_stays(self):
        listener = socket.socket(socket.AF_UNIX)
        def make():
            try:
                listener.bind(self.path)
            except OSError:
                raise FileExistsError from None
            listener.listen(5)
        self.put(make)
        inode = os.lstat(self.path).st_ino
        os.mkdir(self.directory + "/x")
        self.assertEqual(os.lstat(self.path).st_ino, inode)
        listener.close()
        os.unlink(self.path)
        self.await_socket(self.path)

    def test_a_directory_that_is_a_link_is_no_apps(self):
        elsewhere = self.daemon.path("elsewhere")
        os.mkdir(elsewhere)
        os.symlink(elsewhere, f"{self.runtime}/app/org.example.Linked")
        os.symlink(elsewhere, f"{self.runtime}/snap.linked")
        self.await_socket(self.flatpak(OTHER))
        self.assertEqual(os.listdir(elsewhere), [])

    def test_a_directory_that_is_swapped_for_a_link_loses_its_socket(self):
        elsewhere = self.daemon.path("elsewhere")
        os.mkdir(elsewhere)
        os.rename(self.directory, self.directory + ".away")
        os.symlink(elsewhere, self.directory)
        self.await_socket(self.flatpak(OTHER))
        self.assertEqual(os.listdir(elsewhere), [])
        os.unlink(self.directory)
        os.mkdir(self.directory, 0o700)
        self.await_socket(self.path)

    def test_a_race_of_links_and_directories_never_leads_outside(self):
        elsewhere = self.daemon.path("elsewhere")
        os.mkdir(elsewhere)
        ended = threading.Event()
        swaps = [0]

        def swap():
            while not ended.is_set():
                os.rename(self.directory, self.directory + ".away")
                os.symlink(elsewhere, self.directory)
                os.unlink(self.directory)
                os.rename(self.directory + ".away", self.directory)
                swaps[0] += 1

        thread = threading.Thread(target=swap)
        before = self.cpu()
        thread.start()
        time.sleep(3)
        ended.set()
        thread.join()
        print(f"\n  {swaps[0]} swaps, {100 * (self.cpu() - before) / 3:.1f} % of a CPU", flush=True)
        self.assertEqual(os.listdir(elsewhere), [])
        self.await_socket(self.path)

    def test_a_workshop_that_is_taken_away_is_made_again(self):
        self.take_away(f"{self.runtime}/ratingd-apps")
        os.unlink(self.path)
        self.await_socket(self.path)


class Many(AppSocketTest):
    def prepare(self):
        # 16 apps for each 256 descriptors.
        self.daemon.rlimits = {resource.RLIMIT_NOFILE: 512}
        self.paths = [self.flatpak(f"org.example.App{number:03}") for number in range(40)]

    def there(self):
        return [os.path.exists(path) for path in self.paths].count(True)

    def test_as_many_as_the_descriptors_allow_and_the_next_when_one_goes(self):
        self.assertEqual(self.there(), 32)
        self.assertIn("8 apps more than the 32 that get one", self.daemon.log())
        self.assertTrue(all(os.path.exists(path) for path in self.paths[:32]))
        self.take_away(os.path.dirname(self.paths[0]))
        eventually(lambda: os.path.exists(self.paths[32]), "the socket of the next app")
        self.assertEqual(self.there(), 32)
        self.assertLessEqual(len(re.findall("no socket for", self.daemon.log())), 1)

    def test_clients_at_many_of_them_are_all_served(self):
        clients = [self.client(path) for path in self.paths[:32] for _ in range(2)]
        for client in clients:
            client.begin("whoami")
        apps = [client.answer(1)["result"]["app"] for client in clients]
        self.assertEqual(apps, [f"org.example.App{n:03}" for n in range(32) for _ in range(2)])


class Shortage(AppSocketTest):
    def prepare(self):
        self.daemon.rlimits = {resource.RLIMIT_NOFILE: 64}

    def test_without_descriptors_the_daemon_goes_on_and_the_socket_comes_later(self):
        # What is free is taken by clients; the last places are the daemon's own.
        clients = []
        for _ in range(60):
            clients.append(self.client(self.daemon.socket_path))
        time.sleep(0.2)
        before = self.cpu()
        path = self.flatpak()
        time.sleep(1)
        self.assertLess(self.cpu() - before, 0.05)
        for client in clients:
            client.close()
        self.await_socket(path)


if __name__ == "__main__":
    unittest.main()
