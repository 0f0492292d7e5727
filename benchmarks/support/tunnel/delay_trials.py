"""The part `links`: from an event on a device to its acknowledged commit, over shaped links with TLS, by payload.

Beside each device's link stands a bare one of the same trace, over which as many bytes as the compressed payload has go
at the same moment: receipt by the gateway against receipt over the bare link is what the tunnel costs but the commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks.support import fleet
from benchmarks.support.outcome import Target
from benchmarks.support.tunnel import site
from benchmarks.support.tunnel.bare import BareLink, bare
from benchmarks.support.tunnel.device import MeasuredDevice
from benchmarks.support.tunnel.features import text_of
from benchmarks.support.tunnel.shaping import Link, shaped
from benchmarks.support.tunnel.traces import Trace, described, traces
from walle.protocol.compression import compress
from walle.protocol.tunnel_messages import write_values

PAYLOADS: Final = {"0.3": 300, "1": 1000, "3": 3000, "10": 10_000, "30": 30_000}
"""Bytes of a feature as JSON, by kilobytes."""
_SMALL: Final = ("0.3", "1", "3")
_LARGE: Final = ("30",)
BOUND_S: Final = 0.5
ONE_WAY_S: Final = 0.02
"""The delay of each direction beside the rate: the recordings have none."""
_EVERY_S: Final = 0.5
_SEED: Final = 14
_TIMEOUT_S: Final = 30.0
TARGETS = (
    *(Target(f"delay_p99_ms_{name}", at_most=BOUND_S * 1e3) for name in PAYLOADS),
    Target("overhead_p99_ms", at_most=10.0),
)


@dataclass
class Upload:
    """One upload. `carried` says whether the link alone carries its payload in half the bound."""

    payload: str
    device: int
    sequence: int
    carried: bool
    tracked: float
    tracked_unix: float
    bare: int
    delay_s: float = float("nan")
    receipt_s: float = float("nan")
    bare_s: float = float("nan")


@dataclass
class Trial:
    """A device over its link, and the bare link beside it."""

    number: int
    link: Link
    device: MeasuredDevice
    bare: BareLink
    rng: np.random.Generator
    uploads: list[Upload] = field(default_factory=list)

    def sample(self) -> None:
        """Track an event, unless the one before is still on its way."""
        if not (self.device.idle and self.bare.idle):
            return
        name = list(PAYLOADS)[(self.number + len(self.uploads)) % len(PAYLOADS)]
        values = text_of(PAYLOADS[name], self.rng)
        _, body = compress(write_values(values), None)
        carried = self.link.carries_within(time.monotonic(), PAYLOADS[name], BOUND_S / 2)
        now, unix = time.perf_counter(), time.time()
        sequence = self.device.track(values, unix)
        self.uploads.append(Upload(name, self.number, sequence, carried, now, unix, self.bare.send(len(body))))

    def settle(self) -> None:
        """Fill in what was measured of each upload but its receipt."""
        for upload in self.uploads:
            upload.delay_s = self.device.acknowledged.get(upload.sequence, float("nan")) - upload.tracked
            upload.bare_s = self.bare.arrived.get(upload.bare, float("nan")) - upload.tracked_unix


def measure(folder: Path, gateway: site.Secured, devices: site.Devices, links: int, seconds: float) -> dict[str, float]:
    """Upload over so many links at once for so many seconds; return the figures."""
    chosen = traces(links, _SEED)
    print(f"links: {described(chosen)}, {ONE_WAY_S * 1e3:g} ms each way")
    trials = uvloop.run(_upload(folder, devices, chosen, seconds, gateway))
    uploads = [upload for trial in trials for upload in trial.uploads]
    _receipts(trials)
    _report(uploads)
    return figures_of(uploads)


async def _upload(
    folder: Path, devices: site.Devices, chosen: Sequence[Trace], seconds: float, gateway: site.Secured
) -> list[Trial]:
    async with contextlib.AsyncExitStack() as open_:
        trials = []
        began = time.monotonic()
        for number, trace in enumerate(chosen):
            link = Link(trace, ONE_WAY_S, began)
            at = await open_.enter_async_context(shaped(link, gateway.server.port))
            beside = await open_.enter_async_context(bare(Link(trace, ONE_WAY_S, began)))
            own = folder / f"device-{number}"
            own.mkdir()
            base = f"https://localhost:{at}/walle/v1"
            device = MeasuredDevice(
                own,
                base,
                devices.headers(),
                fleet.manifest_digest(0),
                ssl.create_default_context(cafile=str(gateway.certificate)),
            )
            await device.start()
            open_.push_async_callback(device.stop)
            trials.append(Trial(number, link, device, beside, np.random.default_rng([_SEED, number])))
        await _until(lambda: any(trial.device.service.connected for trial in trials))
        await asyncio.gather(*(_sample(trial, seconds) for trial in trials))
        with contextlib.suppress(TimeoutError):
            await _until(lambda: all(trial.device.idle and trial.bare.idle for trial in trials))
        for trial in trials:
            trial.settle()
        return trials


async def _sample(trial: Trial, seconds: float) -> None:
    """Sample at moments of its own in every half second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.sleep(_EVERY_S * (0.5 + float(trial.rng.random())))
        trial.sample()


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(_TIMEOUT_S):
        while not condition():
            await asyncio.sleep(0.02)


def _receipts(trials: Sequence[Trial]) -> None:
    """Read from the table when the gateway had received each feature."""
    from devices_app.models import Feature

    rows = Feature.objects.values_list("spool", "sequence", "received_at")
    received = {(bytes(spool), sequence): at.timestamp() for spool, sequence, at in rows}
    for trial in trials:
        for upload in trial.uploads:
            at = received.get((trial.device.spool, upload.sequence), float("nan"))
            upload.receipt_s = at - upload.tracked_unix


def figures_of(uploads: Sequence[Upload]) -> dict[str, float]:
    """Return percentiles of delays by payload, the overhead over the bare link, and the paper's averages."""
    figures: dict[str, float] = {}
    carried = [upload for upload in uploads if upload.carried]
    for name in PAYLOADS:
        of_size = [upload.delay_s * 1e3 for upload in carried if upload.payload == name]
        figures |= {f"delay_p{q}_ms_{name}": _percentile(of_size, q) for q in (50, 99)}
        rest = [upload.delay_s * 1e3 for upload in uploads if upload.payload == name and not upload.carried]
        figures |= {f"rest_p50_ms_{name}": _percentile(rest, 50), f"rest_count_{name}": len(rest)}
    overhead = [(upload.receipt_s - upload.bare_s) * 1e3 for upload in carried]
    figures |= {f"overhead_p{q}_ms": _percentile(overhead, q) for q in (50, 90, 99)}
    commit = [(upload.delay_s - upload.receipt_s - ONE_WAY_S) * 1e3 for upload in carried]
    figures |= {f"commit_p{q}_ms": _percentile(commit, q) for q in (50, 99)}
    figures |= {"mean_ms_up_to_3kb": _mean_ms(uploads, _SMALL), "mean_ms_30kb": _mean_ms(uploads, _LARGE)}
    return figures | {"uploads": len(uploads), "carried_share": len(carried) / max(1, len(uploads))}


def _percentile(values: Sequence[float], q: float) -> float:
    """Return a percentile; of what never came there is none, so that any such value makes it infinite beyond."""
    if not values:
        return float("nan")
    return float(np.percentile(np.nan_to_num(np.array(values), nan=np.inf), q, method="higher"))


def _mean_ms(uploads: Sequence[Upload], payloads: Sequence[str]) -> float:
    """Return the average delay of payloads, whether their links carried them or not."""
    found = [upload.delay_s * 1e3 for upload in uploads if upload.payload in payloads]
    return float(np.nanmean(found)) if found else float("nan")


def _report(uploads: Sequence[Upload]) -> None:
    columns = ("payload KB", "carried", "p50 ms", "p90 ms", "p99 ms", "rest", "p50 ms", "p90 ms")
    table = Table(*columns, title="from the event to the acknowledged commit; carried: by the link alone in 250 ms")
    for name in PAYLOADS:
        row = [name]
        for carried, quantiles in ((True, (50, 90, 99)), (False, (50, 90))):
            found = [upload.delay_s * 1e3 for upload in uploads if (upload.payload, upload.carried) == (name, carried)]
            row += [str(len(found)), *(f"{_percentile(found, q):.0f}" for q in quantiles)]
        table.add_row(*row)
    small, large = _mean_ms(uploads, _SMALL), _mean_ms(uploads, _LARGE)
    console = Console(width=130, highlight=False)
    console.print(table)
    console.print(
        f"on average, carried or not: up to 3 KB {small:.0f} ms (the paper under 250), 30 KB {large:.0f} ms (about 450)"
    )
