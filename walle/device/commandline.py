"""The parts that the command lines of a device and of the emulator have in common."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from walle.device.facts import Fact, parse_fact
from walle.device.link.enrolment import Enrolment
from walle.device.running.inputs import Inputs, RandomInputs, RecordedInputs
from walle.protocol.documents import Manifest
from walle.protocol.names import check_task_name

RANDOM = "random"


class AnyInputs:
    """Recorded inputs for tasks with a file; random ones for tasks that ask for them, or for all others."""

    def __init__(self, choices: Mapping[str, str], rng: random.Random, *, random_for_others: bool) -> None:
        files = {task: Path(path) for task, path in choices.items() if path != RANDOM}
        self._recorded, self._random = RecordedInputs(files), RandomInputs(rng)
        self._choices, self._random_for_others = choices, random_for_others

    def __call__(self, task: str, manifest: Manifest) -> Inputs | None:
        if self._choices.get(task, RANDOM if self._random_for_others else None) == RANDOM:
            return self._random(task, manifest)
        return self._recorded(task, manifest)


def add_cloud_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options --server, --app, --app-key, --root, --inputs, --interval and --verbose."""
    parser.add_argument("--server", required=True, metavar="URL", help="the gateway, such as https://walle.example")
    parser.add_argument("--app", required=True, help="the app that this device carries")
    parser.add_argument(
        "--app-key", default=os.environ.get("WALLE_APP_KEY"), help="a key of the app, to enrol with (or WALLE_APP_KEY)"
    )
    parser.add_argument("--root", type=Path, metavar="FILE", help="the root of trust that ships with the app")
    parser.add_argument(
        "--inputs",
        action="append",
        default=[],
        type=task_choice,
        metavar="TASK=FILE",
        help=f"inputs of a task as JSON Lines, or TASK={RANDOM} to invent some; may be repeated",
    )
    parser.add_argument("--interval", type=positive, default=10.0, metavar="S", help="seconds between check-ins")
    parser.add_argument("--verbose", action="store_true", help="log what happens inside as well")


def positive(text: str) -> float:
    """Parse a number above 0, as a type of argparse."""
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return value


def fact(text: str) -> tuple[str, Fact]:
    """Parse `name=value`, as a type of argparse."""
    try:
        return parse_fact(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def task_choice(text: str) -> tuple[str, str]:
    """Parse `camera/digits=inputs.jsonl`, as a type of argparse."""
    task, equals, path = text.partition("=")
    try:
        check_task_name(task)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not equals or not path:
        raise argparse.ArgumentTypeError(f"expected TASK=FILE, found {text!r}")
    if path != RANDOM and not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"no such file: {path}")
    return task, path


def enrolment_of(app: str, app_key: str | None, statement: Path | None = None) -> Enrolment:
    """Return the enrolment by key, or by the statement in a file, which is read at each enrolment."""
    return Enrolment(app, app_key, _reader(statement) if statement else None)


def _reader(path: Path) -> Callable[[], Mapping[str, Any]]:
    def read() -> Mapping[str, Any]:
        statement: Mapping[str, Any] = json.loads(path.read_bytes())
        return statement

    return read


def set_up_logging(*, verbose: bool) -> None:
    logging.basicConfig(level=logging.INFO if verbose else logging.CRITICAL, format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)


def on_stop_signal(stop: Callable[[], None]) -> None:
    """Have the running loop call `stop` at SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
