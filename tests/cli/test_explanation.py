"""What a command prints of an explanation, of now and of an earlier moment."""

from __future__ import annotations

from typing import Any

import pytest

from walle.cli.explanation import show_explanation

CONSIDERED = {"release": 4, "stage": 1, "bucket": 123456, "share": 500000, "decides": True, "reason": "it is selected"}
ANSWER: dict[str, Any] = {
    "results": [{"task": "camera/digits", "change": "install", "release": 4, "considered": [CONSIDERED]}],
    "at": None,
    "table": 17,
    "released_since": "2027-01-15T08:00:00Z",
    "said_since": "2027-01-15T09:00:00Z",
    "facts": {"os": "ios", "app_version": "1.0.0"},
    "trusted": {},
    "deferral": "",
    "caveats": [],
    "unexplained": "",
}


def told(capsys: pytest.CaptureFixture[str], only: int | None = None, **changes: Any) -> str:
    show_explanation({**ANSWER, **changes}, "d-1", only)
    return capsys.readouterr().out


def test_of_now_it_says_what_comes(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys) == (
        "camera/digits: at its next check-in d-1 installs another version\n"
        "  release 4 decides: it is selected (bucket 123,456, selected below 500,000)\n"
    )
    assert told(capsys, results=[]) == "No release applies to device d-1.\n"


def test_of_an_earlier_moment_it_says_from_what_and_what_is_not_certain(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, at="2027-01-15T10:00:00Z", deferral="in-call", caveats=["The list has changed."])
    assert said.splitlines() == [
        "By table 17, in force since 2027-01-15T08:00:00Z.",
        "Since 2027-01-15T09:00:00Z the device said: app_version 1.0.0, os ios.",
        "It put off new versions: in-call.",
        "Not certain: The list has changed.",
        "",
        "camera/digits: at 2027-01-15T10:00:00Z d-1 was to install another version",
        "  release 4 decides: it is selected (bucket 123,456, selected below 500,000)",
    ]
    assert told(capsys, at="2027-01-15T10:00:00Z", results=[]).endswith("No release applied to device d-1.\n")
    assert told(capsys, only=5, at="2027-01-15T10:00:00Z").endswith("release 5 did not apply to the device then\n")


def test_where_nothing_is_known_it_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, unexplained="It is not known.", results=[]) == "It is not known.\n"
