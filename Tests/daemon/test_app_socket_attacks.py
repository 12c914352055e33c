"""What an app can do to its socket and its directory, and what runs out (SPEC 5 and 6)."""

import os
import re
import resource
import socket
import threading
import time
import unittest

from app_sockets import OTHER, AppSocketTest
from ratingd_daemon import eventually


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
        # Listened on before it gets the name, or the daemon may meet one that is stale.
        elsewhere = self.daemon.path("listener")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(elsewhere)
        listener.listen(5)
        self.put(lambda: os.link(elsewhere, self.path))
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
