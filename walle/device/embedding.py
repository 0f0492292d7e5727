"""Walle inside an app, in a few lines:

    with embedded(
        server="https://walle.example", app="shop", app_version="1.2.0", app_key=KEY,
        os="android", os_version="14", folder=Path("walle"), inputs=my_inputs,
    ) as walle:
        client = httpx.Client(transport=walle.transport(origins=["https://api.shop.example"]))
        ...

Tasks arrive, run on what `my_inputs(task, manifest)` gives, and are reported, in a thread of their own; the app's
requests made with `client` carry the check-ins. While the app needs the machine, `walle.app_is("busy")` has tasks wait;
`walle.not_now("in-call", seconds=3600)` has new versions wait, until `walle.any_time()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx

from walle.container.sandbox import Sandbox
from walle.device.assembly import AssembledDevice
from walle.device.background import BackgroundAgent
from walle.device.facts import Fact, Facts
from walle.device.link.cloud import CloudClient, http_client
from walle.device.link.enrolment import Enrolment, Statement
from walle.device.link.transport import AsyncWalleTransport, WalleTransport
from walle.device.notices import NoticeHandler, ignore
from walle.device.running.inputs import InputSource
from walle.device.running.memory_pressure import MemoryPressure
from walle.device.running.sandboxed import SandboxExecutor
from walle.device.running.turns import AppActivity
from walle.device.storage.store import DeviceStore
from walle.device.tunnel.answers import AnswerHandler
from walle.device.tunnel.connection import TunnelConnector
from walle.device.updates.moments import Condition
from walle.device.updates.requirements import requirements_of

Reason = Literal["in-call", "in-use", "on-battery", "metered", "roaming", "hot", "quiet-hours", "user", "other"]
"""Why now is not the moment for a new version (docs/protocol.md, Walle-Deferral)."""


@dataclass(frozen=True)
class Embedded:
    """Walle in this app. The transports add check-ins only to requests to `origins`."""

    device: AssembledDevice

    def transport(self, *, origins: Iterable[str], inner: httpx.BaseTransport | None = None) -> WalleTransport:
        """Return the transport for the app's `httpx.Client`."""
        return WalleTransport(self.device.check_ins, inner or httpx.HTTPTransport(), origins=origins)

    def async_transport(
        self, *, origins: Iterable[str], inner: httpx.AsyncBaseTransport | None = None
    ) -> AsyncWalleTransport:
        """Return the transport for the app's `httpx.AsyncClient`."""
        return AsyncWalleTransport(self.device.check_ins, inner or httpx.AsyncHTTPTransport(), origins=origins)

    def track(
        self,
        kind: str,
        page: str,
        *,
        id: str | None = None,
        contents: Mapping[str, Any] | None = None,
        private: Mapping[str, Any] | None = None,
        at: float | None = None,
    ) -> bool:
        """Report what the user did, in any thread and in microseconds; return whether the event was taken.

        `kind` is page_enter, page_scroll, exposure, click or page_exit, `id` a closer name for it, `page` where it
        happened; `contents` are JSON data, copied, and what is in `private` never leaves the device; `at` is when it
        happened in Unix seconds, if not now. What is refused is counted and told as a notice; nothing is raised, unless
        `embedded` was told to `debug`.
        """
        return self.device.streams.track(kind, page, id=id, contents=contents, private=private, at=at)

    def tunnel_counts(self) -> Mapping[str, int]:
        """Return what this process has sent by the tunnel: `features`, their `raw_bytes` as JSON and `wire_bytes`, how
        many are `waiting`, how many were `dropped`, how often it has connected (`connects`), and the answers.

        Empty without a tunnel. In any thread.
        """
        return self.device.tunnel.counts() if self.device.tunnel else {}

    def app_is(self, activity: AppActivity) -> None:
        """Say what the app is doing from now on, in any thread; until then it is idle.

        "idle": nobody uses it, and all tasks may run. "active": somebody does, and tasks of the background take half of
        the turns. "busy": the app needs the machine itself; half of the turns remain, none of them for the background.
        Runs in progress go on. Raises ValueError for another word.
        """
        self.device.turns.app_is(activity)

    def not_now(self, reason: Reason, *, seconds: float) -> None:
        """Put off new versions for so many seconds from now, 7 days at most, in any thread; the last call counts.

        Nothing is downloaded, installed or switched meanwhile, as far as the releases allow: each says for how long
        devices may put it off, a day unless it says otherwise. What takes the place of a withdrawn version never waits,
        nor do removals. The cloud is told the reason. Raises ValueError for another reason or time.
        """
        self.device.moments.not_now(reason, seconds)

    def any_time(self) -> None:
        """Say that new versions are welcome again, in any thread; the device checks in soon if it has put any off."""
        self.device.moments.any_time()


@contextmanager
def embedded(
    *,
    server: str,
    app: str,
    app_version: str,
    os: str,
    os_version: str,
    folder: Path,
    inputs: InputSource,
    app_key: str | None = None,
    statement: Statement | None = None,
    performance: str | None = None,
    region: str | None = None,
    extra: Mapping[str, Fact] | None = None,
    interval: float = 60.0,
    initial_root: bytes | None = None,
    debug: bool = False,
    tunnel: bool = True,
    on_answer: AnswerHandler | None = None,
    on_notice: NoticeHandler = ignore,
    conditions: Sequence[Condition] = (),
) -> Iterator[Embedded]:
    """Run an agent in the background for as long as the block lasts.

    `folder` holds the device's state. With `debug`, `track` raises what it refuses. `tunnel` keeps a connection to the
    server, by which tasks send features up and rollbacks come at once. `on_answer` takes the answers to features, and
    `on_notice` what happens; both are called in the agent's thread. While one of `conditions` returns a reason, such as
    `on_battery` of `walle.device.updates.moments`, new versions are put off as by `not_now`.

    Raises StoreBusy if another process uses the folder, RootRefused if `initial_root` is not a valid root of trust.
    """
    facts = Facts(app, app_version, os, os_version, performance, region, extra or {})
    with DeviceStore(folder) as store, Sandbox(beside_app=True, calibration_folder=folder) as sandbox:
        cloud = CloudClient(server, http_client())
        device = AssembledDevice(
            store,
            cloud,
            facts=facts,
            enrolment=Enrolment(app, app_key, statement),
            executor=SandboxExecutor(sandbox),
            requirements=requirements_of(facts),
            inputs=inputs,
            interval=interval,
            initial_root=initial_root,
            services=[MemoryPressure(sandbox)],
            debug=debug,
            tunnel=TunnelConnector(cloud.base) if tunnel else None,
            on_answer=on_answer,
            on_notice=on_notice,
            conditions=conditions,
        )
        with BackgroundAgent(device):
            yield Embedded(device)
