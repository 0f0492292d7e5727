"""What a device says of a module that is missing."""

from __future__ import annotations

import pytest

from walle.container.result import RunResult, failure
from walle.device.running.tailored import MARKER, message_of
from walle.packaging import writing


@pytest.fixture
def prefix(tmp_path):
    """Of a tailored build."""
    (tmp_path / MARKER).write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    "message",
    [
        "ModuleNotFoundError: No module named 'sqlite3' (main.py:3)",
        "the required module sqlite3 is not installed",
    ],
)
def test_a_tailored_build_can_be_made_with_it(prefix, tmp_path_factory, message):
    result = failure("import-missing", message)
    hint = "left out of this tailored build: add it with walle device package --with sqlite3"
    assert message_of(result, prefix) == f"{message}; {hint}"
    assert message_of(result, tmp_path_factory.mktemp("whole")) == message


def test_other_failures_and_successes_are_told_as_they_are(prefix):
    assert message_of(failure("timeout", "No module named 'x'"), prefix) == "No module named 'x'"
    assert message_of(failure("import-missing", "cannot import name y"), prefix) == "cannot import name y"
    assert message_of(RunResult("success"), prefix) is None


def test_builds_are_marked_as_devices_look_for_it():
    assert str(writing.MARKER) == MARKER
