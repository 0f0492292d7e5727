"""One device: its services, in the order in which they hand work on, and the agent that runs them."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from walle.device.agent import Agent
from walle.device.clocks import seconds_since_boot
from walle.device.facts import Facts
from walle.device.link.backoff import CheckInPacer, RandomSource
from walle.device.link.checkins import CheckIns
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.link.profile import HeaderWriter
from walle.device.link.sending import ReportSender
from walle.device.notices import NoticeHandler, guarded, ignore
from walle.device.running.inputs import InputSource
from walle.device.running.runner import FALL_BACK_AFTER, Executor, Runner
from walle.device.running.taking_turns import Turns
from walle.device.running.tasks import TaskLoop
from walle.device.service import DeviceService
from walle.device.storage.state import Installation
from walle.device.storage.store import DeviceStore
from walle.device.streaming.service import StreamService
from walle.device.tunnel.answers import AnswerHandler
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.parts import parts_on_disk
from walle.device.tunnel.service import TunnelService
from walle.device.updates.downloader import Downloader
from walle.device.updates.moments import Condition, Moments, deferral_header
from walle.device.updates.trust import Trust
from walle.device.updates.updater import Requirements, Updater
from walle.protocol.documents import Manifest

REPORT_S: Final = 5.0
"""The default of the seconds between two transmissions of reports."""


class AssembledDevice:
    """One device in one directory: `check_ins`, which an app's requests may carry, `tasks`, `streams`, which takes the
    app's behaviour events, `tunnel` if there is one, `sender`, and the `agent`.

    `services` are given turns like these, and come behind them. `turns` decides which tasks run when; by default there
    is one for every two processors, since the app needs the others. `clock` gives Unix seconds, `monotonic` seconds of
    a clock that nobody sets; `interval` and `report_interval` are in seconds. With `debug`, `streams.track` raises what
    it refuses. `tunnel` opens the connections that features go up by, whose answers `on_answer` takes; without it there
    are none. While one of `conditions` holds, or the app says so to `moments`, offers that may wait are put off. The
    store and the cloud's HTTP client are their owner's to close.
    """

    def __init__(
        self,
        store: DeviceStore,
        cloud: CloudClient,
        *,
        facts: Facts,
        enrolment: Enrolment,
        executor: Executor,
        requirements: Requirements,
        inputs: InputSource,
        interval: float = 60.0,
        report_interval: float = REPORT_S,
        initial_root: bytes | None = None,
        fall_back_after: int = FALL_BACK_AFTER,
        turns: Turns | None = None,
        services: Sequence[DeviceService] = (),
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = seconds_since_boot,
        randomness: RandomSource = random.random,
        debug: bool = False,
        tunnel: TunnelConnector | None = None,
        on_answer: AnswerHandler | None = None,
        on_notice: NoticeHandler = ignore,
        conditions: Sequence[Condition] = (),
    ) -> None:
        self.store, self.cloud, handle = store, cloud, guarded(on_notice)
        self.turns = turns or Turns(max(1, (os.cpu_count() or 1) // 2), monotonic=monotonic)
        self.moments = Moments(monotonic, conditions)
        headers = HeaderWriter(facts)
        runner = Runner(
            store,
            executor,
            app_version=facts.app_version,
            clock=clock,
            turns=self.turns,
            fall_back_after=fall_back_after,
            upload=self._upload,
        )
        download = partial(Downloader, cloud.client, randomness=randomness)
        updater = Updater(
            store,
            download(store.files),
            app=facts.app,
            app_version=facts.app_version,
            requirements=requirements,
            resolve=cloud.url,
            clock=clock,
            randomness=randomness,
            in_use=runner.in_use,
            kinds=facts.kinds,
            moments=self.moments,
        )
        self.sender = ReportSender(
            store.outbox,
            cloud,
            lambda: headers.headers(store.state),
            CheckInPacer(interval=report_interval, randomness=randomness),
            monotonic=monotonic,
            on_notice=handle,
        )
        self.tasks = TaskLoop(
            store,
            runner,
            inputs,
            clock=clock,
            monotonic=monotonic,
            randomness=randomness,
            on_notice=handle,
            finished=self.sender.wake.up,
        )
        self.check_ins = CheckIns(
            store,
            cloud,
            Trust(store, cloud, initial_root),
            updater,
            enrolment=enrolment,
            headers=headers,
            pacer=CheckInPacer(interval=interval, randomness=randomness),
            monotonic=monotonic,
            on_notice=handle,
            finished=self._checked_in,
            deferral=lambda: deferral_header(self.moments, store.state, clock()),
        )
        self.moments.changed = self.check_ins.wake.up
        self.streams = StreamService(
            store,
            runner,
            inputs,
            clock=clock,
            monotonic=monotonic,
            on_notice=handle,
            announce=self.tasks.announce,
            reported=self._told,
            uplink=self._uplink,
            debug=debug,
        )
        self.tunnel: TunnelService | None = None
        if tunnel is not None:
            self.tunnel = TunnelService(
                parts_on_disk(
                    store.root / "tunnel", store.disk, download=download, resolve=cloud.url, monotonic=monotonic
                ),
                tunnel,
                self.check_ins,
                lambda: headers.headers(store.state),
                clock=clock,
                monotonic=monotonic,
                randomness=randomness,
                on_notice=handle,
                on_answer=on_answer,
            )
        own = [self.check_ins, self.tasks, self.streams, *([self.tunnel] if self.tunnel else []), self.sender]
        self.agent = Agent([*own, *services], on_notice=handle)

    def _checked_in(self) -> None:
        self.streams.wake.up()
        self._told()

    def _upload(
        self, installed: Installation, manifest: Manifest, output: Mapping[str, Any], *, at: float, tracked_at: float
    ) -> None:
        if self.tunnel is not None:
            self.tunnel.upload(installed, manifest, output, at=at, tracked_at=tracked_at)

    def _uplink(self, task: str) -> Mapping[str, int] | None:
        return self.tunnel.take_cost(task) if self.tunnel is not None else None

    def _told(self) -> None:
        if self.tunnel is not None:
            self.tunnel.wake.up()
        self.tasks.wake.up()
        self.sender.wake.up()
