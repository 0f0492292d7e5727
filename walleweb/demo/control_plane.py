"""A client of the REST API, as a CI job would use it.

A request is sent again after a lost connection, 429, 502, 503 and 504, as `walle` does: every POST carries an
Idempotency-Key, so that the server executes it once.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final, Self
from uuid import uuid4

import httpx

from walle.cli.retrying import AGAIN, LONGEST_WAIT, retry_wait
from walle.protocol.connections import connection_limits

LARGEST_PAGE: Final = "200"
RETRIES: Final = 5


class ControlPlaneRefused(RuntimeError):
    """The server answered with a refusal; `detail` is its reason in a sentence."""

    def __init__(self, response: httpx.Response) -> None:
        request = response.request
        super().__init__(f"{request.method} {request.url}: {response.status_code} {response.text[:500]}")
        self.status = response.status_code
        is_problem = response.headers.get("content-type") == "application/problem+json"
        self.detail: str = response.json()["detail"] if is_problem else response.text[:500]


class ControlPlane:
    """A client of one server with one person's token."""

    def __init__(
        self,
        server: str,
        token: str,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"authorization": f"Bearer {token}"}
        self._sleep = sleep
        self._client = httpx.Client(
            base_url=f"{server}/api/v1/", headers=headers, timeout=120, limits=connection_limits(), transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def version(self, task: str, version: str) -> dict[str, Any] | None:
        """Return a registered version, or None."""
        try:
            return self._object("GET", f"tasks/{task}/versions/{version}")
        except ControlPlaneRefused as refusal:
            if refusal.status != httpx.codes.NOT_FOUND:
                raise
            return None

    def put_variant(self, task: str, version: str, path: str, key: str, content: bytes) -> None:
        address = f"tasks/{task}/versions/{version}/variants"
        headers = {"content-type": "application/octet-stream"}
        self._send("PUT", address, params={"path": path, "key": key}, content=content, headers=headers)

    def releases(self, **filters: str) -> list[dict[str, Any]]:
        return list(self._all("releases", filters))

    def release_of(self, app: str, task: str, version: str) -> dict[str, Any] | None:
        """Return the newest release of a version to an app, or None."""
        found = self.releases(app=app, task=task)
        return next((release for release in found if release["version"] == version), None)

    def draft(
        self, app: str, task: str, version: str, rule: Mapping[str, Any], strategy: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Create a draft release."""
        body = {"app": app, "task": task, "version": version, "rule": rule, "strategy": strategy}
        return self._object("POST", "releases", json=body)

    def move(self, release: int, action: str, reason: str = "") -> dict[str, Any]:
        return self._object("POST", f"releases/{release}/{action}", json={"reason": reason})

    def release(self, release: int) -> dict[str, Any]:
        """Return a release with its stages, figures, verdicts and moves."""
        return self._object("GET", f"releases/{release}")

    def reports(self, **filters: str) -> list[dict[str, Any]]:
        """Return the matching reports, newest first."""
        return list(self._all("reports", filters))

    def newest_report(self, **filters: str) -> dict[str, Any] | None:
        found: list[dict[str, Any]] = self._send("GET", "reports", params={"limit": "1", **filters})["results"]
        return found[0] if found else None

    def newest_feature(self, **filters: str) -> dict[str, Any]:
        """Return the newest feature that a device uploaded; one has to be there."""
        found: list[dict[str, Any]] = self._send("GET", "features", params={"limit": "1", **filters})["results"]
        return found[0]

    def table(self, app: str) -> dict[str, Any]:
        return self._object("GET", f"apps/{app}/table")

    def set_interval(self, app: str, seconds: int) -> None:
        self._send("PATCH", f"apps/{app}", json={"check_in_interval": seconds})

    def retire(self, task: str) -> None:
        self._send("POST", f"tasks/{task}/retire")

    def devices(self, **filters: str) -> list[dict[str, Any]]:
        return list(self._all("devices", filters))

    def put_list(self, app: str, name: str, devices: list[str]) -> None:
        """Replace the devices of an id list."""
        self._send("PUT", f"apps/{app}/lists/{name}", json={"devices": devices})

    def simulation(self, release: int) -> dict[str, Any]:
        """Return the newest simulation of a release, with all its cells."""
        return self._object("GET", f"releases/{release}/simulation")

    def explanation(self, app: str, device: str, task: str) -> dict[str, Any]:
        """Explain which release decides about a task on a device, and why the others do not."""
        answer = self._object("GET", f"devices/{app}/{device}/explain", params={"task": task})
        found: dict[str, Any] = answer["results"][0]
        return found

    def _all(self, address: str, filters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        query: dict[str, str] | None = {"limit": LARGEST_PAGE, **filters}
        while query is not None:
            page = self._send("GET", address, params=query)
            yield from page["results"]
            query = {**query, "cursor": page["next"]} if page["next"] else None

    def _object(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._send(method, address, **options)
        return answer

    def _send(self, method: str, address: str, **options: Any) -> Any:
        """Send a request, a few times if need be, and return the document of its answer; raises ControlPlaneRefused."""
        if method == "POST":
            options["headers"] = {"idempotency-key": str(uuid4())}
        for attempt in count(1):
            is_last, answered = attempt > RETRIES, None
            try:
                response = self._client.request(method, address, **options)
            except httpx.TransportError:
                if is_last:
                    raise
            else:
                if is_last or response.status_code not in AGAIN:
                    return _document(response)
                answered = response.headers
            wait = retry_wait(attempt, answered, datetime.now(UTC), random.random())  # noqa: S311 - no secret
            self._sleep(min(wait, LONGEST_WAIT))


def _document(response: httpx.Response) -> Any:
    if response.is_error:
        raise ControlPlaneRefused(response)
    return response.json() if response.content else None
