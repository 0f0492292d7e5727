"""Claim: an item page view becomes a feature on the device within 5 ms, and a tenth of its raw events at most goes up.

The paper's figures (Walle, section 7.1): 19.3 events of 21.2 KB make a feature of 1.3 KB and an encoding of 128 bytes;
on the device a feature takes 44 ms; in the cloud, which joins all users' events, 33.7 s, with 253 CU and 0.7 % errors.

- Bytes: views of generated sessions, their events as JSON, the feature as JSON, the encoding as 32 float32.
- The device: a complete one, with its stream service, its runner, shop/ipv in a kept VM and its table. A time is that
  from `track` of the exit to the row in the table.
- The cloud: the events of many users in real time, joined by user and page in bytewax and in PostgreSQL. A feature is
  made when the watermark passes its view's exit. Wrong is one that differs from what all events of the view give, and
  one that is missing. The two are asked in turns, with other users in each round.

Bytewax is a peer of this benchmark alone: it is installed into a folder of its own for the length of the run. Where
that cannot be done, it is left out, and nothing is judged.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import psutil

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.ipv.cloud import BYTEWAX, Joined, install_bytewax, play
from benchmarks.support.ipv.device import BUNDLE, TASK, Measured, manifest_of, measure
from benchmarks.support.ipv.shop import encode, feature_of, load_model, vector_of
from benchmarks.support.ipv.traffic import LATE, NETWORK_S, UPLOAD_S, Traffic
from benchmarks.support.outcome import Target
from benchmarks.support.walle import copy_cluster, postgres_settings
from walle.stream.session_generator import shop_session
from walle.stream.sessions import session_line
from walle.stream.stream_task import StreamTask

SEED: Final = 7
BENCHMARK = Benchmark(
    "ipv",
    scale={
        "views": Dimension(4000, 20),
        "features": Dimension(4000, 20),
        "rounds": Dimension(3, 1),
        "users": Dimension(1000, 30),
        "seconds": Dimension(45, 3),
        "watermark_s": Dimension(10, 1),
        "stretch": Dimension(1, 0.05),
    },
    targets=(
        Target("feature_saved", at_least=0.9),
        Target("encoding_saved", at_least=0.9),
        Target("device_p99_ms", at_most=5),
        Target("cloud_to_device_delay", at_least=100),
    ),
    assumptions=(
        "sessions are generated (walle.stream.session_generator), whose mean size of a view is the paper's",
        f"phones upload what they have each {UPLOAD_S:g} s; an upload takes {NETWORK_S:g} s on average (exponential)",
        f"{LATE:.0%} of uploads come later than the watermark, by up to as much again",
        "most of a cloud's delay is the watermark, which is assumed: it is given again without it",
        "1 % of exposures are reported late by the app itself: for the device, too, some of them come after the exit",
        "the cloud's programs are one process each, and PostgreSQL's tables are not logged; neither makes encodings",
        "what phones and networks spend on uploads is not measured",
        "of the device's time the task takes 0.7 ms, the check of its inputs and their JSON 0.2 each",
        "the device has this machine's processor, and so have the clouds, which share it with what plays the traffic",
    ),
)


def sizes(count: int, rng: random.Random) -> dict[str, float]:
    """The mean bytes of so many views: of their events, of their features, of their encodings."""
    model = load_model(BUNDLE / "model.npz")
    raw, features, encodings, events = [], [], [], []
    while len(raw) < count:
        session = shop_session(rng, 1e9)
        for ended in (event for event in session if event.id == "item_exit"):
            view = [event for event in session if event.page == ended.page]
            feature = feature_of([event.to_dict() for event in view])
            events.append(len(view))
            raw.append(sum(len(session_line(event).encode()) for event in view))
            features.append(len(json.dumps(feature, separators=(",", ":")).encode()))
            encodings.append(encode(vector_of(feature), model).astype(np.float32).nbytes)
    means = [float(np.mean(column)) for column in (events, raw, features, encodings)]
    return {
        "events": means[0],
        "raw_kb": means[1] / 1000,
        "feature_kb": means[2] / 1000,
        "encoding_bytes": means[3],
        "feature_saved": 1 - means[2] / means[1],
        "encoding_saved": 1 - means[3] / means[1],
    }


def device_figures(measured: Measured) -> dict[str, float]:
    times = np.array(measured.delays) * 1000
    return {
        **{f"device_p{part}_ms": float(np.percentile(times, part)) for part in (50, 90, 99)},
        "device_cpu_s_per_1000": measured.cpu_s / len(times) * 1000,
    }


def cloud_figures(name: str, rounds: Sequence[Joined], watermark_s: float) -> dict[str, float]:
    """The figures of one cloud over all its rounds."""
    delays = np.concatenate([one.delays for one in rounds])
    views = sum(one.views for one in rounds)
    return {
        f"{name}_p50_s": float(np.percentile(delays, 50)),
        f"{name}_p99_s": float(np.percentile(delays, 99)),
        f"{name}_beyond_watermark_p50_s": float(np.percentile(delays, 50)) - watermark_s,
        f"{name}_cpu_s_per_1000": sum(one.cpu_s for one in rounds) / len(delays) * 1000,
        f"{name}_wrong": sum(one.wrong + one.missing for one in rounds) / views,
        f"{name}_missing": sum(one.missing for one in rounds) / views,
        f"{name}_features": len(delays),
    }


def wrong_on_devices(traffic: Traffic) -> float:
    """The share of views of which the users' own devices make another feature, or none."""
    task = StreamTask.from_manifest(TASK, manifest_of(BUNDLE).values)
    if task is None:
        raise SystemExit(f"{BUNDLE} is no stream task")
    truth, made = traffic.truth(1e9), traffic.on_devices(task, 1e9)
    return sum(made.get(view) != feature for view, feature in truth.items()) / len(truth)


@contextmanager
def postgres(folder: Path) -> Iterator[tuple[dict[str, str], psutil.Process]]:
    """A PostgreSQL of its own; yields what its clients have in their environment, and its first process."""
    from walleweb.embedded.postgres import database_url, running

    copy_cluster(folder)
    with running(folder / "postgres", log=folder / "postgres.log", settings=postgres_settings()) as server:
        if server.process is None:
            raise SystemExit("PostgreSQL has no process")
        yield {"DATABASE_URL": database_url(folder / "postgres")}, psutil.Process(server.process.pid)


def clouds(folder: Path) -> tuple[dict[str, list[Joined]], float]:
    """All rounds of each cloud, and the share of views that devices got wrong of the same traffic."""
    missing = "not at a tiny scale" if is_tiny() else install_bytewax(folder / "bytewax")
    if missing:
        print(f"ipv: {BYTEWAX} is left out, so nothing is judged: {missing}")
    rounds: dict[str, list[Joined]] = {"postgres": []} if missing else {"bytewax": [], "postgres": []}
    wrong = []
    with postgres(folder) as (database, server):
        for number in range(BENCHMARK.size("rounds")):
            options = {name: BENCHMARK.amount(name) for name in ("seconds", "stretch", "watermark_s")}
            traffic = Traffic(seed=SEED + number, users=BENCHMARK.size("users"), **options)
            wrong.append(wrong_on_devices(traffic))
            for name in sorted(rounds, reverse=bool(number % 2)):
                of_peer = {"bytewax": ({"PYTHONPATH": str(folder / "bytewax")}, None), "postgres": (database, server)}
                rounds[name].append(play(f"benchmarks.support.ipv.{name}_join", traffic, *of_peer[name]))
    return rounds, float(np.mean(wrong))


def main() -> int:
    BENCHMARK.announce()
    figures = sizes(BENCHMARK.size("views"), random.Random(SEED))
    with tempfile.TemporaryDirectory(prefix="walle-ipv-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        figures |= device_figures(measure(folder / "device", BENCHMARK.size("features"), random.Random(SEED)))
        rounds, figures["device_wrong"] = clouds(folder)
    for peer, joined in rounds.items():
        figures |= cloud_figures(peer, joined, BENCHMARK.amount("watermark_s"))
    fastest = min(figures[f"{peer}_p50_s"] for peer in rounds)
    figures["cloud_to_device_delay"] = fastest * 1000 / figures["device_p50_ms"]
    left_out = () if "bytewax" in rounds else ("bytewax_p50_s",)
    return BENCHMARK.judge(figures, left_out=left_out)


if __name__ == "__main__":
    sys.exit(main())
