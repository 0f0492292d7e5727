"""Joins the events of all users by user and page in PostgreSQL; a feature is made when the watermark passes the exit.

python -m benchmarks.support.ipv.postgres_join WATERMARK_S    # the database is in DATABASE_URL
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Final

import psycopg

from benchmarks.support.ipv.lines import FORGET_S, Event, Lines, feature_line, say

TICK_S, READ_S = 0.1, 0.01
TABLES: Final = """
    DROP TABLE IF EXISTS raw, ended;
    CREATE UNLOGGED TABLE raw (usr integer, page text, at double precision, event jsonb);
    CREATE INDEX ON raw (usr, page);
    CREATE INDEX ON raw (at);
    CREATE UNLOGGED TABLE ended (usr integer, page text, at double precision);
    CREATE INDEX ON ended (at);
"""
JOIN: Final = """
    WITH due AS (DELETE FROM ended WHERE at <= %s RETURNING usr, page, at)
    SELECT usr, page, jsonb_agg(event) FROM due JOIN raw USING (usr, page) WHERE raw.at <= due.at GROUP BY usr, page
"""


def store(cursor: psycopg.Cursor[Any], came: list[tuple[int, Event]]) -> None:
    with cursor.copy("COPY raw FROM STDIN") as copy:
        for user, event in came:
            copy.write_row((user, event["page"], event["at"], json.dumps(event)))
    exits = [(user, event["page"], event["at"]) for user, event in came if event["id"] == "item_exit"]
    if exits:
        cursor.executemany("INSERT INTO ended VALUES (%s, %s, %s)", exits)


def gather(lines: Lines) -> list[tuple[int, Event]]:
    """The events of items that come in one tick: a pipe holds less than comes in that time, so it is read often."""
    came, until = lines.take(), time.time() + TICK_S
    while time.time() < until:
        time.sleep(READ_S)
        came += lines.take()
    return [(user, event) for user, event in came if event["page"].startswith("item/")]


def main(watermark_s: float) -> None:
    lines, forget_at = Lines(), time.time() + FORGET_S
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection, connection.cursor() as cursor:
        cursor.execute(TABLES)
        connection.commit()
        say("ready")
        while True:
            try:
                came = gather(lines)
            except EOFError:
                return
            if came:
                store(cursor, came)
            joined = cursor.execute(JOIN, (time.time() - watermark_s,)).fetchall()
            if joined:
                cursor.executemany("DELETE FROM raw WHERE usr = %s AND page = %s", [row[:2] for row in joined])
            if time.time() > forget_at:
                cursor.execute("DELETE FROM raw WHERE at < %s", (time.time() - watermark_s - FORGET_S,))
                forget_at = time.time() + FORGET_S
            connection.commit()
            say(*(feature_line(*row) for row in joined))


if __name__ == "__main__":
    main(float(sys.argv[1]))
