"""The journey's pipeline: it answers callers, and a version that refuses what they send is rolled back."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from walle.release.states import IN_PROGRESS, ReleaseState
from walleweb.demo import show
from walleweb.demo.callers import Callers
from walleweb.demo.context import DemoContext, Seen, expect_state
from walleweb.demo.examples import MOOD, RENAMED
from walleweb.demo.strategies import AT_ONCE, TO_A_THIRD
from walleweb.demo.watching import wait_until

if TYPE_CHECKING:
    import httpx

ANSWER_S: Final = 600.0
"""How long the first answer may take: it waits until kernels are compiled, on a machine that has none."""
VERDICT_S: Final = 600.0


def pipeline_answers(world: DemoContext) -> Seen:
    """Push a pipeline, release it to all callers, and wait for the first prediction."""
    messages = world.push(MOOD)
    expect_state(world.follow(world.start_release(MOOD, AT_ONCE, MOOD.rule(()))), ReleaseState.COMPLETE)
    began = time.monotonic()
    with Callers(world.server, world.token, world.app) as callers:
        answers: list[httpx.Response] = []

        def is_answered() -> bool:
            answers.append(callers.ask(callers.users[0]))
            return answers[-1].is_success

        wait_until(is_answered, ANSWER_S, f"a prediction of {MOOD}")
        first = time.monotonic() - began
        again = callers.ask(callers.users[0])
    found, later_ms = again.json(), 1000 * again.elapsed.total_seconds()
    return [
        messages,
        f"the first prediction came after {first:.1f} s, a later one after {later_ms:.0f} ms",
        f"{found['prediction']['label']}, said version {found['version']}",
    ]


def renamed_column(world: DemoContext) -> Seen:
    """Release a version that refuses what callers send to a third of them; each asks until it is rolled back."""
    world.push(RENAMED)
    strategy = {**TO_A_THIRD, "simulation": False}
    number = world.start_release(RENAMED, strategy, RENAMED.rule(()))
    with Callers(world.server, world.token, world.app) as callers:
        _everybody_asks(world, callers, number)
        release = world.control_plane.release(number)
        expect_state(release, ReleaseState.ROLLED_BACK)
        versions = Counter[str]()

        def all_are_back() -> bool:
            versions.clear()
            versions.update(callers.ask(user).json().get("version", "refused") for user in callers.users)
            return versions.keys() == {MOOD.version}

        wait_until(all_are_back, VERDICT_S, f"every caller to be answered by {MOOD} again")
    return [
        show.stages(release),
        show.arms(release, "callers"),
        release["transitions"][-1]["reason"],
        f"then {versions[MOOD.version]} of {len(callers.users)} callers are answered by {MOOD.version} again",
    ]


def _everybody_asks(world: DemoContext, callers: Callers, release: int) -> None:
    def is_over() -> bool:
        for user in callers.users:
            callers.ask(user)
        return world.control_plane.release(release)["state"] not in IN_PROGRESS

    wait_until(is_over, VERDICT_S, f"the release of {RENAMED} to end")
