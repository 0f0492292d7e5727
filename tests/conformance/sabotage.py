"""Ways to spoil our own client. Each function changes the code of the process that it is called in."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

from walle.device.link import backoff, checkins
from walle.device.running import runner
from walle.device.storage import outbox
from walle.device.storage.state import DeviceState, TaskState
from walle.device.storage.store import DeviceStore
from walle.device.tunnel import connection, spool
from walle.device.tunnel.connection import TunnelEnded
from walle.device.tunnel.service import TunnelService
from walle.device.tunnel.session import TunnelSession
from walle.device.updates import downloader, updater
from walle.protocol import signing

_check_assignment = updater.check_assignment


def forgets_the_time() -> None:
    """Takes assignments whose time is over."""
    updater.check_assignment = lambda offer, roots, **known: _check_assignment(offer, roots, **(known | {"now": 0.0}))


def forgets_the_app() -> None:
    """Takes assignments for any app."""

    def check(offer: Any, roots: Any, **known: Any) -> Any:
        try:
            return _check_assignment(offer, roots, **known)
        except updater.ProtocolError as error:
            if "the assignment is for the app" not in str(error):
                raise
            return _check_assignment(offer, roots, **(known | {"app": "bank"}))

    updater.check_assignment = check


def takes_old_numbers() -> None:
    """Takes assignments of tables that are older than what it has seen."""
    updater.check_assignment = lambda offer, roots, **known: _check_assignment(offer, roots, **(known | {"highest": 0}))


def believes_signatures() -> None:
    """Does not look at the signature of an assignment."""

    def check(offer: Any, roots: Any, **known: Any) -> Any:
        class Believing:
            def verify(self, kind: str, envelope: bytes) -> bytes:
                return offer.assignment

        return _check_assignment(offer, Believing(), **known)

    updater.check_assignment = check


def lacks_nothing() -> None:
    """Installs whatever a task requires."""
    init = updater.Updater.__init__

    def made(self: Any, *args: Any, **more: Any) -> None:
        init(self, *args, **(more | {"requirements": lambda requires: []}))

    updater.Updater.__init__ = made


def starts_over() -> None:
    """Begins broken transfers again."""
    keep = downloader.Downloader._continue

    async def afresh(self: Any, url: str, content: Any, headers: Any) -> None:
        self._files.partial(content.digest).discard()
        await keep(self, url, content, headers)

    downloader.Downloader._continue = afresh


def decodes() -> None:
    """Asks for compressed files."""
    init = downloader._DownloadRequest.__init__

    def made(self: Any, client: Any, url: str, headers: Any) -> None:
        init(self, client, url, headers)
        self._stream = client.stream("GET", url, headers=dict(headers))

    downloader._DownloadRequest.__init__ = made


def loses_reports() -> None:
    """Takes what was tried to be sent once for sent."""
    batch = outbox.ReportOutbox.batch

    def forget(self: Any, limit: int) -> Any:
        reports = batch(self, limit)
        self.acknowledge([report["id"] for report in reports])
        return reports

    outbox.ReportOutbox.batch = forget


def keeps_tasks() -> None:
    """Does not carry out removals."""
    DeviceState.without_task = lambda self, name, *reports: replace(self, pending=(*self.pending, *reports))


def forgets_numbers() -> None:
    """Does not store the highest number."""
    DeviceStore.store_table_number = lambda self, app, number: None


def hammers() -> None:
    """Tries again without a pause."""
    backoff.Backoff.delay = lambda self, failures, randomness: 0.05


def is_impatient() -> None:
    """Comes back before the server asked for it."""
    answered = backoff.CheckInPacer.answered
    backoff.CheckInPacer.answered = lambda self, now, retry_after=None, *, soon=False: answered(self, now, soon=soon)
    backoff.CheckInPacer._requested = lambda self, retry_after: 0.0


def dawdles() -> None:
    """Adds a quarter to what the server asked for."""
    answered = backoff.CheckInPacer.answered

    def later(self: Any, now: float, retry_after: float | None = None, *, soon: bool = False) -> None:
        answered(self, now, 1.25 * retry_after if retry_after else None, soon=soon)

    backoff.CheckInPacer.answered = later


def enrols_for_ever() -> None:
    """Enrols after each refusal."""
    enrol = checkins.CheckIns._enrol

    async def again(self: Any) -> None:
        await enrol(self)
        self._renewed = False

    checkins.CheckIns._enrol = again


def trusts_any_root() -> None:
    """Does not ask whether the root before signed the next one."""

    def update(self: Any, data: bytes) -> None:
        root = signing._parse_root(data)
        if root.signed.version != self.version + 1:
            raise updater.ProtocolError("not the next one")
        self._metadata = root

    signing.TrustedRoots.update = update


def never_falls_back() -> None:
    """Stays with a version that keeps failing."""
    TaskState.should_fall_back = lambda self, after: False


def hides_failures() -> None:
    """Reports runs that fail as good ones."""
    runner._report = lambda run_id, installed, execution, at: runner.reports.about(
        installed, "run", at=at, report_id=run_id
    )


def forgets_its_spool() -> None:
    """Begins a new spool in each process."""

    def nothing(folder: Path) -> list[Any]:
        shutil.rmtree(folder, ignore_errors=True)
        return []

    spool._loaded = nothing


def sends_everything_again() -> None:
    """Begins each connection at the first feature that it still has, whatever the cloud has; never forgets one."""
    spool.Spool.acknowledge = lambda self, sequence: None
    run = TunnelSession._welcome

    async def welcome(self: Any) -> Any:
        return (await run(self))._replace(acknowledged=0)

    TunnelSession._welcome = welcome


def overfills_windows() -> None:
    """Does not look at the window."""
    TunnelSession._may_send = lambda self, size: True


def reads_damaged_frames() -> None:
    """Does not look at the sum of a frame."""
    read = connection.read_cloud_frame

    def lax(message: bytes) -> Any:
        return read(message[:-4] + crc32(message[:-4]).to_bytes(4, "little"))

    connection.read_cloud_frame = lax


def gives_features_up() -> None:
    """Gives up a feature that was refused alone, whatever for."""
    TunnelEnded.refusal = property(lambda self: "body-malformed")


def stays_when_drained() -> None:
    """Does not leave when it is asked to."""
    TunnelService._drained = lambda self, frame: None


def mixes_variants() -> None:
    """Does not ask what an exclusive file is for."""
    check = updater.check_variant

    def lax(header: Any, manifest: Any, path: str, roots: Any, sizes: Any) -> Any:
        payload = roots.verify("variant", updater_read(header))
        from walle.protocol.documents import Variant

        return Variant.from_payload(payload)

    from walle.protocol.headers import read_variant

    def updater_read(header: str | None) -> bytes:
        return read_variant(header.encode()) if header else check(None, None, "", None, None)

    updater.check_variant = lax
