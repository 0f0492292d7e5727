"""What a device says of itself."""

import sys

import pytest

from walle.device.facts import Facts, parse_fact
from walle.protocol.headers import read_app, write_app
from walle.protocol.interpreters import loads
from walle.protocol.kinds import knows


def test_facts_arrive_as_they_were_said():
    facts = Facts("shop", "1.2.0", "ios", "17.4", None, "eu", {"level": 3, "beta": True, "score": 0.25, "name": "x y"})
    read = read_app(write_app(facts.header()).encode())
    expected = {"app_version": "1.2.0", "os": "ios", "os_version": "17.4", "region": "eu"}
    own = {"interpreter": sys.implementation.cache_tag, "kind-workflow": True}
    assert read.facts == {**expected, "level": 3, "beta": True, "score": 0.25, "name": "x y"} | own


def test_a_device_says_which_kinds_it_knows_beside_the_one_that_all_know():
    facts = Facts(
        "shop", "1.0.0", "a", "1", extra={"x": 1}, interpreter=None, kinds=frozenset({"pipeline", "device", "model"})
    )
    written = write_app(facts.header())
    assert written == '"shop";v="1.0.0";os="a";osv="1";x=1;kind-model;kind-pipeline'
    said = read_app(written.encode()).facts
    assert all(knows(said, kind) for kind in ("device", "model", "pipeline"))
    assert not knows(said, "workflow")
    assert knows(Facts("shop", "1.0.0", "a", "1").header().facts, "device")


def test_a_device_says_which_interpreter_its_tasks_run_with_and_an_app_cannot_say_another():
    facts = Facts("shop", "1.0.0", "a", "1", extra={"x": 1, "interpreter": "cpython-399"}, interpreter="cpython-312")
    written = write_app(facts.header())
    assert written == '"shop";v="1.0.0";os="a";osv="1";interpreter="cpython-312";x=1;kind-workflow'
    said = read_app(written.encode()).facts
    assert loads(said, "cpython-312")
    assert loads(said, None)
    assert not loads(said, "cpython-311")
    assert not loads({}, "cpython-311")


def test_devices_with_equal_facts_send_equal_bytes():
    one = Facts("shop", "1.0.0", "a", "1", extra={"x": 1, "y": 2})
    two = Facts("shop", "1.0.0", "a", "1", extra={"y": 2, "x": 1})
    assert write_app(one.header()) == write_app(two.header())


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("beta=true", ("beta", True)),
        ("beta=false", ("beta", False)),
        ("level=3", ("level", 3)),
        ("score=0.5", ("score", 0.5)),
        ("name=a=b", ("name", "a=b")),
        ("name=", ("name", "")),
    ],
)
def test_facts_of_a_command_line(text, fact):
    assert parse_fact(text) == fact
    assert type(parse_fact(text)[1]) is type(fact[1])


@pytest.mark.parametrize("text", ["", "name", "=x"])
def test_facts_that_are_none(text):
    with pytest.raises(ValueError, match="name=value"):
        parse_fact(text)
