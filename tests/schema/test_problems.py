"""Which fields have problems: asked for each name of a table, however many problems there are."""

from __future__ import annotations

from typing import Any, NoReturn

from hypothesis import given
from hypothesis import strategies as st

from walle.schema import Problems

fields = st.lists(st.sampled_from(["a", "ab", "a.b", "[0]", ".", "[1]", ".b", " (a.b)"]), max_size=4).map("".join)


class Unsearchable(list[Any]):
    """A file of 190 KB can have 8000 problems and as many names: to compare each with each takes a minute."""

    def __iter__(self) -> NoReturn:
        raise AssertionError("searched")


@given(st.lists(fields, max_size=5), fields)
def test_a_field_is_touched_by_problems_at_it_inside_it_and_around_it(found: list[str], field: str) -> None:
    problems = Problems("task.toml")
    for each in found:
        problems.say(each, "something", "nothing")
    problems.found = Unsearchable(problems.found)
    assert problems.touches(field) == any(is_inside(one, field) or is_inside(field, one) for one in found)


def is_inside(field: str, outer: str) -> bool:
    return outer in ("", field) or field.startswith((f"{outer}.", f"{outer}["))
