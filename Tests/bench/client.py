"""One client of ratingd that asks and waits."""

import json


class Client:
    """Owns a connected socket."""

    def __init__(self, connection):
        self.socket = connection
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, method, **params):
        self.socket.sendall(
            json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")

    def receive(self):
        while b"\n" not in self.rest:
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise SystemExit(f"the daemon closed the connection after {self.rest!r}")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        answer = json.loads(line)
        if "result" not in answer:
            raise SystemExit(f"the daemon refused something: {line!r}")
        return answer["result"]

    def ask(self, method, **params):
        self.send(method, **params)
        return self.receive()
