"""The REST API as a CI job would use it."""

from __future__ import annotations

from typing import Any, Self

import httpx


class ControlPlane:
    """A client of one server with one person's token."""

    def __init__(self, server: str, token: str) -> None:
        headers = {"authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=f"{server}/api/v1/", headers=headers, timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def version(self, task: str, version: str) -> dict[str, Any] | None:
        """A registered version, or None."""
        response = self._client.get(f"tasks/{task}/versions/{version}")
        return None if response.status_code == httpx.codes.NOT_FOUND else _json(response)

    def versions(self, task: str) -> list[dict[str, Any]]:
        response = self._client.get(f"tasks/{task}/versions")
        return [] if response.status_code == httpx.codes.NOT_FOUND else _json(response)["results"]

    def put_variant(self, task: str, version: str, path: str, key: str, content: bytes) -> None:
        address = f"tasks/{task}/versions/{version}/variants"
        headers = {"content-type": "application/octet-stream"}
        _json(self._client.put(address, params={"path": path, "key": key}, content=content, headers=headers))

    def releases(self, **filters: str) -> list[dict[str, Any]]:
        return _json(self._client.get("releases", params=filters))["results"]

    def release(self, app: str, task: str, version: str, app_versions: list[str]) -> dict[str, Any]:
        """Creates a release and starts it."""
        asked = {"app": app, "task": task, "version": version, "app_versions": app_versions}
        draft = _json(self._client.post("releases", json=asked))
        return _json(self._client.post(f"releases/{draft['id']}/start", json={}))

    def reports(self, **filters: str) -> list[dict[str, Any]]:
        return _json(self._client.get("reports", params=filters))["results"]

    def table(self, app: str) -> dict[str, Any]:
        table: dict[str, Any] = _json(self._client.get(f"apps/{app}/table"))
        return table

    def retire(self, task: str) -> None:
        _json(self._client.post(f"tasks/{task}/retire"))

    def device(self, app: str, device: str) -> dict[str, Any] | None:
        response = self._client.get(f"devices/{app}/{device}")
        return None if response.status_code == httpx.codes.NOT_FOUND else _json(response)


def _json(response: httpx.Response) -> Any:
    if response.is_error:
        request = response.request
        raise RuntimeError(f"{request.method} {request.url}: {response.status_code} {response.text[:500]}")
    return response.json() if response.content else None
