"""Requirements: each kind met, unmet and unknown."""

from __future__ import annotations

import pytest

from walle.container.requirements import RuntimeFacts, check_manifest_fits, check_requirements
from walle.protocol.names import InvalidNameError

FACTS = RuntimeFacts(app="1.4.0", os="android", os_version="14", runtime="1.0.0", python="3.11.7", modules={"numpy"})
ALL = {
    "app": ">=1.2.0,<2",
    "runtime": ">=1.0.0",
    "python": ">=3.11",
    "modules": ["numpy"],
    "os": {"android": ">=10", "ios": ">=15"},
}


def test_nothing_required_is_always_met():
    assert check_requirements({}, RuntimeFacts()) == []


def test_requirements_that_hold_give_no_reasons():
    assert check_requirements(ALL, FACTS) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"app": "1.1.9"}, "app: expected >=1.2.0,<2, found 1.1.9"),
        ({"app": "2.0.0-beta"}, "app: expected >=1.2.0,<2, found 2.0.0-beta"),
        ({"app": None}, "app: expected >=1.2.0,<2, found nothing"),
        ({"app": "latest"}, "app: expected >=1.2.0,<2, found 'latest'"),
        ({"runtime": "0.9.0"}, "runtime: expected >=1.0.0, found 0.9.0"),
        ({"python": "3.10"}, "python: expected >=3.11, found 3.10"),
        ({"modules": {"scipy"}}, "modules: expected numpy, found no such module"),
        ({"os": "linux"}, "os: expected one of android, ios, found linux"),
        ({"os": None}, "os: expected one of android, ios, found nothing"),
        ({"os_version": "9"}, "os.android: expected >=10, found 9"),
        ({"os_version": None}, "os.android: expected >=10, found nothing"),
        ({"os": "ios"}, "os.ios: expected >=15, found 14"),
    ],
)
def test_each_requirement_has_its_reason(facts, reason):
    known = {name: getattr(FACTS, name) for name in ("app", "os", "os_version", "runtime", "python", "modules")}
    assert [str(one) for one in check_requirements(ALL, RuntimeFacts(**known | facts))] == [reason]


@pytest.mark.parametrize(
    ("interpreter", "reasons"),
    [
        ("cpython-312", []),
        ("cpython-311", ["interpreter: expected cpython-312, which the bytecode is for, found cpython-311"]),
        (None, ["interpreter: expected cpython-312, which the bytecode is for, found nothing"]),
    ],
)
def test_bytecode_needs_its_interpreter(interpreter, reasons):
    manifest = {"requires": {}, "bytecode": {"interpreter": "cpython-312", "source": "ab" * 32}}
    assert [str(one) for one in check_manifest_fits(manifest, RuntimeFacts(interpreter=interpreter))] == reasons


def test_a_manifest_of_source_needs_no_interpreter_and_what_it_requires():
    assert check_manifest_fits({"requires": ALL}, FACTS) == []
    assert len(check_manifest_fits({"requires": ALL}, RuntimeFacts(runtime="0.1", python="2.7"))) == 5


def test_all_reasons_come_together():
    assert len(check_requirements(ALL, RuntimeFacts(runtime="0.1", python="2.7"))) == 5


def test_a_malformed_range_is_an_error_of_the_manifest():
    with pytest.raises(InvalidNameError):
        check_requirements({"app": "newest"}, FACTS)


def test_facts_of_this_interpreter():
    facts = RuntimeFacts.of_this_interpreter(
        ["numpy", "absent", "json.decoder", ".odd"], app=None, os=None, os_version=None
    )
    assert facts.modules == {"numpy", "json.decoder"}
    assert check_requirements({"python": ">=3.11", "modules": ["numpy"]}, facts) == []
