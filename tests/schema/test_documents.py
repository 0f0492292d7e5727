"""TOML and JSON of strangers: bounded before they are parsed, and read in steps that grow with their bytes only."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.values import deep
from walle.bundle.taskfile import MAX_TASK_FILE, parse_task
from walle.schema import MAX_NESTING, Malformed, read_json, read_toml
from walle.schema.documents import MAX_INTEGER_BITS
from walle.schema.values import MAX_DEPTH

READERS: dict[str, Callable[[bytes], Any]] = {"TOML": read_toml, "JSON": read_json}


def refusal(read: Callable[..., Any], *given_: Any) -> str:
    with pytest.raises(Malformed) as refused:
        read(*given_)
    [problem] = refused.value.problems
    return problem.text


@pytest.mark.parametrize("read", READERS.values())
def test_too_many_bytes_are_refused_before_they_are_looked_at(read: Callable[..., Any]) -> None:
    content = b"[1]".ljust(100) if read is read_json else b"a = 1".ljust(100)
    assert read(content, "file", 100)
    assert refusal(read, content + b" ", "file", 100) == "file: expected at most 100 bytes, found 101 bytes"
    assert refusal(read, b"\xff" * 101, "file", 100) == "file: expected at most 100 bytes, found 101 bytes"


@pytest.mark.parametrize(("opening", "closing"), ["[]", ("{ a = ", "}")])
def test_toml_may_be_nested_so_deep_and_no_deeper(opening: str, closing: str) -> None:
    def nested(levels: int) -> bytes:
        return f"a = {opening * levels}1{closing * levels}".encode()

    assert read_toml(nested(MAX_NESTING - 1))
    for levels in (MAX_NESTING, 50_000):
        assert "nested more than 100 deep" in refusal(read_toml, nested(levels))


def test_tables_nested_by_dotted_keys_count_too() -> None:
    key = ".".join("abcdefgh")
    inner = f"[{key}]\n{key} = "
    assert read_toml((inner + f"{{ {key} = " * 10 + "1" + "}" * 10).encode())
    assert "nested more than 100 deep" in refusal(read_toml, (inner + f"{{ {key} = " * 11 + "1" + "}" * 11).encode())


@pytest.mark.parametrize("key", [None, "[{"])
def test_json_may_be_nested_so_deep_and_no_deeper(key: str | None) -> None:
    assert read_json(json.dumps(deep(MAX_NESTING, key)).encode())
    for levels in (MAX_NESTING + 1, 900):
        assert "nested more than 100 deep" in refusal(read_json, json.dumps(deep(levels, key)).encode())
    for text in (b"[" * 200_000, b'{"":' * 200_000):
        assert "nested more than 100 deep" in refusal(read_json, text)


@given(st.recursive(st.text(alphabet='[]{}"\\a', max_size=5), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_brackets_in_strings_do_not_count(value: Any) -> None:
    text = json.dumps([value, "[" * 200, '\\"{' * 200])
    assert read_json(text.encode()) == json.loads(text)


def test_a_value_as_deep_as_values_may_be_fits_into_any_document() -> None:
    inner = json.dumps(deep(MAX_DEPTH))
    assert read_toml(f"samples = [{{ expect = {{ a = {{ equals = {inner} }} }} }}]".encode())


@pytest.mark.parametrize("read", READERS.values())
def test_an_integer_that_cannot_be_written_is_refused(read: Callable[..., Any]) -> None:
    def document(number: str) -> bytes:
        return (f"a = {number}" if read is read_toml else f'{{"a": {number}}}').encode()

    assert read(document(str(2**MAX_INTEGER_BITS - 1))) == {"a": 2**MAX_INTEGER_BITS - 1}
    assert "more than 1024 bits" in refusal(read, document(str(-(2**MAX_INTEGER_BITS))))
    assert refusal(read, document("9" * 5000)).startswith("expected valid")


def test_hexadecimal_bounds_of_thousands_of_digits_are_a_problem_of_the_task() -> None:
    """Python reads them and refuses to write them, so no message could say what was found."""
    bounds = f"min = 0x{'f' * 5001}, max = 0x{'f' * 5000}"
    [problem] = parse_task(f'inputs = {{ a = {{ type = "integer", {bounds} }} }}'.encode()).problems
    assert problem.text == "task.toml: expected valid TOML in UTF-8, found an integer of more than 1024 bits"


@pytest.mark.parametrize("read", READERS.values())
@given(st.binary(max_size=60) | st.text(alphabet="[]{}\"\\=.#\n'a1,: ", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_by_one_exception(read: Callable[..., Any], content: bytes) -> None:
    with contextlib.suppress(Malformed):
        read(content)


json_scalars = st.none() | st.booleans() | st.integers(-(2**1000), 2**1000) | st.floats(allow_nan=False) | st.text()


@given(st.recursive(json_scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_is_read_as_it_was_written(value: Any) -> None:
    assert read_json(json.dumps(value).encode()) == value


def steps(act: Callable[[], object]) -> int:
    """How many lines of Python an act takes."""
    taken = 0

    def line(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal taken
        taken += event == "line"
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        act()
    finally:
        sys.settrace(before)
    return taken


DOCUMENTS: dict[str, Callable[[int], str]] = {
    "keys": lambda size: "\n".join(f"a{number} = 1" for number in range(size)),
    "unknown keys near a known one": lambda size: "\n".join(f"limit{number} = 1" for number in range(size)),
    "tables": lambda size: "\n".join(f"[a{number}.b]\nc = 1" for number in range(size)),
    "dotted keys": lambda size: "\n".join(f"{'a.' * 15}a{number} = 1" for number in range(size)),
    "one dotted key": lambda size: "a." * (size * 20) + "a = 1",
    "a list": lambda size: f"a = [{'1, ' * size}]",
    "a list of tables": lambda size: "[[samples]]\n" * size,
    "open brackets": lambda size: "a = " + "[" * (size * 20),
    "samples": lambda size: "\n".join(f'[[samples]]\nname = "a"\ninput = {{ a = {number} }}' for number in range(size)),
    "names": lambda size: "requires = { modules = [" + '"a", ' * size + "] }",
    "declarations": lambda size: "[inputs]\n" + "\n".join(f"a{number} = {{ type = 1 }}" for number in range(size)),
    "an open string": lambda size: "a = '''" + "'' " * (size * 20),
    "escapes": lambda size: 'a = "' + '\\"' * (size * 20),
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_task_file_twice_as_long_takes_twice_the_steps(document: Callable[[int], str]) -> None:
    once, twice = (steps(lambda size=size: parse_task(document(size).encode())) for size in (100, 200))
    assert len(document(200)) < MAX_TASK_FILE
    assert twice < 2.2 * once + 100
