"""Commands about a release say devices, or callers where it is one of a pipeline."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import pytest

from walle.cli.app import run
from walle.cli.commands.release import moving, showing

KINDS = [("script", "device", "caller"), ("pipeline", "caller", "device")]


class OneRelease:
    """A server with one release, which has selected nobody."""

    def __init__(self, kind: str) -> None:
        self.release = {"id": 4, "kind": kind, "figures": {}}

    def get(self, address: str) -> dict[str, Any]:
        assert address == "releases/4"
        return self.release

    def listed(self, address: str, limit: int, **asked: Any) -> dict[str, Any]:
        return {"results": []}


@pytest.mark.parametrize(("kind", "said", "unsaid"), KINDS)
def test_a_list_and_a_question_name_them(
    kind: str, said: str, unsaid: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    for module in (showing, moving):
        monkeypatch.setattr(module, "connected", lambda: nullcontext(OneRelease(kind)))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda question, err: asked.append(question))
    run(["release", "devices", "4"])
    run(["release", "complete", "4"])
    told = capsys.readouterr().out
    assert said in told
    assert unsaid not in told
    assert asked == [f"Give release 4 to every eligible {said} now?"]
