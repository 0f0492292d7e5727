"""One sandbox for each set of walls; a worker is started once and serves all the tests."""

from __future__ import annotations

import os

import pytest

from tests.container.support import interpreter_is_reachable
from walle.container.sandbox import Sandbox

WALLS = {
    "all walls": {},
    "no filter": {"seccomp": False},
    "no namespaces": {"namespaces": False},
}


@pytest.fixture(scope="session")
def sandboxes():
    """The sandboxes by the name of their walls, made when first asked for."""
    made: dict[str, Sandbox] = {}

    def get(walls: str) -> Sandbox:
        if walls not in made:
            made[walls] = Sandbox(**WALLS[walls])
        options = WALLS[walls]
        if not options.get("namespaces", True) and os.geteuid() == 0 and not interpreter_is_reachable():
            pytest.skip("the interpreter cannot be read by the users of runs")
        missing = made[walls].missing()
        for wall in missing:
            if options.get(wall, True):
                pytest.skip(f"this machine has no {wall}: {missing[wall]}")
        return made[walls]

    yield get
    for sandbox in made.values():
        sandbox.close()


@pytest.fixture
def sandbox(sandboxes):
    """The sandbox with all walls."""
    return sandboxes("all walls")


@pytest.fixture(params=list(WALLS))
def any_sandbox(request, sandboxes):
    """Each of the sandboxes in turn."""
    return sandboxes(request.param)
