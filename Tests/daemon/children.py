"""Clients that are another process, or another user."""

import json
import os

from ratingd_client import RpcError


def as_user(uid, work):
    """The value of `work()` in a child process of that user (None: of this one); what it raises is
    raised here."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if uid is not None:
                os.setgroups([])
                os.setgid(uid)
                os.setuid(uid)
            answer = {"value": work()}
        except RpcError as error:
            answer = {"error": error.error}
        except BaseException as trouble:
            answer = {"trouble": repr(trouble)}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        answer = json.loads(file.read())
    os.waitpid(child, 0)
    if "trouble" in answer:
        raise AssertionError(answer["trouble"])
    if "error" in answer:
        raise RpcError(answer["error"])
    return answer["value"]
