"""State with many apps in it, made once and used again until the tables are different."""

import contextlib
import hashlib
import os
import shutil
import sqlite3

from client import Client
from servers import BUILD, Ratingd

STATES = os.path.join(BUILD, "bench-states")
MANY = 1_000_000
# A machine with very many apps is one of many users, each with so many; the first are our own.
APPS_A_USER = 1000


def name(number):
    """The app with this number; they come in no order of the alphabet, as apps do."""
    return f"org.a{number * 2654435761 % 2**32:08x}.App"


def user(number):
    """Whose app it is."""
    return os.getuid() if number < APPS_A_USER else 1_000_000 + number // APPS_A_USER


@contextlib.contextmanager
def database(state):
    connection = sqlite3.connect(os.path.join(state, "ratingd.db"), isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def tables(state):
    """A short text that is another one when the tables are."""
    with database(state) as connection:
        schema = connection.execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
        return hashlib.sha256(repr(schema).encode()).hexdigest()[:16]


def one_app(state):
    """What the daemon writes for an app with one session and one event."""
    with Ratingd(state) as server, Client(server.connect()) as client:
        client.ask("hello", app=name(0), version="1.4")
        client.ask("session")
        client.ask("event", name="note-saved")


def folder(count):
    """A state with so many apps."""
    state = os.path.join(STATES, str(count))
    fresh = os.path.join(STATES, "new")
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh, 0o700)
    one_app(fresh)
    mark = os.path.join(state, "tables")
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == tables(fresh):
                return state
    shutil.rmtree(state, ignore_errors=True)
    fill(fresh, count)
    with open(os.path.join(fresh, "tables"), "w", encoding="utf-8") as file:
        file.write(tables(fresh))
    os.rename(fresh, state)
    return state


def fill(state, count):
    """Copies the one app until there are enough."""
    with database(state) as connection:
        connection.create_function("app_name", 1, name, deterministic=True)
        connection.create_function("app_user", 1, user, deterministic=True)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(app)")]
        same = [column for column in columns if column not in ("id", "uid", "name")]
        rest, into = ", ".join(f'app."{c}"' for c in same), ", ".join(f'"{c}"' for c in same)
        connection.execute("PRAGMA cache_size = -400000")
        connection.execute("BEGIN")
        connection.execute(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            f" INSERT INTO app (uid, name, {into})"
            f" SELECT app_user(n.i), app_name(n.i), {rest} FROM n, app"
            f" WHERE app.name = ? LIMIT ?", (count - 1, name(0), count - 1))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
