"""The interpreters of Python that are on this machine, by cache tag; each is asked what it is before it counts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from walle.protocol.interpreters import THIS_INTERPRETER

TAG: Final = re.compile(r"cpython-3(1[1-9]|[2-9][0-9])")
"""The cache tags of interpreters that tasks may be compiled by: those of Python 3.11 and later."""
EXPECTED_TAG: Final = "an interpreter of Python 3.11 or later, such as cpython-311"
ISOLATED: Final = ("-I", "-S")
"""Arguments with which an interpreter looks at no folder of the user, no variable and no installed package."""
_WHAT: Final = "import sys; print(sys.implementation.cache_tag)"
_ANSWER_SECONDS: Final = 20
_LOOKED_FOR: Final = tuple(f"cpython-3{minor}" for minor in range(11, 20))


class Interpreters:
    """Interpreters by cache tag: this one, those whose paths are `named`, and `python3.N` on the search path."""

    def __init__(self, named: Mapping[str, str] | None = None) -> None:
        self._named = dict(named or {})
        self._asked: dict[str, str] = {}

    def find(self, tag: str) -> str | None:
        """The path of an interpreter; None where there is none that says it is this one."""
        for python in (self._named.get(tag), sys.executable if tag == THIS_INTERPRETER else _on_path(tag)):
            if python and self._tag_of(python) == tag:
                return python
        return None

    def present(self) -> list[str]:
        """The cache tags of all interpreters that were found."""
        return sorted(tag for tag in {*self._named, *_LOOKED_FOR} if self.find(tag))

    def _tag_of(self, python: str) -> str:
        if python not in self._asked:
            self._asked[python] = _answer(python)
        return self._asked[python]


def _on_path(tag: str) -> str | None:
    return shutil.which(f"python3.{tag.removeprefix('cpython-3')}")


def _answer(python: str) -> str:
    """What an interpreter says it is; nothing where it does not run."""
    command = [python, *ISOLATED, "-c", _WHAT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_ANSWER_SECONDS)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
