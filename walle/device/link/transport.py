"""The check-in riding on an app's own requests (paper, section 6: push by the existing business request).

Wrap the transport of the app's httpx client:

    client = httpx.Client(transport=WalleTransport(device.check_ins, httpx.HTTPTransport(), origins=["https://api.shop.example"]))

Requests to one of `origins`, and to no other, carry the check-in's headers when one is due; what the response
says goes to the check-ins' queue. Nothing here waits for Walle, and no failure of Walle's becomes the app's.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Protocol

import httpx

from walle.device.link.cloud import CloudAnswer, read_answer

log = logging.getLogger(__name__)


class CarriedCheckIns(Protocol):
    """What rides on the requests: a device's CheckIns."""

    def headers(self) -> dict[str, str]: ...

    def receive(self, answer: CloudAnswer) -> None: ...

    def expect_carriers(self) -> None: ...


class _Rider:
    """What both transports have in common. The credential only ever goes to the given origins."""

    def __init__(self, carried: CarriedCheckIns, origins: Iterable[str]) -> None:
        self._carried = carried
        self._origins = frozenset(map(_origin, map(httpx.URL, origins)))
        carried.expect_carriers()

    def board(self, request: httpx.Request) -> httpx.Request:
        """The request to send: a copy with the headers, or the very same one if nothing rides on it.

        The original stays as it is: httpx makes a redirected request of its headers, perhaps to another origin.
        """
        try:
            headers = self._carried.headers() if _origin(request.url) in self._origins else {}
            return _with_headers(request, headers) if headers else request
        except Exception:
            log.exception("the check-in could not be added to a request")
            return request

    def alight(self, response: httpx.Response) -> None:
        """Hands over what the response says."""
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
    """For `httpx.Client`. `origins` are the app's own servers, such as `https://api.shop.example`."""

    def __init__(self, carried: CarriedCheckIns, inner: httpx.BaseTransport, *, origins: Iterable[str]) -> None:
        self._rider, self._inner = _Rider(carried, origins), inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        boarded = self._rider.board(request)
        response = self._inner.handle_request(boarded)
        if boarded is not request:
            self._rider.alight(response)
        return response

    def close(self) -> None:
        self._inner.close()


class AsyncWalleTransport(httpx.AsyncBaseTransport):
    """For `httpx.AsyncClient`; see WalleTransport."""

    def __init__(self, carried: CarriedCheckIns, inner: httpx.AsyncBaseTransport, *, origins: Iterable[str]) -> None:
        self._rider, self._inner = _Rider(carried, origins), inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        boarded = self._rider.board(request)
        response = await self._inner.handle_async_request(boarded)
        if boarded is not request:
            self._rider.alight(response)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()
