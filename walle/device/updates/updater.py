"""Carries out offers: the I/O around the checks of `walle.device.updates.verify`, which documents their order.

An installation is: verify the assignment, store its number durably, fetch and verify the manifest, check whether this
device can run it, fetch and verify each file, build the immutable folder, switch. Before each of these, an app may say
that now is not the moment (`walle.device.updates.moments`). Nothing is visible before the switch,
which includes the report of the installation. After an interruption, the next attempt continues with the files stored
so far.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import httpx

from walle.device.errors import (
    BadAddress,
    FellBackBefore,
    Missing,
    PutOffForNow,
    Refusal,
    RequirementUnmet,
    ServerRefused,
    TooLarge,
    Unreachable,
)
from walle.device.link import reports
from walle.device.link.backoff import Backoff, RandomSource
from walle.device.link.offers import OfferOutcome
from walle.device.storage.state import Installation
from walle.device.storage.store import DeviceStore
from walle.device.updates.downloader import Downloader, DownloadTarget
from walle.device.updates.moments import Moments, put_off
from walle.device.updates.verify import Sizes, check_assignment, check_manifest, check_root, check_variant, shared_files
from walle.protocol.documents import Assignment, FileEntry, Manifest
from walle.protocol.errors import ProtocolError
from walle.protocol.headers import VARIANT, Offer
from walle.protocol.kinds import DEVICE_ONLY
from walle.protocol.reports import Report
from walle.protocol.signing import TrustedRoots

log = logging.getLogger(__name__)


@dataclass
class _Attempt:
    """One attempt at one offer. `assignment` is verified; `version` is known once the manifest is."""

    offer: Offer
    assignment: Assignment
    roots: TrustedRoots
    started: float
    version: str = reports.UNKNOWN_VERSION

    @property
    def subject(self) -> Installation:
        """The subject of a report about a failed attempt."""
        manifest = self.assignment.manifest or reports.UNKNOWN_MANIFEST
        return Installation(self.offer.task, self.version, manifest, "", self.assignment.number, self.offer.token)


Requirements = Callable[[Mapping[str, Any]], list[str]]
"""Returns what this device lacks of what a manifest asks for, in words; empty if it has everything."""


class Updater:
    """Applies offers to one device's store.

    `in_use` returns the folders in which a task is running now; they are not removed. `clock` returns Unix seconds.
    `kinds` are the kinds of tasks that this device knows. `moments` say when offers that may wait are carried out.
    """

    def __init__(
        self,
        store: DeviceStore,
        downloader: Downloader,
        *,
        app: str,
        app_version: str,
        requirements: Requirements,
        resolve: Callable[[str], str],
        clock: Callable[[], float],
        randomness: RandomSource,
        in_use: Callable[[], frozenset[str]] = frozenset,
        sizes: Sizes | None = None,
        kinds: frozenset[str] = DEVICE_ONLY,
        moments: Moments | None = None,
    ) -> None:
        self._store, self._downloader = store, downloader
        self._app, self._app_version = app, app_version
        self._requirements, self._resolve = requirements, resolve
        self._clock, self._in_use = clock, in_use
        self._sizes, self._kinds = sizes or Sizes(), kinds
        self._moments = moments or Moments(clock)
        self._refusals = _Refusals(randomness)

    async def apply(self, offer: Offer, roots: TrustedRoots) -> OfferOutcome:
        """Carry out an offer, or refuse it with a failure report; no offer can make it raise."""
        started = self._clock()
        try:
            attempt = _Attempt(offer, self._assigned(offer, roots, started), roots, started)
        except ProtocolError as error:
            return self._refuse(offer, _unverified(offer), error.code, str(error))
        if not self._refusals.may_try(attempt, started):
            return OfferOutcome(offer.task, "postponed", code="refused-before", detail="refused not long ago")
        try:
            return await self._carry_out(attempt)
        except PutOffForNow as error:
            return OfferOutcome(offer.task, "put-off", version=None, code=error.reason, detail=_until(error.until))
        except (Unreachable, ServerRefused) as error:
            return OfferOutcome(offer.task, "postponed", code=error.code, detail=str(error))
        except (Refusal, ProtocolError) as error:
            code, detail = error.code, str(error)
        except OSError as error:
            code, detail = "storage", str(error)
        self._refusals.note(attempt, self._clock())
        return self._refuse(offer, attempt.subject, code, detail)

    def _assigned(self, offer: Offer, roots: TrustedRoots, now: float) -> Assignment:
        check_root(roots, now)
        highest = self._store.state.highest.get(self._app, 0)
        assignment = check_assignment(offer, roots, app=self._app, highest=highest, now=now)
        self._store.store_table_number(self._app, assignment.number)
        return assignment

    async def _carry_out(self, attempt: _Attempt) -> OfferOutcome:
        if attempt.assignment.action == "remove":
            return self._remove(attempt)
        task, manifest = self._store.task(attempt.offer.task), str(attempt.assignment.manifest)
        if task.current and task.current.manifest == manifest:
            return OfferOutcome(attempt.offer.task, "already", version=task.current.version)
        if task.is_quarantined(manifest, self._app_version):
            raise FellBackBefore(f"{attempt.offer.task}: this version failed here before")
        self._mind_moment(attempt)
        return await self._install(attempt, await self._manifest(attempt))

    def _mind_moment(self, attempt: _Attempt) -> None:
        """Raise PutOffForNow if the offer may wait and now is not the moment. What was fetched so far is kept."""
        not_now = self._moments.present()
        if not_now is None:
            return
        task, manifest = attempt.offer.task, str(attempt.assignment.manifest)
        offer = put_off(self._store.state, task, manifest, attempt.offer.defer_s, self._clock())
        if offer is not None:
            self._store.commit(lambda state: state.with_put_off(task, offer), step="put off")
            raise PutOffForNow(not_now.reason, offer.until)

    async def _manifest(self, attempt: _Attempt) -> Manifest:
        offer = attempt.offer
        if offer.url is None or offer.digest is None or offer.size is None:
            raise Missing(f"{offer.task}: the offer does not say where its manifest is")
        if offer.size > self._sizes.envelope:
            raise TooLarge(
                f"{offer.task}: expected a manifest of at most {self._sizes.envelope} bytes, found {offer.size}"
            )
        content = DownloadTarget(offer.digest.hex(), offer.size)
        envelope = (await self._downloader.fetch(self._address(offer.url), content)).read_bytes()
        manifest = check_manifest(envelope, attempt.assignment, attempt.roots, self._sizes, self._kinds)
        attempt.version = manifest.version
        if unmet := self._requirements(manifest.values):
            raise RequirementUnmet(f"{manifest.name} {manifest.version}: {'; '.join(unmet)}")
        return manifest

    async def _install(self, attempt: _Attempt, manifest: Manifest) -> OfferOutcome:
        files = await self._shared(attempt, manifest)
        for entry in manifest.files:
            if entry.kind == "exclusive":
                self._mind_moment(attempt)
                files[entry.path] = await self._exclusive(attempt, manifest, entry)
        self._mind_moment(attempt)
        folder = self._store.installs.build(manifest, files, self._store.files)
        new = replace(attempt.subject, folder=folder, at=self._clock())
        report = reports.about(new, "install", at=new.at, duration_ms=1000 * max(0.0, new.at - attempt.started))
        self._switch(new, report)
        return OfferOutcome(new.task, "installed", version=new.version)

    def _switch(self, new: Installation, report: Report) -> None:
        self._store.commit(
            lambda state: state.with_task(new.task, state.task(new.task).installed(new), report.to_dict()),
            step="switch",
        )
        self._store.collect_garbage(now=self._clock(), in_use=self._in_use())

    async def _shared(self, attempt: _Attempt, manifest: Manifest) -> dict[str, str]:
        """Fetch the shared files, which lie beside the manifest; return their digests by path."""
        beside = httpx.URL(self._address(str(attempt.offer.url)))
        files = shared_files(manifest)
        for digest, size in dict.fromkeys(files.values()):
            self._mind_moment(attempt)
            await self._downloader.fetch(str(beside.join(digest)), DownloadTarget(digest, size))
        return {path: digest for path, (digest, _) in files.items()}

    async def _exclusive(self, attempt: _Attempt, manifest: Manifest, entry: FileEntry) -> str:
        """Fetch this device's variant of a file, or use the default if it has none; return its digest."""

        def announce(response: httpx.Response) -> DownloadTarget:
            header = response.headers.get(VARIANT)
            variant = check_variant(header, manifest, entry.path, attempt.roots, self._sizes)
            return DownloadTarget(variant.digest, variant.size)

        try:
            if attempt.offer.exclusive is None:
                raise Missing(f"{entry.path}: the offer has no address for exclusive files")
            url = f"{self._address(attempt.offer.exclusive)}/{entry.path}"
            content, _ = await self._downloader.fetch_announced(url, announce)
            return content.digest
        except Missing:
            if entry.default is None:
                raise
            return shared_files(manifest)[entry.default][0]

    def _address(self, address: str) -> str:
        try:
            return self._resolve(address)
        except httpx.InvalidURL as error:
            raise BadAddress(f"{address[:200]}: {error}") from error

    def _remove(self, attempt: _Attempt) -> OfferOutcome:
        name = attempt.offer.task
        current = self._store.task(name).current
        if current is None:
            return OfferOutcome(name, "already")
        report = reports.about(current, "remove", at=self._clock(), offer_token=attempt.offer.token)
        self._store.commit(lambda state: state.without_task(name, report.to_dict()), step="removal")
        self._store.collect_garbage(now=self._clock(), in_use=self._in_use())
        return OfferOutcome(name, "removed", version=current.version)

    def _refuse(self, offer: Offer, subject: Installation, code: str, detail: str) -> OfferOutcome:
        """Report the first refusal of its kind."""
        log.warning("%s: refused (%s): %s", offer.task, code, detail)
        if self._refusals.is_news(subject, code):
            kind: reports.Kind = "remove" if offer.action == "remove" else "install"
            report = reports.failed(reports.about(subject, kind, at=self._clock()), code, detail)
            self._store.outbox.put(report.to_dict())
        return OfferOutcome(offer.task, "refused", code=code, detail=detail)


def _until(until: float) -> str:
    return f"it may wait until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC"


def _unverified(offer: Offer) -> Installation:
    """Return what a refused offer claims to be about. It is unverified, and used only to report the refusal."""
    try:
        claimed = Assignment.from_payload(offer.assignment).manifest
    except ProtocolError:
        claimed = None
    manifest = claimed or reports.UNKNOWN_MANIFEST
    return Installation(offer.task, reports.UNKNOWN_VERSION, manifest, "", 0, offer.token)


class _Refusals:
    """Delays new attempts at verified assignments that could not be carried out, with a growing back-off.

    Offers that failed verification are not remembered: they must not delay genuine ones.
    """

    LIMIT = 256

    def __init__(self, randomness: RandomSource) -> None:
        self._randomness = randomness
        self._backoff = Backoff(base=30.0, cap=3600.0)
        self._next: dict[tuple[str, str | None], tuple[int, float]] = {}
        self._reported: dict[tuple[str, str, str], None] = {}

    def may_try(self, attempt: _Attempt, now: float) -> bool:
        return self._next.get(_key(attempt), (0, now))[1] <= now

    def note(self, attempt: _Attempt, now: float) -> None:
        failures = self._next.pop(_key(attempt), (0, 0.0))[0] + 1
        half = self._backoff.ceiling(failures) / 2
        self._next[_key(attempt)] = failures, now + half * (1 + self._randomness())
        if len(self._next) > self.LIMIT:
            del self._next[next(iter(self._next))]

    def is_news(self, subject: Installation, code: str) -> bool:
        """Return whether this is the first refusal of this manifest of this task for this reason, and remember it."""
        key = subject.task, subject.manifest, code
        first = key not in self._reported
        self._reported[key] = None
        if len(self._reported) > self.LIMIT:
            del self._reported[next(iter(self._reported))]
        return first


def _key(attempt: _Attempt) -> tuple[str, str | None]:
    return attempt.offer.task, attempt.assignment.manifest
