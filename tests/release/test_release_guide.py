"""docs/guides/releases.md says what is so: its strategy, its tables of settings, tests and moves."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from walle.release.finding import ALPHAS
from walle.release.findings import RATIO
from walle.release.limits import Limits
from walle.release.states import ReleaseAction
from walle.release.strategy import Strategy
from walle.release.windows import Window

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "releases.md").read_text()
FIRST_COLUMN = re.findall(r"^\| `([a-z-]+)`", TEXT, re.MULTILINE)
NOT_BY_HAND = {ReleaseAction.START, ReleaseAction.PASS, ReleaseAction.APPROVE}
NOT_BY_HAND |= {ReleaseAction.SUPERSEDE, ReleaseAction.RESTORE}


def after(sign: str) -> Any:
    """The first JSON value behind a sign in the text."""
    rest = TEXT.split(sign, 1)[1].lstrip()
    value, _ = json.JSONDecoder().raw_decode(rest)
    return value


def test_the_strategy_is_sound() -> None:
    body = after("POST /releases\n")
    strategy = Strategy.from_dict(body["strategy"])
    assert [stage.kind for stage in strategy.stages] == ["beta", "gray", "gray", "gray"]
    assert strategy.window == Window.from_dict(after("## Time windows\n\n```json\n"))


def test_the_short_strategy_is_sound() -> None:
    text = re.search(r"`(\{\"simulation\": false.*?\]\})`", TEXT, re.DOTALL)
    assert text is not None
    strategy = Strategy.from_dict(json.loads(text[1]))
    assert (strategy.simulation, strategy.control, len(strategy.stages)) == (False, 0, 1)


def test_every_key_of_a_strategy_and_what_it_is_if_left_out() -> None:
    usual = Strategy()
    known = usual.to_dict().keys() | {f"stages[].{name}" for name in ("list", "percent", "dwell_s", "evidence", "pace")}
    assert {name for name in known if f"`{name}`" not in TEXT} <= {"stages[].percent"}
    for name in ("control_percent", "grace_s", "silence_s"):
        assert f"| `{name}` | {usual.to_dict()[name]:g} |" in TEXT


def test_every_test_is_in_the_table_with_its_limits() -> None:
    assert [name for name in (*ALPHAS, RATIO) if name not in FIRST_COLUMN] == []
    usual = Limits()
    for limit in fields(Limits):
        value = getattr(usual, limit.name)
        assert f"`{limit.name}`" in TEXT
        assert value is None or f"`{limit.name}` {value}" in TEXT


def test_every_move_that_people_make_is_in_the_table() -> None:
    assert [str(action) for action in ReleaseAction if action not in NOT_BY_HAND and action not in FIRST_COLUMN] == []
