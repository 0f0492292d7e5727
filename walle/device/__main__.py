"""One device on the command line.

    python -m walle.device --server http://localhost:8000 --app shop --app-key KEY --app-version 1.2.0 \
        --os android --os-version 14 --store ./device --inputs camera/digits=digits.jsonl

It enrols, checks in, installs offered versions, runs them on the inputs, reports, and prints each step. SIGTERM and
SIGINT stop it; with --once it does everything once. While it runs, `walle device track` tells it of events, and
`walle device events` shows what they triggered (docs/guides/cli.md).

Exit status: 0, or 1 if the server could not be reached or refused the device (with --once), 2 for a wrong command line
or a directory in use.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from walle.container.sandbox import Sandbox
from walle.device.assembly import REPORT_S, AssembledDevice
from walle.device.commandline import (
    AnyInputs,
    add_cloud_arguments,
    enrolment_of,
    fact,
    on_stop_signal,
    positive,
    set_up_logging,
)
from walle.device.errors import DeviceError
from walle.device.facts import Facts
from walle.device.link.cloud import CloudClient, http_client
from walle.device.notices import Notice
from walle.device.running.memory_pressure import MemoryPressure
from walle.device.running.sandboxed import SandboxExecutor
from walle.device.storage.store import DeviceStore
from walle.device.streaming.control import ControlSocket, ControlUnavailable
from walle.device.streaming.control_requests import StreamRequests
from walle.device.tunnel.answers import FeatureAnswer
from walle.device.tunnel.connection import TunnelConnector
from walle.device.updates.moments import on_battery
from walle.device.updates.requirements import requirements_of
from walle.protocol.deferrals import OTHER, REASONS, check_reason

_BAD = frozenset({"offline", "refused-by-server", "error"})


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m walle.device", description="One Walle device.")
    add_cloud_arguments(found)
    found.add_argument("--store", type=Path, required=True, metavar="DIR", help="the device's directory")
    found.add_argument("--app-version", default="1.0.0", help="semantic version of the app")
    found.add_argument("--os", default="linux", help="such as android or ios")
    found.add_argument("--os-version", default="1", help="such as 14 or 17.4")
    found.add_argument("--perf", help="performance class, such as low, mid or high")
    found.add_argument("--region", help="such as eu")
    found.add_argument("--fact", action="append", default=[], type=fact, metavar="NAME=VALUE", help="a fact more")
    found.add_argument(
        "--statement", type=Path, metavar="FILE", help="facts signed by the app's backend, to enrol with"
    )
    found.add_argument("--no-tunnel", action="store_true", help="keep no connection to the server")
    found.add_argument(
        "--not-now",
        type=not_now,
        metavar="REASON:S",
        help=f"put new versions off for so many seconds; the reason is one of {', '.join(REASONS)}, {OTHER}",
    )
    found.add_argument("--mind-battery", action="store_true", help="put new versions off while running on battery")
    found.add_argument("--once", action="store_true", help="check in, run each task and report once, then end")
    return found


def not_now(text: str) -> tuple[str, float]:
    """Parse `in-call:600`, as a type of argparse."""
    reason, _, seconds = text.partition(":")
    try:
        return check_reason(reason), positive(seconds)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


class NoticePrinter:
    """Prints notices, and remembers whether any of them was an error."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.bad = False

    def __call__(self, notice: Notice) -> None:
        self.bad = self.bad or notice.name in _BAD
        stamp = time.strftime("%H:%M:%S", time.localtime(self._clock()))
        print(f"{stamp} {notice.name:<18} {notice.text}", flush=True)

    def answer(self, task: str, values: Mapping[str, Any], answer: FeatureAnswer) -> None:
        """Print the answer to a feature."""
        self(Notice("answer", f"{task}: {answer.status} {answer.values or answer.reason}"))


async def run(device: AssembledDevice, printer: NoticePrinter) -> None:
    """Run the device until it is stopped, with a control socket if there can be one."""
    device.agent.recover()
    async with AsyncExitStack() as stack:
        control = ControlSocket(device.store.root, StreamRequests(device.streams, clock=time.time).answer)
        try:
            await stack.enter_async_context(control)
        except ControlUnavailable as error:
            printer(Notice("error", f"walle device track and events cannot reach this device: {error}"))
        await device.agent.run()


async def live(options: argparse.Namespace, store: DeviceStore, sandbox: Sandbox) -> int:
    """Run the device until it is stopped; return the exit status."""
    printer = NoticePrinter()
    facts = Facts(
        options.app,
        options.app_version,
        options.os,
        options.os_version,
        options.perf,
        options.region,
        dict(options.fact),
    )
    async with http_client() as client:
        cloud = CloudClient(options.server, client)
        device = AssembledDevice(
            store,
            cloud,
            facts=facts,
            enrolment=enrolment_of(options.app, options.app_key, options.statement),
            executor=SandboxExecutor(sandbox),
            requirements=requirements_of(facts),
            inputs=AnyInputs(dict(options.inputs), random.Random(), random_for_others=False),  # noqa: S311
            interval=options.interval,
            report_interval=min(REPORT_S, options.interval),
            initial_root=options.root.read_bytes() if options.root else None,
            services=[MemoryPressure(sandbox)],
            tunnel=None if options.no_tunnel else TunnelConnector(cloud.base),
            on_answer=printer.answer,
            on_notice=printer,
            conditions=[on_battery] if options.mind_battery else [],
        )
        if options.not_now:
            device.moments.not_now(*options.not_now)
        on_stop_signal(device.agent.stop)
        await (device.agent.once() if options.once else run(device, printer))
    return 1 if options.once and printer.bad else 0


def main() -> int:
    options = parser().parse_args()
    set_up_logging(verbose=options.verbose)
    try:
        sandboxed = partial(Sandbox, beside_app=True, calibration_folder=options.store)
        with DeviceStore(options.store) as store, sandboxed() as sandbox:
            return asyncio.run(live(options, store, sandbox))
    except (DeviceError, OSError, ValueError) as error:
        print(f"{parser().prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
