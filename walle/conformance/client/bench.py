"""The test bench of one check: a simulated cloud, a device's folder, and the client that uses it.

A client is known only by what it sends to the cloud: check-ins with its profile, requests, reports. So its state after
one run is in the first check-in of its next run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from walle.conformance.checks import ExpectationUnmet, Skipped, expect
from walle.conformance.client.catalogue.entry import CODE, publish_sound
from walle.conformance.client.command import ClientLauncher, ClientProcess
from walle.conformance.client.repository import Gate, RecordedRequest, ReferenceRepository
from walle.protocol import headers as wire
from walle.protocol.documents import Manifest
from walle.protocol.errors import HeaderMalformed
from walle.protocol.headers import short_digest

TASK: Final = "conformance/probe"
TIMEOUT_S: Final = 60.0
"""The timeout of one run with --once."""
_STOP_S: Final = 10.0


@dataclass
class Bench:
    """The test bench of one check. The repository is served at `port`."""

    repository: ReferenceRepository
    port: int
    folder: Path
    launch: ClientLauncher
    without: frozenset[str] = frozenset()
    previous_requests: int = field(default=0, init=False)
    """The number of requests before the present run."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # -- lives of the client

    def arguments(self) -> list[str]:
        root = self.folder / "root.json"
        if not root.exists():
            root.write_bytes(self.repository.roots[1])
        options = {
            "--server": self.address,
            "--app": self.repository.app,
            "--app-key": "app-key",
            "--app-version": "1.2.0",
            "--root": str(root),
            "--store": str(self.folder / "device"),
            "--interval": "1",
        }
        return [word for pair in options.items() for word in pair]

    async def _begin(self, *more: str) -> ClientProcess:
        self.previous_requests = len(self.repository.requests)
        return await self.launch([*self.arguments(), *more], self.folder / "client.log")

    async def once(self, *more: str) -> None:
        """Run the client with --once, and with more arguments.

        Raises ExpectationUnmet if a signal ends it, or it does not end.
        """
        process = await self._begin("--once", *more)
        try:
            status = await asyncio.wait_for(process.wait(), TIMEOUT_S)
        except TimeoutError as error:
            raise ExpectationUnmet(f"an end within {TIMEOUT_S:.0f} s with --once", "a client that goes on") from error
        finally:
            process.kill()
        expect(0 <= status < 128 and status not in (126, 127), "a client that ends by itself", f"status {status}")

    @contextlib.asynccontextmanager
    async def living(self, *more: str) -> AsyncIterator[ClientProcess]:
        """Run the client without --once, perhaps with more arguments, for the length of the block."""
        process = await self._begin(*more)
        try:
            yield process
        finally:
            process.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _STOP_S)
            process.kill()

    async def killed_at(self, path: str, and_then: float = 0.0) -> None:
        """Run the client until it requests a path (or one below it), and kill it with kill -9 before the answer."""
        gate = self.repository.gates[path] = Gate()
        process = await self._begin("--once")
        try:
            await asyncio.wait_for(gate.arrived.wait(), TIMEOUT_S)
            await asyncio.sleep(and_then)
        except TimeoutError as error:
            raise ExpectationUnmet(f"a request to {path}", "none") from error
        finally:
            process.kill()
            await process.wait()
            del self.repository.gates[path]
            gate.open.set()

    async def until(self, condition: Callable[[], object], seconds: float, expected: str) -> None:
        """Wait until the cloud has seen something. Raises ExpectationUnmet after this many seconds."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not condition():
            if asyncio.get_running_loop().time() > deadline:
                raise ExpectationUnmet(expected, f"nothing of it in {seconds:.0f} s")
            await asyncio.sleep(0.02)

    # -- what the client said

    @property
    def recent_requests(self) -> list[RecordedRequest]:
        """The requests of the present run, or of the last one."""
        return self.repository.requests[self.previous_requests :]

    def requests_to(self, path: str) -> list[RecordedRequest]:
        """Return those of them to a path, or below it."""
        full_path = f"/walle/v1{path}"
        return [request for request in self.recent_requests if f"{request.path}/".startswith(f"{full_path}/")]

    def check_ins(self) -> list[RecordedRequest]:
        return self.requests_to("/checkin")

    def profile(self, which: int = -1) -> dict[str, bytes]:
        """Return the installed tasks according to the first (0) or last (-1) check-in of this run."""
        found = self.check_ins()
        expect(found, "a check-in", "none")
        try:
            return wire.read_profile(found[which].headers.get("walle-profile", "").encode("latin-1"))
        except HeaderMalformed as error:
            raise ExpectationUnmet("a Walle-Profile that can be read", error) from error

    def expect_installed(self, manifest: Manifest | None, task: str = TASK, *, which: int = -1) -> None:
        """Check that the profile names this manifest of the task; for None, no version of it."""
        found = self.profile(which).get(task)
        expected = short_digest(manifest.digest) if manifest else None
        version = f"{task} {manifest.version} in the profile" if manifest else f"no {task} in the profile"
        expect(found == expected, version, found.hex() if found else "none")

    def sent_reports(self) -> list[dict[str, Any]]:
        """Return every report in every request of this run, including repetitions."""
        return [report for request in self.requests_to("/reports") for report in reports_in(request)]

    def expect_reported(self, task: str = TASK, **members: Any) -> dict[str, Any]:
        """Check that a report with these members was accepted, and return it."""
        reports = [report for report in self.repository.reports if report.get("task") == task]
        for report in reports:
            if all(report.get(name) == value for name, value in members.items()):
                return report
        found = [f"{r.get('kind')} {r.get('outcome')} {r.get('error_class') or ''}".strip() for r in reports]
        expected = ", ".join(f"{name} {value}" for name, value in members.items())
        raise ExpectationUnmet(f"a report with {expected}", "; ".join(found) or "no report")

    # -- common ways to go

    def needs(self, feature: str) -> None:
        if feature in self.without:
            raise Skipped(f"left out with --without {feature}")

    def publish(self, version: str = "1.0.0", task: str = TASK, code: bytes = CODE, **more: Any) -> Manifest:
        """Publish a valid version of a task; `files` are beside its main.py."""
        return publish_sound(self.repository, task, version, code, **more)

    async def installed(self, version: str = "1.0.0", **more: Any) -> Manifest:
        """Have the client install a version. Raises Skipped if it does not."""
        manifest = self.publish(version, **more)
        try:
            await self.once()
            self.expect_installed(manifest)
        except ExpectationUnmet as unmet:
            raise Skipped(f"needs an installed version, but {unmet}") from unmet
        return manifest

    async def expect_refusal(self, *codes: str, installed: Manifest | None = None, task: str = TASK) -> None:
        """Check that the present offer is refused and reported under one of the codes.

        A valid version published afterwards must be installed.
        """
        await self.once()
        refusals = [r for r in self.repository.reports if r.get("task") == task and r.get("outcome") == "failure"]
        self.repair()
        sound = self.publish("9.0.0", task)
        await self.once()
        self.expect_installed(installed, task, which=0)
        if codes:
            found = [str(report.get("error_class")) for report in refusals]
            expect(set(found) & set(codes), f"a failure reported as {' or '.join(codes)}", found or "no such report")
        self.expect_installed(sound, task)

    def repair(self) -> None:
        """Undo everything that the check damaged."""
        plain = ReferenceRepository()
        for name in ("mangle", "rewrite", "restate", "lifetime", "cut", "ranges", "status", "retry_after"):
            setattr(self.repository, name, getattr(plain, name))
        for spoiled in (self.repository.hidden, self.repository.failures, self.repository.cuts):
            spoiled.clear()


def reports_in(request: RecordedRequest) -> Sequence[dict[str, Any]]:
    try:
        return [report for report in json.loads(request.body)["reports"] if isinstance(report, dict)]
    except (ValueError, KeyError, TypeError):
        return []
