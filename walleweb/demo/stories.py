"""Releases in the background of `make run`: one that succeeds, one that cannot run, one that is flawed; and a pipeline
whose callers send what it no longer takes.

    WALLE_TOKEN=... python -m walleweb.demo.stories --server http://127.0.0.1:8000 --app market \
        --app-versions 1.0.0 1.1.0 2.0.0 --devices 45 --testers 5

When restarted it continues where it was, without repeating anything. It ends with status 0 after the last one.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from walle.release.states import UNFINISHED, ReleaseState
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.examples import ALL, BETTER, FLAWED, RENAMED, UNFIT, Example, push_if_new, release_if_new
from walleweb.demo.strategies import CAN_SIMULATE, HASTY, TO_A_THIRD, in_stages
from walleweb.demo.testers import gather_testers
from walleweb.demo.watching import follow, is_unsure, let_go_on, wait_until

TIMEOUT_S: Final = 7 * 86_400.0
"""Seconds: a release may be paused by hand, and stay so for days."""
POLL_S: Final = 2.0


class Stories:
    """One server's app, and how many devices to wait for."""

    def __init__(self, options: argparse.Namespace, token: str) -> None:
        self._server, self._token = options.server, token
        self._app, self._app_versions = options.app, options.app_versions
        self._devices: int = options.devices
        self._testers: int = options.testers
        self.control_plane = ControlPlane(options.server, token)

    def play(self) -> None:
        """Continue the stories from their present state to their end."""
        wait_until(self._testers_are_there, TIMEOUT_S, "the testers' devices")
        for example in ALL:
            self._settle(example)
        usual = in_stages(self._devices, self._testers)
        self._run_story(BETTER, usual)
        if CAN_SIMULATE:
            self._run_story(UNFIT, usual)
        self._run_story(FLAWED, in_stages(self._devices, self._testers, HASTY))
        self._run_story(RENAMED, TO_A_THIRD)

    def _testers_are_there(self) -> bool:
        return len(gather_testers(self.control_plane, self._app)) >= self._testers

    def _run_story(self, example: Example, strategy: Mapping[str, Any]) -> None:
        """Push and release a version, as far as that is not done yet, and wait until its release has ended."""
        push_if_new(self.control_plane, self._server, self._token, example)
        release_if_new(self.control_plane, self._app, example, example.rule(self._app_versions), strategy)
        self._settle(example)

    def _settle(self, example: Example) -> None:
        """Wait until a release has ended; resume it if it is on hold for want of samples, but not if a person paused
        it.
        """
        release = self.control_plane.release_of(self._app, example.task, example.version)
        while release and release["state"] in UNFINISHED:
            release = follow(self.control_plane, release["id"], seconds=TIMEOUT_S, every=POLL_S)
            if is_unsure(release):
                let_go_on(self.control_plane, release)
            elif release["state"] == ReleaseState.PAUSED:
                time.sleep(POLL_S)
        if release:
            print(f"{example}: {release['state']}", flush=True)


def main() -> int:
    options = parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Stories(options, os.environ["WALLE_TOKEN"]).play()
    return 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m walleweb.demo.stories", description="Releases that show something.")
    found.add_argument("--server", required=True, metavar="URL")
    found.add_argument("--app", required=True)
    found.add_argument("--app-versions", required=True, nargs="+", metavar="VERSION")
    found.add_argument("--devices", type=int, required=True, metavar="N", help="devices beside the testers'")
    found.add_argument("--testers", type=int, required=True, metavar="N", help="devices of testers")
    return found


if __name__ == "__main__":
    sys.exit(main())
