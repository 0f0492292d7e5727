"""REST client of the commands: sends the token, repeats requests when that is safe, and raises refusals as errors.

Every POST carries an Idempotency-Key, the same whenever it is sent again, so that the server executes a repeated
request once; all other methods are idempotent. So requests are repeated after a lost connection, 429, 502, 503 and 504.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Self
from uuid import uuid4

import httpx

from walle.cli import humanize, session
from walle.cli.accounts import StoredAccount
from walle.cli.errors import AskedRequest, CommandError, RequestRefused, ServerUnreachable
from walle.cli.retrying import AGAIN, LONGEST_WAIT, retry_wait
from walle.cli.waiting import waiting

RETRIES: Final = 4
LARGEST_PAGE: Final = 200
TIMEOUT_S: Final = 60.0
API: Final = "/api/v1"
PREDICTIONS: Final = "/predict/v1"
Query = Mapping[str, Any]
Content = Callable[[], bytes | Iterator[bytes]]


class ApiClient:
    """Connection to one server with one person's token.

    `retries`: how often a request is sent again at most; `timeout_s`: how long to wait for the server.
    """

    def __init__(
        self,
        account: StoredAccount,
        *,
        retries: int = RETRIES,
        timeout_s: float = TIMEOUT_S,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        rng: Callable[[], float] = random.random,
    ) -> None:
        self.account = account
        self._retries, self._sleep, self._rng, self._transport = retries, sleep, rng, transport
        self.found_nothing: Query | None = None
        """The query of a list that was empty."""
        headers = {"authorization": f"Bearer {account.token}", "user-agent": "walle-cli"}
        timeout = httpx.Timeout(timeout_s, connect=min(10.0, timeout_s))
        self._http = httpx.Client(headers=headers, timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def hurried(self, timeout_s: float) -> ApiClient:
        """Return a client for the same account that asks once and waits for a short time only."""
        return ApiClient(self.account, retries=0, timeout_s=timeout_s, transport=self._transport)

    def get(self, address: str, **query: Any) -> Any:
        return _document(self.send("GET", address, query=query))

    def post(self, address: str, body: Mapping[str, Any] | None = None) -> Any:
        return _document(self.send("POST", address, body=body))

    def predict(self, address: str, body: Mapping[str, Any]) -> Any:
        """Ask a pipeline of an app, `app/scenario/task`, for predictions."""
        return _document(self.send("POST", address, body=body, root=PREDICTIONS))

    def put(self, address: str, body: Mapping[str, Any]) -> Any:
        return _document(self.send("PUT", address, body=body))

    def delete(self, address: str) -> None:
        self.send("DELETE", address)

    def listed(self, address: str, limit: int, **query: Any) -> dict[str, Any]:
        """Return the first `limit` results of a list as one page, reading as many pages as needed."""
        results: list[Any] = []
        cursor: str | None = None
        while True:
            asked = {**query, "limit": min(LARGEST_PAGE, limit - len(results)), "cursor": cursor}
            page = self.get(address, **asked)
            results += page["results"]
            cursor = page["next"]
            if not results and cursor is None:
                self.found_nothing = query
            if cursor is None or len(results) >= limit:
                return {**page, "results": results, "next": cursor}

    def send(
        self,
        method: str,
        address: str,
        *,
        query: Query | None = None,
        body: Any = None,
        content: Content | None = None,
        headers: Mapping[str, str] | None = None,
        stream: bool = False,
        root: str = API,
    ) -> httpx.Response:
        """Send a request below /api/v1, or another root, and return the answer.

        `content` builds the body again for each attempt. Parameters of the query that are None are left out. With
        `stream` the body is left to be read: see `streamed`. Raises RequestRefused and ServerUnreachable.
        """
        sent = dict(headers or {})
        if method == "POST":
            sent.setdefault("idempotency-key", str(uuid4()))
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.account.server}{root}/{address.lstrip('/')}"
        with waiting(f"Waiting for {self.account.server}") as shown:
            for attempt in range(1, self._retries + 2):
                options: dict[str, Any] = {"content": content()} if content else {"json": body}
                outcome = self._attempt(method, url, stream=stream, params=asked, headers=sent, **options)
                if isinstance(outcome, httpx.Response) and outcome.status_code not in AGAIN:
                    return _checked(outcome)
                wait = self._wait(outcome, attempt)
                if wait is None:
                    raise self._given_up(outcome)
                shown.say(f"{_why(outcome)}; trying again in {wait:.1f} s")
                self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def streamed(self, address: str, query: Query) -> Iterator[httpx.Response]:
        """Send a GET and return the answer before its body is read; raises RequestRefused, ServerUnreachable.

        A connection that is lost while the body is read raises httpx.TransportError: what was read is the caller's.
        """
        response = self.send("GET", address, query=query, stream=True)
        try:
            yield response
        finally:
            response.close()

    def _attempt(self, method: str, url: str, *, stream: bool, **options: Any) -> httpx.Response | httpx.TransportError:
        try:
            response = self._http.send(self._http.build_request(method, url, **options), stream=stream)
            if not response.is_success:
                response.read()
            return response
        except httpx.TransportError as error:
            return error
        except httpx.InvalidURL as error:
            raise ServerUnreachable(f"cannot ask {url}: {error}") from error

    def _wait(self, outcome: httpx.Response | httpx.TransportError, attempt: int) -> float | None:
        """Return the seconds until the next attempt; None if there is none."""
        if attempt > self._retries:
            return None
        answered = outcome.headers if isinstance(outcome, httpx.Response) else None
        wait = retry_wait(attempt, answered, humanize.now(), self._rng())
        return wait if wait <= LONGEST_WAIT else None

    def _given_up(self, outcome: httpx.Response | httpx.TransportError) -> CommandError:
        if isinstance(outcome, httpx.Response):
            return _refusal(outcome)
        server = self.account.server
        return ServerUnreachable(
            f"cannot reach {server}: {outcome or type(outcome).__name__}",
            "check the address with `walle status`; sign in elsewhere with: walle login URL",
        )


def _why(outcome: httpx.Response | httpx.TransportError) -> str:
    if isinstance(outcome, httpx.Response):
        return f"the server answered {outcome.status_code} {outcome.reason_phrase}"
    return f"no connection ({outcome or type(outcome).__name__})"


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_error:
        raise _refusal(response)
    if response.is_redirect:
        where = response.headers.get("location", "")
        raise ServerUnreachable(
            f"{response.request.url} redirects to {where}", "sign in with that address: walle login URL"
        )
    return response


def _refusal(response: httpx.Response) -> RequestRefused:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"status": response.status_code, "title": f"{response.status_code} {response.reason_phrase}"}
    refused = RequestRefused(response.status_code, humanize.harmless(problem))
    refused.asked = _asked(response.request)
    return refused


def _asked(request: httpx.Request) -> AskedRequest:
    """Return what a refused request was about."""
    try:
        body = json.loads(request.content) if "json" in request.headers.get("content-type", "") else {}
    except (ValueError, httpx.RequestNotRead):
        body = {}
    query = {name: value for name, value in request.url.params.items() if name != "cursor"}
    _, _, address = request.url.path.partition(f"{API}/")
    return AskedRequest(address, {**query, **body} if isinstance(body, dict) else query)


def _document(response: httpx.Response) -> Any:
    if not response.content:
        return None
    try:
        found = response.json()
    except ValueError as error:
        raise ServerUnreachable(
            f"{response.request.url} did not answer with JSON", "is this the address of a Walle server? walle status"
        ) from error
    # Devices and tasks have their part in what is told: none of it may steer the terminal. JSON escapes it by itself.
    return found if session.wants_json() else humanize.harmless(found)
