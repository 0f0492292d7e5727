"""docs/guides/targeting.md says what is so: its rules, its tables, its limits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from walle.release.rules import BUILT_IN_FACTS, OPERATORS, FactDeclaration, check_rule, compile_rule, reading

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "targeting.md").read_text()
BLOCKS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]
RULES = [block for block in BLOCKS if "count" not in block]
FORMS = re.findall(r"^\| (`\{.*) \| .* \|$", TEXT, re.MULTILINE)
DECLARED = {name: FactDeclaration(name, "text", source="user") for name in ("user.age_band", "user.user_id")}


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_rules_are_sound(rule: object) -> None:
    check_rule(rule, {**BUILT_IN_FACTS, **DECLARED}, ["testers"])


def test_every_form_of_a_rule_is_in_the_table() -> None:
    described = " ".join(FORMS)
    for rule in re.findall(r"`(.*?)`", described):
        written = rule.replace("rule", '{"list": "a"}').replace(": f,", ': "os",').replace(": v}", ': "a"}')
        compile_rule(json.loads(written.replace("[v, ...]", '["a"]').replace(", ...", "")))
    for name in (*reading.FORMS, *OPERATORS):
        assert f'"{name}"' in described


def test_every_built_in_fact_is_in_the_table() -> None:
    assert [name for name in BUILT_IN_FACTS if f"`{name}`" not in TEXT] == []


def test_the_limits_are_those() -> None:
    ids = f"{reading.MAX_IDS:,}".replace(",", " ")
    limits = f"{reading.MAX_NODES} parts, {reading.MAX_DEPTH} levels, {reading.MAX_VALUES} values"
    assert f"at most {limits} or {reading.MAX_TEXT} characters in one place, and {ids} device ids" in TEXT
