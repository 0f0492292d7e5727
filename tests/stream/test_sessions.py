"""Recorded sessions as files: what is written is read again, and a bad line is named."""

import json
import random
from pathlib import Path

import pytest

from walle.schema import Malformed
from walle.stream.session_generator import shop_session
from walle.stream.sessions import MAX_EVENTS, MAX_LINE, parse_session, read_session, session_line, write_session

EVENTS = shop_session(random.Random(1), 1000.0)
LINE = session_line(EVENTS[0]).encode()


def test_a_written_session_is_read_again(tmp_path: Path):
    write_session(tmp_path / "view.jsonl", EVENTS)
    assert read_session(tmp_path / "view.jsonl") == EVENTS


def test_empty_lines_are_passed_over():
    assert parse_session([LINE + b"\n", b"\r\n", LINE]) == [EVENTS[0], EVENTS[0]]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xff",
        json.dumps(EVENTS[0].to_dict() | {"kind": "swipe"}).encode(),
        json.dumps(EVENTS[0].to_dict() | {"at": "noon"}).encode(),
        b'"' + b"x" * MAX_LINE + b'"',
    ],
)
def test_a_bad_line_is_refused_by_its_number(line: bytes):
    with pytest.raises(Malformed, match=r"view\.jsonl:3: "):
        parse_session([LINE, LINE, line], "view.jsonl")


def test_a_line_without_end_is_not_read_whole(tmp_path: Path):
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'"' + b"x" * (5 * MAX_LINE))
    with pytest.raises(Malformed, match=f"{MAX_LINE + 2} bytes"):
        read_session(path)


def test_a_session_has_so_many_lines_at_most():
    with pytest.raises(Malformed, match=f"at most {MAX_EVENTS} lines"):
        parse_session(b"" for _ in range(MAX_EVENTS + 1))
