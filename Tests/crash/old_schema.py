"""A database as an older version left it."""

import os
import sqlite3
import time

from ratingd_client import from_ms

HERE = os.path.dirname(os.path.abspath(__file__))
DAY = 86_400_000
OTHERS = 400  # apps of other users, each with some grants, so that bringing it up to date takes time


def make(path, apps, granted=0):
    """The first version's tables, with these apps and `granted` grants of each."""
    connection = sqlite3.connect(path, isolation_level=None)
    with open(os.path.join(HERE, "schema-1.sql"), encoding="utf-8") as file:
        connection.executescript(file.read())
    now = time.time_ns() // 1_000_000
    connection.execute("BEGIN")
    row = 0
    for uid, name, grants in [(os.geteuid(), name, granted) for name in apps] + [
            (70_000 + number % 20, f"org.other{number}", 5) for number in range(OTHERS)]:
        row += 1
        connection.execute(
            "INSERT INTO app (id, uid, name, sessions, first_seen, last_seen, version, events)"
            " VALUES (?, ?, ?, 2, ?, ?, '1', '5 significant')", (row, uid, name, now, now))
        for number in range(grants):
            connection.execute(
                'INSERT INTO "grant" (app_id, uid, granted_at, outcome, outcome_at, token, version)'
                " VALUES (?, ?, ?, 'later', ?, ?, ?)",
                (row, uid, now - DAY, now - DAY, f"old-{row}-{number}", f"0.{number}"))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    os.chmod(path, 0o600)


def ledger(path, apps):
    """The grants of these apps, as `history` is to tell them."""
    connection = sqlite3.connect(path)
    grants = {}
    for name in apps:
        rows = connection.execute(
            'SELECT token, version, granted_at, outcome, outcome_at FROM "grant" WHERE app_id ='
            " (SELECT id FROM app WHERE name = ?) ORDER BY id DESC", (name,))
        grants[name] = [
            {"token": token, "version": version, "granted_at": from_ms(granted_at),
             "outcome": outcome, "outcome_at": from_ms(outcome_at)}
            for token, version, granted_at, outcome, outcome_at in rows]
    connection.close()
    return grants


def version(path):
    """What the header of a database file says; 0 if there is none."""
    try:
        with open(path, "rb") as file:
            return int.from_bytes(file.read(64)[60:64], "big")
    except FileNotFoundError:
        return 0
