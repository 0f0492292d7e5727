"""The ports over HTTP: a gateway inside a business service, fed by Walle's control plane.

    source = HttpTableSource(server, app, key, root)
    gateway = Gateway(source, HttpReportSink(server, app, key), HttpQuotaSource(server, app, key))
    application = CheckInMiddleware(application, gateway)

The table is verified with the chain of trust that starts at `root`, so that nobody between the two can change it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import httpx

from walle.gateway.ports import (
    AppState,
    CheckInRecord,
    Enrolments,
    GatewayState,
    PortUnavailable,
    Quota,
    ReceivedReport,
)
from walle.protocol.connections import connection_limits
from walle.protocol.deferrals import write_deferral
from walle.protocol.errors import ProtocolError
from walle.protocol.keyed import DeviceKey, Keyring
from walle.protocol.signing import TrustedRoots, utc
from walle.release.decision import CompiledTable
from walle.release.rules import RuleMalformed
from walle.release.table import Table

BATCH_BYTES: Final = 1 << 20
"""The timeout of one request to the control plane, which takes twice as long at most."""


class _Relay:
    """Requests to the control plane on behalf of one app."""

    def __init__(self, server: str, app: str, key: str) -> None:
        headers = {"authorization": f"Bearer {key}"}
        self._client = httpx.AsyncClient(
            base_url=f"{server.rstrip('/')}/walle/v1/relay/{app}/",
            headers=headers,
            timeout=5,
            limits=connection_limits(),
        )

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = await self._client.request(method, path, **options)
        except httpx.HTTPError as error:
            raise PortUnavailable(f"{type(error).__name__}: {error}") from error
        if response.status_code >= 400:
            raise PortUnavailable(f"{response.status_code} {response.text[:200]}")
        return response

    async def close(self) -> None:
        await self._client.aclose()


class HttpTableSource:
    """Polls the control plane once a second; while the state is unchanged, that costs the server one comparison."""

    def __init__(self, server: str, app: str, key: str, root: bytes, clock: Callable[[], float] = time.time) -> None:
        self._relay = _Relay(server, app, key)
        self._app = app
        self._roots = TrustedRoots(root)
        self._clock = clock

    async def read(self, revision: int | None) -> GatewayState | None:
        headers = {} if revision is None else {"if-none-match": f'"{revision}"'}
        response = await self._relay.request("GET", "state", headers=headers)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return None
        try:
            return self._state(response.json())
        except (ProtocolError, RuleMalformed, ValueError, KeyError, TypeError, AttributeError) as error:
            raise PortUnavailable(f"the control plane's state is refused: {error}") from error

    async def wait(self, timeout: float) -> None:
        await asyncio.sleep(timeout)

    async def close(self) -> None:
        await self._relay.close()

    def _state(self, document: Mapping[str, Any]) -> GatewayState:
        roots = {int(version): base64.b64decode(root) for version, root in document["roots"].items()}
        while self._roots.version + 1 in roots:
            self._roots.update(roots[self._roots.version + 1])
        self._roots.check_expiry(utc(self._clock()))
        envelope = base64.b64decode(document["table"])
        table = Table.from_payload(self._roots.verify("table", envelope))
        if table.app != self._app:
            raise ValueError(f"expected the table of {self._app}, found that of {table.app}")
        keys = [DeviceKey(key["key_id"], base64.b64decode(key["secret"]), key["accepted"]) for key in document["keys"]]
        lists = {name: frozenset(devices) for name, devices in document["lists"].items()}
        app = AppState(
            table=CompiledTable(table, lists),
            envelope=envelope,
            keyring=Keyring(self._app, tuple(keys)),
            enrol_keys=frozenset(),
            gateway_keys=frozenset(),
            backend_keys=(),
            revoked=frozenset(document["revoked"]),
            lists=lists,
            held={device: dict(facts) for device, facts in document["held"].items()},
        )
        return GatewayState(document["revision"], {self._app: app}, roots)


class HttpReportSink:
    """Sends check-ins and reports to the control plane."""

    def __init__(self, server: str, app: str, key: str) -> None:
        self._relay = _Relay(server, app, key)

    async def record_check_ins(self, records: Sequence[CheckInRecord]) -> None:
        items = [
            {
                "device": record.device,
                "facts": dict(record.claims.facts),
                "trusted": dict(record.trusted),
                "profile": {task: digest.hex() for task, digest in record.claims.profile.items()},
                "at": record.at,
                "drawn": [exposure._asdict() for exposure in record.exposures],
                "vouched": record.vouched,
                **({"deferral": write_deferral(*record.deferral)} if record.deferral else {}),
            }
            for record in records
        ]
        await self._post("check-ins", "check_ins", items)

    async def record_presence(self) -> None:
        """Record nothing: the control plane's own gateway, which takes what is relayed, does."""

    async def record_enrolments(self, enrolments: Mapping[str, Enrolments]) -> None:
        """Do nothing: devices enrol with the control plane itself."""

    async def record_reports(self, reports: Sequence[ReceivedReport]) -> None:
        items = [{"device": received.device, "report": received.report.to_dict()} for received in reports]
        await self._post("reports", "reports", items)

    async def close(self) -> None:
        await self._relay.close()

    async def _post(self, path: str, name: str, items: list[dict[str, Any]]) -> None:
        for batch in _batches([json.dumps(item) for item in items]):
            body = f'{{"{name}": [{", ".join(batch)}]}}'
            await self._relay.request("POST", path, content=body, headers={"content-type": "application/json"})


class HttpQuotaSource:
    """Leases quotas from the control plane, which derives the app from the key."""

    def __init__(self, server: str, app: str, key: str) -> None:
        self._relay = _Relay(server, app, key)

    async def lease(self, wanted: Mapping[int, int], app: str | None = None) -> Mapping[int, Quota]:
        response = await self._relay.request("POST", "quotas", json={"wanted": wanted})
        try:
            quotas = response.json()["quotas"].items()
            return {int(release): Quota(int(count), float(valid_s)) for release, (count, valid_s) in quotas}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise PortUnavailable(f"the control plane's quotas are refused: {error}") from error

    async def close(self) -> None:
        await self._relay.close()


def _batches(items: Sequence[str]) -> Iterator[list[str]]:
    """Return the items in order, in groups of at most BATCH_BYTES; single items stay far below that."""
    group: list[str] = []
    size = 0
    for item in items:
        if group and size + len(item) > BATCH_BYTES:
            yield group
            group, size = [], 0
        group.append(item)
        size += len(item)
    if group:
        yield group
