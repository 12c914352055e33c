"""A client of ratingd for the tests inside the lab."""

import json
import socket


class Client:
    """A connection to ratingd that speaks lines of JSON."""

    def __init__(self, path, app=None, timeout=10.0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.buffer = b""
        self.number = 0
        self.notes = []
        if app:
            self.call("hello", app=app, version="1.0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, *messages):
        self.socket.sendall(b"".join(json.dumps(m).encode() + b"\n" for m in messages))

    def line(self):
        """The next message of the daemon, None at the end of the connection."""
        while b"\n" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(text)

    def answer(self, method, **params):
        """The whole answer to one request; notifications on the way go to `notes`."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = self.line()
            if message is None:
                raise ConnectionError(f"the daemon closed instead of answering {method}")
            if message.get("id") == self.number and "method" not in message:
                return message
            self.notes.append(message)

    def call(self, method, **params):
        """The result of one request, which must not fail."""
        message = self.answer(method, **params)
        if "result" not in message:
            raise AssertionError(f"{method} was answered with {message}")
        return message["result"]

    def wait_for(self, method):
        """The next notification of that name."""
        for index, note in enumerate(self.notes):
            if note.get("method") == method:
                return self.notes.pop(index)
        while True:
            message = self.line()
            if message is None:
                raise ConnectionError(f"the daemon closed before it sent {method}")
            if message.get("method") == method:
                return message
            self.notes.append(message)
