"""One sandbox for each kind of isolation; a worker is started once and serves all the tests."""

from __future__ import annotations

import os

import pytest

from tests.container.support import interpreter_is_reachable
from walle.container.sandbox import Sandbox

ISOLATIONS = {
    "full isolation": {},
    "no filter": {"seccomp": False},
    "no namespaces": {"namespaces": False},
}


@pytest.fixture(scope="session")
def sandboxes():
    """The sandboxes by the name of their isolation, made when first asked for."""
    made: dict[str, Sandbox] = {}

    def get(isolation: str) -> Sandbox:
        if isolation not in made:
            made[isolation] = Sandbox(**ISOLATIONS[isolation])
        options = ISOLATIONS[isolation]
        if not options.get("namespaces", True) and os.geteuid() == 0 and not interpreter_is_reachable():
            pytest.skip("the interpreter cannot be read by the users of runs")
        missing = made[isolation].missing()
        for part in missing:
            if options.get(part, True):
                pytest.skip(f"this machine has no {part}: {missing[part]}")
        return made[isolation]

    yield get
    for sandbox in made.values():
        sandbox.close()


@pytest.fixture
def sandbox(sandboxes):
    """The sandbox with full isolation."""
    return sandboxes("full isolation")


@pytest.fixture(params=list(ISOLATIONS))
def any_sandbox(request, sandboxes):
    """Each of the sandboxes in turn."""
    return sandboxes(request.param)
