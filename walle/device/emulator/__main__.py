"""Many devices on the command line.

    python -m walle.device.emulator --server http://localhost:8000 --app shop --app-key KEY --store ./devices \
        --devices 50 --light 1000 --fail-rate 0.05 --only camera/digits@2.0.0

Prints a line of JSON every few seconds. SIGTERM and SIGINT stop it cleanly; when started again with the same --store
and --seed, it continues as the same devices.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx

from walle.container.sandbox import Sandbox
from walle.device.commandline import (
    AnyInputs,
    add_cloud_arguments,
    enrolment_of,
    on_stop_signal,
    positive,
    set_up_logging,
    task_choice,
)
from walle.device.emulator.connection_limiter import ConnectionLimiter
from walle.device.emulator.faults import FaultProfile, FaultRates
from walle.device.emulator.fleet import EmulatedDevice, EmulatedFleet
from walle.device.emulator.full import EmulationContext, FullDevice, Tunnels
from walle.device.emulator.habits import Habits
from walle.device.emulator.light import LightDevice, SharedDocuments
from walle.device.emulator.population import Distribution, Person, Weights, generate_population, parse_weights
from walle.device.emulator.statistics import Statistics
from walle.device.emulator.viewing import Browsing
from walle.device.emulator.vms import VmRates
from walle.device.errors import DeviceError
from walle.device.link.cloud import CloudClient, http_client
from walle.device.notices import Notice
from walle.device.running.sandboxed import SandboxExecutor
from walle.device.running.taking_turns import Turns
from walle.device.tunnel.connection import TunnelConnector
from walle.protocol.connections import connection_limits
from walle.protocol.deferrals import check_reason
from walle.protocol.names import check_task_name, check_version

CONNECTIONS: Final = 32
TESTERS_FACTS: Final = {"channel": "internal"}


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m walle.device.emulator", description="Many emulated devices.")
    add_cloud_arguments(found)
    found.add_argument("--store", type=Path, required=True, metavar="DIR", help="where the devices' directories are")
    found.add_argument("--devices", type=int, default=10, metavar="N", help="devices that do everything (10)")
    found.add_argument("--light", type=int, default=0, metavar="N", help="devices that only speak the protocol (0)")
    found.add_argument(
        "--testers", type=int, default=0, metavar="N", help="devices of the app's own people, channel=internal (0)"
    )
    found.add_argument(
        "--testers-inputs",
        action="append",
        default=[],
        type=task_choice,
        metavar="TASK=FILE",
        help="as --inputs, for the testers' devices where theirs are others",
    )
    found.add_argument(
        "--viewers", type=_share, default=0.0, metavar="P", help="devices with --devices whose users browse a shop (0)"
    )
    found.add_argument(
        "--lapse", type=positive, default=1.0, metavar="X", help="how many times faster than in reality they browse (1)"
    )
    found.add_argument(
        "--tunnels", type=_share, default=0.0, metavar="P", help="devices of any kind that keep a tunnel open (0)"
    )
    found.add_argument(
        "--not-now", type=_share, default=0.0, metavar="P", help="devices of any kind that put new versions off (0)"
    )
    usual = Habits()
    found.add_argument(
        "--not-now-period",
        type=positive,
        default=usual.period_s,
        metavar="S",
        help="seconds for which they do, and then for which they do not (60)",
    )
    found.add_argument(
        "--not-now-reasons", type=_reasons, default=usual.reasons, metavar="REASON:W,...", help="why they put them off"
    )
    found.add_argument("--parallel", type=int, default=2, metavar="N", help="task runs at a time, of all devices (2)")
    found.add_argument("--seed", type=int, default=1, help="who the devices are, and their luck (1)")
    found.add_argument("--spread", type=positive, default=5.0, metavar="S", help="seconds over which they start (5)")
    found.add_argument("--stats-every", type=positive, default=5.0, metavar="S", help="seconds between statistics (5)")
    found.add_argument("--events", action="store_true", help="print every event as well, on stderr")
    _add_distribution(found.add_argument_group("who the devices are (value:weight,value:weight,...)"))
    _add_behaviour(found.add_argument_group("how they misbehave"))
    return found


def _add_distribution(group: argparse._ArgumentGroup) -> None:
    usual = Distribution()
    for name, weights in usual.__dict__.items():
        group.add_argument(f"--{name.replace('_', '-')}", type=_weights, default=weights, metavar="V:W,...")


def _add_behaviour(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fail-rate", type=_share, default=0.0, metavar="P", help="runs that fail")
    group.add_argument("--crash-rate", type=_share, default=0.0, metavar="P", help="runs that take the app down")
    group.add_argument("--silent", type=_share, default=0.0, metavar="P", help="devices gone once they installed")
    group.add_argument("--slow", type=_share, default=0.0, metavar="P", help="devices that run slowly")
    group.add_argument("--delay", type=positive, default=5.0, metavar="S", help="how much slower, on average (5)")
    vms = VmRates()
    group.add_argument(
        "--vm-ended", type=_share, default=vms.ended, metavar="P", help="kept VMs of light devices gone before a run"
    )
    group.add_argument(
        "--cold", type=positive, default=vms.cold_ms, metavar="MS", help="how much longer their cold runs take (45)"
    )
    group.add_argument("--only", type=_target, default=(None, None), metavar="TASK[@VERSION]", help="only with this")


def _weights(text: str) -> Weights:
    try:
        return parse_weights(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _reasons(text: str) -> Weights:
    weights = _weights(text)
    try:
        return {check_reason(reason): weight for reason, weight in weights.items()}
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, found {text}")
    return value


def _target(text: str) -> tuple[str, str | None]:
    task, _, version = text.partition("@")
    try:
        return check_task_name(task), check_version(version) if version else None
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def make_devices(options: argparse.Namespace, context: EmulationContext) -> list[EmulatedDevice]:
    """Return the full devices, those of the testers, then the light ones."""
    rates = _fault_rates(options)
    names = Distribution.__dataclass_fields__
    distribution = Distribution(**{name: getattr(options, name) for name in names})

    def people(count: int, prefix: str, **more: Any) -> list[Person]:
        return generate_population(options.app, count, options.seed, distribution, prefix=prefix, **more)

    def faults(person: Person) -> FaultProfile:
        return FaultProfile(rates, random.Random(f"temper:{person.seed}"))  # noqa: S311

    def full(person: Person, context: EmulationContext) -> FullDevice:
        return FullDevice(person, options.store / "full" / person.name, context, faults(person))

    def light(person: Person) -> LightDevice:
        return LightDevice(person, options.store / "light", context, faults(person), documents)

    documents = SharedDocuments(context.cloud, context.initial_root, options.store / "shared")
    testing = replace(context, inputs=inputs_of([*options.inputs, *options.testers_inputs], options.seed))
    return [
        *(full(person, context) for person in people(options.devices, "full")),
        *(full(person, testing) for person in people(options.testers, "tester", extra=TESTERS_FACTS)),
        *(light(person) for person in people(options.light, "light")),
    ]


def _fault_rates(options: argparse.Namespace) -> FaultRates:
    return FaultRates(options.fail_rate, options.crash_rate, options.silent, options.slow, options.delay, *options.only)


def inputs_of(choices: Sequence[tuple[str, str]], seed: int) -> AnyInputs:
    """Return recorded inputs by task, where the last choice for a task counts, and random ones for all others."""
    return AnyInputs(dict(choices), random.Random(seed), random_for_others=True)  # noqa: S311


async def live(options: argparse.Namespace, sandbox: Sandbox) -> None:
    statistics = Statistics()

    def count(notice: Notice) -> None:
        statistics.count(notice)
        if options.events:
            print(f"{notice.name:<18} {notice.text}", file=sys.stderr, flush=True)

    async with http_client(
        ConnectionLimiter(httpx.AsyncHTTPTransport(limits=connection_limits()), CONNECTIONS)
    ) as client:
        rng = random.Random(options.seed)  # noqa: S311
        cloud = CloudClient(options.server, client)
        context = EmulationContext(
            cloud=cloud,
            executor=SandboxExecutor(sandbox),
            enrolment=enrolment_of(options.app, options.app_key),
            inputs=inputs_of(options.inputs, options.seed),
            turns=Turns(options.parallel),
            interval=options.interval,
            initial_root=options.root.read_bytes() if options.root else None,
            on_notice=count,
            vms=VmRates(options.vm_ended, options.cold),
            browsing=Browsing(options.viewers, options.lapse),
            tunnels=Tunnels(TunnelConnector(cloud.base), options.tunnels),
            habits=Habits(options.not_now, options.not_now_period, options.not_now_reasons),
        )
        fleet = EmulatedFleet(
            make_devices(options, context),
            statistics,
            spread=options.spread,
            every_s=options.stats_every,
            rng=rng,
            emit=lambda line: print(line, flush=True),
        )
        on_stop_signal(fleet.stop)
        await fleet.run()


def main() -> int:
    options = parser().parse_args()
    set_up_logging(verbose=options.verbose)
    try:
        with Sandbox(parallel=options.parallel, calibration_folder=options.store) as sandbox:
            asyncio.run(live(options, sandbox))
    except (DeviceError, OSError, ValueError) as error:
        print(f"{parser().prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
