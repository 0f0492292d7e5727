"""The list of bugs fits today's code, and what is generated is code that says something else. Nothing is tried here."""

from __future__ import annotations

import ast

import pytest

from tests.mutants.__main__ import main
from tests.mutants.areas import AREAS, files, generated
from tests.mutants.generation import changes
from tests.mutants.rewrites import DoesNotApply, Rewrite, harmless, listed

LEAST = 369


def faults(one: Rewrite) -> str:
    try:
        compile(one.rewritten(), one.file, "exec")
    except (DoesNotApply, SyntaxError) as error:
        return f"{one.area}: {one.what} ({error})"
    missing = one.missing_test()
    return f"{one.area}: {one.what} (there is no test {missing})" if missing else ""


@pytest.mark.slow
def test_every_bug_of_the_list_applies_and_its_test_is_there() -> None:
    found = listed()
    assert [fault for one in found if (fault := faults(one))] == []
    assert len(found) >= LEAST
    assert all(one.tests for one in found)
    assert len({(one.file, one.rewritten()) for one in found}) == len(found), "the same bug is in the list twice"


def test_every_harmless_change_applies() -> None:
    assert [fault for one in harmless() if (fault := faults(one))] == []


def test_a_rewrite_whose_text_is_gone_or_not_unique_is_told() -> None:
    file = "walle/release/pace.py"
    with pytest.raises(DoesNotApply, match="holds 'no such text' 0 times"):
        Rewrite("release", "", file, "no such text", "").rewritten()
    with pytest.raises(DoesNotApply, match="holds 'return' 2 times"):
        Rewrite("release", "", file, "return", "").rewritten()
    with pytest.raises(DoesNotApply, match=r"walle/gone\.py is gone"):
        Rewrite("release", "", "walle/gone.py", "", "").rewritten()


@pytest.mark.parametrize("test", ["tests/gone.py", "tests/release/test_pace.py::test_gone"])
def test_a_test_that_is_gone_is_told(test: str) -> None:
    there = ("tests/release", "tests/release/test_pace.py::test_a_rush_is_met_after_few_requests")
    assert Rewrite("release", "", "", "", "", there).missing_test() == ""
    assert Rewrite("release", "", "", "", "", (*there, test)).missing_test() == test


SOURCE = '''"""Words."""
from typing import Any

LIMIT: int | None = 3


def decide(given: Any, *, most: int = 2) -> bool:
    if not given and most < len(given):
        raise ValueError(f"expected {most + 1}")
    log.info("%d", 1 + most)
    given.pop()
    return max(given, most) - compare(given, most) > 0
'''


def test_what_is_changed_and_what_is_left_alone() -> None:
    found = [(change.line, changed_line(change.source, change.line)) for change in changes(SOURCE)]
    assert found == [
        (4, "LIMIT: int | None = 4"),
        (7, "def decide(given: Any, *, most: int = 3) -> bool:"),
        (8, "    if (not (not given and most < len(given))):"),
        (8, "    if (not given or most < len(given)):"),
        (8, "    if (given) and most < len(given):"),
        (8, "    if not given and most <= len(given):"),
        (9, "        pass"),
        (11, "    pass"),
        (12, "    return None"),
        (12, "    return max(given, most) - compare(given, most) >= 0"),
        (12, "    return (max(given, most) + compare(given, most)) > 0"),
        (12, "    return max(given, most) - compare(most, given) > 0"),
        (12, "    return max(given, most) - compare(given, most) > 1"),
    ]


def changed_line(source: str, line: int) -> str:
    return source.splitlines()[line - 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", AREAS)
def test_every_change_is_code_that_says_something_else(name: str) -> None:
    path = files(AREAS[name].sources)[-1]
    before = path.read_text()
    found = list(changes(before))
    assert all(ast.dump(ast.parse(change.source)) != ast.dump(ast.parse(before)) for change in found)
    assert len({change.source for change in found}) == len(found) > 5


def test_the_same_seed_draws_the_same_bugs() -> None:
    one, again, other = (generated("permissions", seed=seed, count=5) for seed in (1, 1, 2))
    assert one == again != other
    assert [len(one), len(other)] == [5, 5]
    assert one[0].tests[0].startswith("tests/accounts_app/")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--only", "release,protocol"], "invalid choice: 'release,protocol'"), (["--bug", "no such bug"], "No bug")],
)
def test_what_can_try_nothing_is_refused(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status: object = main(arguments)
    except SystemExit as refused:
        status = refused.code
    printed = capsys.readouterr()
    assert (status, told in printed.out + printed.err) == (2, True)
