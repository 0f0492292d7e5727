"""The serving process of tests, as its supervisor loads it: everything is real but the control plane, which is files.

prepare(folder, {"reviews/mood": sentiment()})
WALLE_TEST_SITE=folder python -m walle.whitebox.serving tests.whitebox.serving.program:load --listen ... --folder ...
"""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from tests.whitebox.serving.simulator import LengthEngine, Site
from walle.gateway.uvicorn_heads import BoundedHeadProtocol
from walle.protocol.documents import DocumentFields
from walle.release.table import Entry
from walle.whitebox.program import Program
from walle.whitebox.serving.application import ServingApplication
from walle.whitebox.serving.engine import PredictionEngine
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.installation.folders import PlanFolders
from walle.whitebox.serving.isolation import IsolatedPlan
from walle.whitebox.serving.ports import ServingPorts
from walle.whitebox.serving.process import ServingProcess
from walle.whitebox.serving.supervisor import Serve

ENTRIES = "entries.json"


def archive_of(program: Program) -> dict[str, bytes]:
    """The files of a program's archive, by path."""
    from walle.whitebox.archive import Statistics
    from walle.whitebox.archive.writing import write_archive

    with tempfile.TemporaryDirectory() as folder:
        write_archive(Path(folder), program.graph, program.arrays, Statistics())
        found = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def prepare(folder: Path, programs: Mapping[str, Program]) -> Site:
    """A site on disk, of which every program is a released pipeline."""
    site = Site(folder)
    for number, (task, program) in enumerate(programs.items(), 1):
        files = archive_of(program)
        site.cloud.entries.append(site.version("1.0.0", task=task, files=files, release=number))
    return keep(site)


def keep(site: Site) -> Site:
    """Write down what is released, for a serving process to find."""
    (site.folder / ENTRIES).write_text(json.dumps([entry.to_dict() for entry in site.cloud.entries]))
    return site


def load() -> Serve:
    """Serve with the runtime."""
    from walle.whitebox.runtime.service import RuntimeSettings
    from walle.whitebox.serving.runtime_engine import RuntimeEngine, warm_up

    warm_up()

    def engine(folder: Path, heartbeat: Heartbeat) -> PredictionEngine:
        return RuntimeEngine(PlanFolders(folder).parameters, heartbeat, RuntimeSettings(executors=1))

    return partial(_serve, engine)


def load_light() -> Serve:
    """Serve with an engine that loads no compiler, whose plans loop and crash where they are told to."""
    return partial(_serve, lambda folder, heartbeat: LengthEngine(heartbeat=heartbeat))


def _serve(
    make_engine: Callable[[Path, Heartbeat], PredictionEngine],
    listener: socket.socket,
    heartbeat: Heartbeat,
    isolated: Mapping[str, IsolatedPlan],
) -> None:
    folder = Path(os.environ["WALLE_TEST_SITE"])
    site = Site(folder)
    entries: list[dict[str, Any]] = json.loads((folder / ENTRIES).read_text())
    site.cloud.entries = [Entry.from_fields(DocumentFields("entry", each)) for each in entries]
    site.cloud.publish()
    process = ServingProcess(
        ServingPorts(site.ports, site.ports, site.ports),
        site.store,
        make_engine(folder / "serving", heartbeat),
        folder=folder / "serving",
        name="host-1",
        heartbeat=heartbeat,
        isolated=isolated,
        clock=time.time,
    )
    http: Any = BoundedHeadProtocol
    application = ServingApplication(process)
    config = uvicorn.Config(application, loop="uvloop", http=http, access_log=False, log_config=None, lifespan="on")
    uvicorn.Server(config).run(sockets=[listener])
