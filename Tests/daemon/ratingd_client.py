"""One connection to ratingd: JSON-RPC 2.0, one JSON text per line, written from the protocol page.

Nothing here sleeps: every wait is for bytes, bounded by HANG, which only a hang can reach.
"""

import collections
import datetime
import json
import os
import re
import socket

HANG = float(os.environ.get("RATINGD_TEST_HANG", "30"))
NO_ANSWER = object()  # what a confirm hook returns to stay silent


class RpcError(Exception):
    """An error answer; `error` is the whole error object."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.error = error
        self.reason = error.get("data", {}).get("reason")


def to_ms(text):
    """Milliseconds since 1970 of a time on the wire, which must be exactly in its form."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text):
        raise AssertionError(f"not a time with milliseconds in UTC: {text!r}")
    moment = datetime.datetime.fromisoformat(text[:-1]).replace(tzinfo=datetime.timezone.utc)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (moment - epoch) // datetime.timedelta(milliseconds=1)


def from_ms(ms):
    """The same time as the wire writes it."""
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def _unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise AssertionError(f"duplicate member names from the daemon: {pairs}")
    return members


class Client:
    """A connection; messages that no one waited for yet stay in `inbox`, all are in `trace`.

    `confirm` is called with the params of each `confirm` request and returns what to answer:
    a result, an exception (answered as an error), bytes (sent as they are) or NO_ANSWER.
    """

    def __init__(self, path, confirm=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.confirm = confirm
        self.inbox = collections.deque()
        self.trace = []
        self._buffer = bytearray()
        self._scanned = 0
        self._last_id = 0
        try:
            self.socket.connect(path)  # blocking: waits for room in the daemon's queue
            self.socket.settimeout(HANG)
        except OSError:
            self.socket.close()
            raise

    # Out

    def send(self, data):
        """Raw bytes."""
        self.socket.sendall(data)

    def send_line(self, message):
        """One line: bytes or text as they are, anything else as JSON."""
        if not isinstance(message, (bytes, str)):
            message = json.dumps(message)
        if isinstance(message, str):
            message = message.encode()
        self.send(message + b"\n")

    def message(self, method, /, **params):
        """A request object with the next id."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        return message | ({"params": params} if params else {})

    def begin(self, method, /, **params):
        """Sends a request and returns its id; the answer is not waited for."""
        message = self.message(method, **params)
        self.send_line(message)
        return message["id"]

    def notify(self, method, /, **params):
        self.send_line({"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {}))

    def call(self, method, /, **params):
        """The whole answer, result or error."""
        return self.answer(self.begin(method, **params))

    def ask(self, method, /, **params):
        """The result; an error raises RpcError."""
        answer = self.call(method, **params)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def error(self, method, /, **params):
        """The error; a result is an AssertionError."""
        answer = self.call(method, **params)
        if "error" not in answer:
            raise AssertionError(f"{method} {params} must be refused, but: {answer}")
        return answer["error"]

    # In

    def read_line(self):
        """The next line without its LF, or None at the end."""
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._scanned = 0
                return line
            self._scanned = len(self._buffer)
            try:
                data = self.socket.recv(1 << 18)
            except ConnectionResetError:
                data = b""
            if not data:
                if self._buffer:
                    raise AssertionError(f"half a line at the end: {bytes(self._buffer)!r}")
                return None
            self._buffer += data

    def read(self):
        """The next message from the socket (strictly JSON), or None at the end."""
        line = self.read_line()
        if line is None:
            return None
        message = json.loads(line.decode("utf-8"), object_pairs_hook=_unique)
        self.trace.append(message)
        return message

    def _read_into_inbox(self):
        message = self.read()
        if message is None:
            raise AssertionError(f"the connection ended; read so far: {self.trace[-5:]}")
        if self.confirm and isinstance(message, dict) and message.get("method") == "confirm":
            self.answer_confirm(message, self.confirm(message["params"]))
        else:
            self.inbox.append(message)

    def answer_confirm(self, request, answer):
        if answer is NO_ANSWER:
            return
        if isinstance(answer, bytes):
            self.send(answer)
        elif isinstance(answer, Exception):
            error = {"code": 1, "message": str(answer)}
            self.send_line({"jsonrpc": "2.0", "id": request["id"], "error": error})
        else:
            self.send_line({"jsonrpc": "2.0", "id": request["id"], "result": answer})

    def take(self, wanted):
        """The first message that `wanted` accepts; others stay in the inbox, in order."""
        checked = 0
        while True:
            while checked < len(self.inbox):
                if wanted(self.inbox[checked]):
                    message = self.inbox[checked]
                    del self.inbox[checked]
                    return message
                checked += 1
            self._read_into_inbox()

    def next(self):
        """The next message of any kind."""
        return self.take(lambda message: True)

    def answer(self, identifier):
        return self.take(
            lambda m: isinstance(m, dict) and "method" not in m and m.get("id") == identifier)

    def wait(self, method):
        """The params of the next notification (or the `confirm` request) of that name."""
        return self.take(lambda m: isinstance(m, dict) and m.get("method") == method)["params"]

    def notifications(self):
        """(method, params) of all that came until now: a ping makes sure that nothing is on its way."""
        self.ask("ping")
        messages = [m for m in self.inbox if "method" in m]
        self.inbox = collections.deque(m for m in self.inbox if "method" not in m)
        return [(m["method"], m["params"]) for m in messages]

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def rest(self):
        """All messages until the end of the connection."""
        messages = list(self.inbox)
        self.inbox.clear()
        while (message := self.read()) is not None:
            messages.append(message)
        return messages

    def close(self):
        self.socket.close()


def kinds(messages):
    """Messages as short words: a notification's method, or the id of an answer."""
    return [m["method"] if "method" in m else m.get("id") for m in messages]
