"""Workers of a plan as Ray actors: the one module that loads Ray.

An actor lands on the node that offers the resource of its worker (`walle-worker-ID`), else on one that offers its
tier's (`walle-tier-NAME`), once for each worker: so a cluster is told where the workers of a plan are, by
`ray start --resources`. A Ray that is started here, on one machine, offers all tiers.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from walle.placement.processor.cluster_nodes import NodesThere, listens, nodes_there, takes_connections
from walle.placement.processor.envelopes import Envelope, Parcel
from walle.placement.processor.measuring import WorkerFigures
from walle.placement.processor.outboxes import WorkerLost
from walle.placement.processor.routing import RoutingTable
from walle.placement.processor.running import WorkerHandle
from walle.placement.processor.specs import WorkerSpec
from walle.placement.processor.worker_loop import WorkerLoop

try:
    # Before Ray is loaded: it looks at these then, sends usage statistics otherwise, and starts a process to do so.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.exceptions import GetTimeoutError, RayError, RayTaskError
except ImportError as error:
    raise ImportError("running a plan needs Ray: pip install 'walle[ray]'") from error

Started = TypeVar("Started")
OBJECT_STORE_BYTES: Final = 96 * 1024 * 1024
"""Objects above 100 KB pass through shared memory; at most a few deliveries are on their way for each worker."""
START_S: Final = 120.0
"""How long a worker may take to start and to load its models; on a busy machine a process alone takes half a minute."""
ANSWER_S: Final = 10.0
"""A worker that does not answer for this long is taken for lost."""
POLL_S: Final = 1.0
CALLS_AT_ONCE: Final = 64
"""Threads of an actor: as many calls may wait in it, such as one of each sender."""


class _PlanWorker:
    """The actor: a worker's loop, called from threads of Ray."""

    def ready(self, spec: WorkerSpec, table: RoutingTable) -> tuple[int, str]:
        """Load the models of the worker; return the ids of the actor's process and of its node."""
        self._loop = WorkerLoop(spec, table, {})
        return os.getpid(), ray.get_runtime_context().get_node_id()

    def deliver(self, parcels: Sequence[Parcel], watermark: int) -> None:
        self._loop.deliver(parcels, watermark)

    def collect(self, timeout_s: float) -> list[Envelope]:
        return self._loop.collect(timeout_s)

    def figures(self) -> WorkerFigures:
        return self._loop.figures()

    def reroute(self, table: RoutingTable, peers: Mapping[str, WorkerHandle]) -> None:
        self._loop.reroute(table, peers)


class RayHandle:
    """The way to an actor, from any process of the cluster. Two are equal if they lead to the same process.

    It is `silent` if it was given up because it did not answer: its node may do so as little.
    """

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self.silent = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RayHandle) and self._actor == other._actor

    def __hash__(self) -> int:
        return hash(self._actor)

    def deliver(self, parcels: Sequence[Parcel], watermark: int, abandoned: Callable[[], bool]) -> None:
        reference = self._actor.deliver.remote(parcels, watermark)
        while not abandoned():
            with suppress(GetTimeoutError):
                self.answer(reference, POLL_S)
                return

    def collect(self, timeout_s: float) -> list[Envelope]:
        return self._asked(self._actor.collect.remote(timeout_s))  # type: ignore[no-any-return]

    def figures(self) -> WorkerFigures:
        return self._asked(self._actor.figures.remote())  # type: ignore[no-any-return]

    def reroute(self, table: RoutingTable, peers: Mapping[str, WorkerHandle]) -> None:
        self._asked(self._actor.reroute.remote(table, peers))

    def close(self) -> None:
        """End the process."""
        with suppress(RayError):
            ray.kill(self._actor)

    def load(self, spec: WorkerSpec, table: RoutingTable) -> Any:
        """Have the worker load its models; return the reference of the ids of its process and node."""
        return self._actor.ready.remote(spec, table)

    def _asked(self, reference: Any) -> Any:
        try:
            return self.answer(reference, ANSWER_S)
        except GetTimeoutError as error:
            self.silent = True
            self.close()
            raise WorkerLost(f"no answer for {ANSWER_S:g} s") from error

    def answer(self, reference: Any, timeout_s: float) -> Any:
        """Return an answer. Raises WorkerLost, GetTimeoutError, and what the worker raised as it was raised there."""
        try:
            return ray.get(reference, timeout=timeout_s)
        except GetTimeoutError:
            raise
        except RayTaskError as error:
            raise error.cause or error from error
        except RayError as error:
            raise WorkerLost(str(error).splitlines()[0]) from error


class RayBackend:
    """Starts actors on the Ray that this process is connected to. `processes` are their ids on their machines."""

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}
        self._running: dict[str, tuple[RayHandle, str]] = {}
        self.processes: dict[str, int] = {}

    def start(self, specs: Sequence[WorkerSpec], table: RoutingTable) -> dict[str, WorkerHandle]:
        """Start workers that some node offers a resource for; return the handles of those that have come up.

        They load their models at the same time. Those that are left when none has come up for START_S seconds are
        tried once more, as nodes may go meanwhile. Nodes whose workers did not answer are tried then only.
        """
        before = [self._running[each.id] for each in specs if each.id in self._running]
        suspects = {node for handle, node in before if handle.silent}
        for spec in specs:
            self._taken.pop(spec.id, None)
        found: dict[str, WorkerHandle] = {}
        for avoided in (suspects, set[str]()):
            there = self._nodes_there(avoided)
            launched = {spec: self._launch(spec, there) for spec in specs if spec.id not in found}
            handles = {spec: handle for spec, handle in launched.items() if handle}
            try:
                found |= self._loaded(handles, table)
            except BaseException:
                for handle in handles.values():
                    handle.close()
                raise
        return found

    def _nodes_there(self, avoided: Set[str]) -> NodesThere:
        nodes = ray.nodes()  # type: ignore[no-untyped-call]
        return nodes_there(nodes, lambda node: node["NodeID"] not in avoided and takes_connections(node))

    def _launch(self, spec: WorkerSpec, there: NodesThere) -> RayHandle | None:
        """Create the actor of a worker; return None if no node offers a resource for it."""
        offered = Counter(there.offered)
        offered.subtract(Counter(self._taken.values()))
        resource = resource_of(spec.id, spec.tier, offered)
        if resource is None:
            return None
        self._taken[spec.id] = resource
        actor = ray.remote(_PlanWorker).options(
            num_cpus=0,
            resources={resource: 1},
            max_concurrency=CALLS_AT_ONCE,
            label_selector=there.selector,
        )
        return RayHandle(actor.remote())

    def _loaded(self, handles: Mapping[WorkerSpec, RayHandle], table: RoutingTable) -> dict[str, WorkerHandle]:
        """Return the workers that have loaded their models in time; end the others. Raises what their code raised."""
        found: dict[str, WorkerHandle] = {}
        loading = {handle.load(spec, table): (spec, handle) for spec, handle in handles.items()}
        while loading and (ready := ray.wait([*loading], timeout=START_S)[0]):
            spec, handle = loading.pop(ready[0])
            with suppress(WorkerLost):
                self.processes[spec.id], node = handle.answer(ready[0], ANSWER_S)
                self._running[spec.id] = handle, node
                found[spec.id] = handle
        for spec, handle in handles.items():
            if spec.id not in found:
                handle.close()
                self._taken.pop(spec.id, None)
        return found


def resource_of(worker: str, tier: str, offered: Mapping[str, float]) -> str | None:
    """Return the resource that an actor asks for: of its worker, else of its tier; None if nobody offers either."""
    names = (f"walle-worker-{worker}", f"walle-tier-{tier}")
    return next((each for each in names if offered.get(each, 0) >= 1), None)


def tier_resources(tiers: Iterable[str]) -> dict[str, float]:
    """Return the resources that a node offers which may run these workers, given the tier of each."""
    return {f"walle-tier-{tier}": float(times) for tier, times in Counter(tiers).items()}


def started(start: Callable[[], Started]) -> Started:
    """Return what `start` returns, which starts a node of Ray; one that takes longer than Ray waits is started again.

    Once, as Ray waits 30 s, which no setting changes: too short where the machine is very busy.
    """
    try:
        return start()
    except Exception as error:
        if "timed out during startup" not in str(error):
            raise
        ray.shutdown()
        return start()


class LocalRay:
    """A Ray of this machine alone, for as long as the context lasts: without dashboard, with a token of its own.

    Its sockets need a short path, so it works in a temporary folder; its logs are moved to `logs` in the end.
    """

    def __init__(self, resources: Mapping[str, float], logs: Path | None = None) -> None:
        self._resources, self._logs = dict(resources), logs
        self._folder = ""

    def __enter__(self) -> Self:
        self._folder = tempfile.mkdtemp(prefix="walle-ray-")
        # Whoever else is on this machine could run code in these processes without it.
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        try:
            started(self._start)
        except BaseException:
            self._end()
            raise
        return self

    def _start(self) -> None:
        ray.init(
            num_cpus=1,
            resources=self._resources,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=self._folder,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        ray.shutdown()
        if self._logs:
            for logs in Path(self._folder).glob("session_2*/logs"):
                shutil.copytree(logs, self._logs, dirs_exist_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)


class JoinedRay:
    """A running cluster, for as long as the context lasts. `folder` has the operators' code: nodes get a copy."""

    def __init__(self, address: str, folder: Path | None = None) -> None:
        self._address, self._folder = address, folder

    def __enter__(self) -> Self:
        host, _, port = self._address.rpartition(":")
        if port.isdigit() and not listens(host.removeprefix("ray://"), int(port)):
            raise ConnectionError(f"expected a Ray cluster at {self._address}, found nobody who takes connections")
        environment = {"working_dir": str(self._folder)} if self._folder else {}
        try:
            ray.init(self._address, runtime_env=environment, logging_level=logging.ERROR, log_to_driver=False)
        except (ConnectionError, RayError) as error:
            raise ConnectionError(
                f"expected a Ray cluster at {self._address} with the token of RAY_AUTH_TOKEN: {error}"
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        ray.shutdown()
