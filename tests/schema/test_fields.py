"""Any schema, any value: each wrong field gives one problem at its path, the rest gives none, and nothing raises."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.values import any_values, deep
from walle.schema import (
    MAX_PROBLEMS,
    AllOf,
    AnyJson,
    ByType,
    Fields,
    Items,
    Malformed,
    Named,
    Node,
    Nullable,
    Number,
    OneOfTexts,
    Problems,
    Text,
    Value,
    checked,
)

NAME = Text("a name of small letters", str.islower)
UNUSED = AllOf((NAME, Text("no keyword", lambda text: text.lower() != "if")))
# A node with what fits it and what does not.
LEAVES: list[tuple[Node, Any, Any]] = [
    (Number(0, 9), 3.5, 10),
    (Number(0, 9, integer=True), 3, 3.5),
    (Number(), -1e308, math.inf),
    (Text("some text"), "x", ""),
    (OneOfTexts(("beta", "gray")), "gray", "grey"),
    (Value("true or false", lambda value: isinstance(value, bool)), False, 0),
    (AnyJson(), {"a": [None, 1.5]}, {"a": [math.nan]}),
    (Nullable(Number(1, 9)), None, 0),
    (ByType({str: NAME, list: Items(NAME, "names")}, "a name or names"), ["a"], {"a": 1}),
    (UNUSED, "of", "if"),
    (UNUSED, "of", "IF"),
    (Items(NAME, "one name at least", 1), ["a", "b"], []),
]


@dataclass(frozen=True)
class Form:
    """A node, a value that fits it, and for each field that can be made wrong alone: the keys to it and its path."""

    node: Node
    value: Any
    fields: tuple[tuple[tuple[str | int, ...], str, Any], ...]


@st.composite
def forms(draw: st.DrawFn, depth: int = 3) -> Form:
    kind = draw(st.sampled_from(["leaf", "fields", "items", "named"])) if depth else "leaf"
    if kind == "leaf":
        node, good, bad = draw(st.sampled_from(LEAVES))
        return Form(node, good, (((), "", bad),))
    if kind == "fields":
        names = draw(st.lists(st.sampled_from(["a", "b_2", "c-c"]), min_size=1, unique=True))
        parts = {name: draw(forms(depth - 1)) for name in names}
        node = Fields({name: part.node for name, part in parts.items()}, tuple(parts))
        return Form(node, {name: part.value for name, part in parts.items()}, below(parts.items(), ".{}"))
    part = draw(forms(depth - 1))
    if kind == "items":
        return Form(Items(part.node, "a list"), [part.value] * 2, below([(0, part), (1, part)], "[{}]"))
    return Form(Named(NAME, part.node), {"x": part.value, "y": part.value}, below([("x", part), ("y", part)], ".{}"))


def below(parts: Any, step: str) -> tuple[Any, ...]:
    return tuple(
        ((name, *keys), step.format(name) + field, bad) for name, part in parts for keys, field, bad in part.fields
    )


def replaced(value: Any, keys: tuple[str | int, ...], new: Any) -> Any:
    if not keys:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[keys[0]] = replaced(value[keys[0]], keys[1:], new)
    return copy


def problem_fields(node: Node, value: object) -> list[str]:
    problems = Problems("file")
    node.check(value, "form", problems)
    return [problem.field for problem in problems.all]


@given(forms(), st.data())
def test_so_many_wrong_fields_so_many_problems_each_at_its_own(form: Form, data: st.DataObject) -> None:
    wrong = data.draw(st.lists(st.sampled_from(form.fields), unique_by=lambda field: field[0]))
    value = form.value
    for keys, _, bad in wrong:
        value = replaced(value, keys, bad)
    assert sorted(problem_fields(form.node, value)) == sorted(f"form{field}" for _, field, _ in wrong)


def test_what_stands_at_a_wrong_name_is_not_looked_at() -> None:
    assert problem_fields(Named(NAME, Number(0, 9)), {"A": 10, "b": 10, 3: 10}) == ["form.A", "form.b", "form.3"]


def tables(value: Any, field: str = "form") -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        yield value, field
        for name, each in value.items():
            yield from tables(each, f"{field}.{name}")


@given(st.lists(st.sampled_from(["a", "b", "c", "of.d"]), unique=True), st.lists(st.sampled_from("xyz"), unique=True))
def test_missing_and_unknown_keys_are_problems_too(missing: list[str], unknown: list[str]) -> None:
    inner = {"d": Number(0, 9)}
    node = Fields({"a": NAME, "b": NAME, "c": NAME, "of": Fields(inner, tuple(inner))}, ("a", "b", "c", "of"))
    value: dict[str, Any] = {"a": "a", "b": "b", "c": "c", "of": {"d": 1}, **dict.fromkeys(unknown, 1)}
    for table, field in list(tables(value, "")):
        for name in missing:
            holder, _, key = name.rpartition(".")
            if f".{holder}".rstrip(".") == field:
                del table[key]
    assert sorted(problem_fields(node, value)) == sorted(f"form.{name}" for name in (*missing, *unknown))


@given(forms(), any_values)
def test_no_value_at_all_makes_a_node_raise(form: Form, value: object) -> None:
    for keys, _, _ in ((), "", None), *form.fields:
        for problem in problem_fields(form.node, replaced(form.value, keys, value)):
            assert problem.startswith("form")


ODD = {"deep": deep(5000), "long": 16**9999, "half": "\ud800" * 100, "date": date(2024, 1, 1), "keys": {1: 2, None: 3}}


@pytest.mark.parametrize("node", [leaf[0] for leaf in LEAVES])
@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_values_that_cannot_be_shown_are_problems_of_bounded_length(node: Node, value: object) -> None:
    problems = Problems()
    Fields({"a": node}).check({"a": value, "b": value}, "", problems)
    assert all(len(problem.text) < 400 for problem in problems.all)


def test_the_text_of_a_problem_says_where_what_was_expected_and_what_was_found() -> None:
    node = Fields({"kind": OneOfTexts(("beta", "gray")), "share": Number(0, 1)}, ("share",))
    with pytest.raises(Malformed) as refused:
        checked(node, {"kind": "grey", "knd": 1}, "step", Malformed)
    assert refused.value.texts == [
        "step.kind: expected one of beta, gray, found 'grey' (did you mean \"gray\"?)",
        'step.knd: expected one of the keys kind, share, found an unknown key (did you mean "kind"?)',
        "step.share: expected a number of at least 0 and of at most 1, found nothing",
    ]
    assert str(refused.value) == "; ".join(refused.value.texts)
    assert pickle.loads(pickle.dumps(refused.value)).texts == refused.value.texts
    assert checked(node, {"share": 1}, "step", Malformed) == {"share": 1}
    with pytest.raises(Malformed, match=r"^expected a table with kind, share, found \[\]$"):
        checked(node, [], "", Malformed)


def test_beyond_many_problems_the_rest_is_counted() -> None:
    value = {f"key{number}": 1 for number in range(MAX_PROBLEMS + 7)}
    problems = Problems("task.toml")
    Fields({"key": NAME}).check(value, "", problems)
    assert len(problems.all) == MAX_PROBLEMS + 1
    assert problems.all[-1].text == "task.toml: expected at most 1000 problems, found 7 more"
    assert problems.touches(f"key{MAX_PROBLEMS + 6}")
    assert not problems.touches("key")
    with pytest.raises(Malformed) as refused:
        checked(Fields({"key": NAME}), value, "form", Malformed)
    assert str(refused.value).count("expected") == 10
    assert str(refused.value).endswith("; and 991 more problems")


# -- a nested expression, as rules are -------------------------------------------------------------------------


@dataclass(frozen=True)
class Expression:
    """`{"all": [...]}`, `{"not": ...}` or `{"fact": name}`, nested so many levels at most."""

    levels: int
    expected: str = 'an object with one of "all", "not", "fact"'

    def check(self, value: object, field: str, problems: Problems) -> None:
        if not self.levels:
            problems.say(field, "nothing deeper", "more levels")
        elif not isinstance(value, dict) or len(value) != 1 or not value.keys() <= {"all", "not", "fact"}:
            problems.add(field, self.expected, value)
        else:
            below = Expression(self.levels - 1)
            Fields({"all": Items(below, "a list of expressions", 1), "not": below, "fact": NAME}).check(
                value, field, problems
            )


def test_a_nested_expression_is_a_node_that_holds_itself() -> None:
    value: Any = {"all": [{"fact": "Os"}, {"not": {"all": []}}, {"any": []}, {"not": {"not": {"not": {"fact": "a"}}}}]}
    assert problem_fields(Expression(4), value) == [
        "form.all[0].fact",
        "form.all[1].not.all",
        "form.all[2]",
        "form.all[3].not.not.not",
    ]
    assert problem_fields(Expression(5), {"all": [{"not": {"fact": "os"}}]}) == []
    assert len(problem_fields(Expression(16), deep(5000, "not"))) == 1
