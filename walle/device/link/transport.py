"""Transports that carry the check-in in an app's own requests (paper, section 6: push by business requests).

Wrap the transport of the app's httpx client:

    client = httpx.Client(transport=WalleTransport(device.check_ins, httpx.HTTPTransport(), origins=["https://api.shop.example"]))

Requests to one of `origins`, and no others, carry the check-in's headers when one is due; the answer in the response is
queued for the check-ins. The transports never wait for Walle, and no failure of Walle affects the app's request.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Protocol

import httpx

from walle.device.link.cloud import CloudAnswer, read_answer

log = logging.getLogger(__name__)


class CarriedCheckIns(Protocol):
    """The check-ins of a device that requests may carry; implemented by CheckIns."""

    def headers(self) -> dict[str, str]: ...

    def receive(self, answer: CloudAnswer) -> None: ...

    def expect_carriers(self) -> None: ...


class _Carrier:
    """The common part of both transports. The credential is sent to the given origins only."""

    def __init__(self, carried: CarriedCheckIns, origins: Iterable[str]) -> None:
        self._carried = carried
        self._origins = frozenset(map(_origin, map(httpx.URL, origins)))
        carried.expect_carriers()

    def prepare(self, request: httpx.Request) -> httpx.Request:
        """Return the request to send: a copy with the check-in's headers, or the original if no check-in is due.

        The original is not changed: httpx builds redirected requests from its headers, perhaps to another origin.
        """
        try:
            headers = self._carried.headers() if _origin(request.url) in self._origins else {}
            return _with_headers(request, headers) if headers else request
        except Exception:
            log.exception("the check-in could not be added to a request")
            return request

    def receive(self, response: httpx.Response) -> None:
        """Hand over the answer in a response."""
        try:
            answer = read_answer(response.headers)
            if answer.walle:
                self._carried.receive(answer)
        except Exception:
            log.exception("the check-in's answer could not be read")


def _with_headers(request: httpx.Request, headers: Mapping[str, str]) -> httpx.Request:
    together = httpx.Headers(request.headers)
    together.update(headers)
    return httpx.Request(
        request.method, request.url, headers=together, stream=request.stream, extensions=request.extensions
    )


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


class WalleTransport(httpx.BaseTransport):
    """A transport for `httpx.Client`. `origins` are the app's own servers, such as `https://api.shop.example`."""

    def __init__(self, carried: CarriedCheckIns, inner: httpx.BaseTransport, *, origins: Iterable[str]) -> None:
        self._carrier, self._inner = _Carrier(carried, origins), inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        prepared = self._carrier.prepare(request)
        response = self._inner.handle_request(prepared)
        if prepared is not request:
            self._carrier.receive(response)
        return response

    def close(self) -> None:
        self._inner.close()


class AsyncWalleTransport(httpx.AsyncBaseTransport):
    """A transport for `httpx.AsyncClient`; see WalleTransport."""

    def __init__(self, carried: CarriedCheckIns, inner: httpx.AsyncBaseTransport, *, origins: Iterable[str]) -> None:
        self._carrier, self._inner = _Carrier(carried, origins), inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        prepared = self._carrier.prepare(request)
        response = await self._inner.handle_async_request(prepared)
        if prepared is not request:
            self._carrier.receive(response)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()
