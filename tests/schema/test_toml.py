"""How many parts a TOML text's keys have is known before it is parsed, whatever is in its strings and comments."""

from __future__ import annotations

import contextlib
import tomllib
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle.schema import Malformed, read_toml
from walle.schema.documents import MAX_KEY_PARTS
from walle.schema.outline import longest_key, plain_toml

KEY = ".".join("k" * MAX_KEY_PARTS)
LONG = f"{KEY}.k"


@pytest.mark.parametrize("text", [f"{KEY} = 1", f"[{KEY}]", f"[[{KEY}]]", f"a = {{{KEY} = 1}}", f"a = [{{{KEY} = 1}}]"])
def test_as_many_parts_as_are_allowed_are_and_one_more_is_not(text: str) -> None:
    assert read_toml(text.encode()) == tomllib.loads(text)
    for longer in (LONG, LONG.replace(".", ' . "." . '), LONG.replace("k.", "'k'.")):
        with pytest.raises(Malformed, match="more than 16 parts"):
            read_toml(text.replace(KEY, longer).encode())


@pytest.mark.parametrize(
    "text",
    [
        f"# {LONG}\na = 1 # {LONG}",
        f'a = "{LONG}"',
        f"a = '{LONG}'",
        f'a = """\n{LONG} = 1\n\\""" "" {LONG} = 1\n""""" # {LONG}',
        f"a = '''\n{LONG} = 1\n'' {LONG} = 1\n'''''",
        f'"{LONG}\\" = {LONG}" = 1',
        "a = [" + "1.5, " * 100 + "]",
        "a = [\n" + "1.5 # one. two.\n," * 100 + "]",
    ],
)
def test_dots_elsewhere_do_not_count(text: str) -> None:
    assert read_toml(text.encode()) == tomllib.loads(text)


@pytest.mark.parametrize(
    "value",
    [
        *('""', "''", '""""""', "''''''", '"\\""', "'\\'", '"#"', "'#'", '"\'"', "'\"'", '1 # "', "1 # '", "1 # '''"),
        *('"""x""""', '"""x"""""', "'''x''''", "'''x'''''", '"""\\""""', '"""\n\'\n"""', "'''\n\"\n'''"),
        *('["a", "b\\"", \'c\', """d\\""""]', '{a = "}"}', '[ # ]"\n1]'),
    ],
)
def test_a_long_key_is_found_behind_any_value(value: str) -> None:
    assert tomllib.loads(f"a = {value}\nb = 1")["b"] == 1
    with pytest.raises(Malformed, match="more than 16 parts"):
        read_toml(f"a = {value}\n{LONG} = 1".encode())


@pytest.mark.parametrize("text", ["a", "a = ", '"', "'''", "[" * 100_000, "a = '''" + "\\" * 1000])
def test_what_is_no_toml_is_one_error(text: str) -> None:
    with pytest.raises(Malformed):
        read_toml(text.encode())


fragments = st.sampled_from(
    [
        "a",
        "a.",
        "a.b.c",
        ".",
        "=",
        " = ",
        "\n",
        '"',
        "'",
        '"""',
        "'''",
        "\\",
        '\\"',
        "#",
        "[",
        "]",
        "{",
        "}",
        ",",
        "1",
        " ",
    ]
)


@settings(max_examples=1000)
@given(st.lists(fragments, max_size=40).map("".join))
def test_no_key_that_the_parser_reads_is_longer_than_was_found(text: str) -> None:
    """Also of a text that it gives up halfway: the parser must never meet a key that nobody counted."""
    read: list[int] = []
    parse_key = tomllib._parser.parse_key  # type: ignore[attr-defined]

    def noted(source: str, position: int) -> tuple[int, tuple[str, ...]]:
        after, key = parse_key(source, position)
        read.append(len(key))
        return after, key

    patched = mock.patch.object(tomllib._parser, "parse_key", noted)  # type: ignore[attr-defined]
    with patched, contextlib.suppress(ValueError):
        tomllib.loads(text)
    assert max(read, default=1) <= longest_key(plain_toml(text))
