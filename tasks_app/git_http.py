"""Git over HTTP at /git/<scenario>.git: a small ASGI application around `git http-backend`.

It stands beside Django because Django reads a request's complete body before a view runs: here nobody sends a byte
before authentication, and a push of any size is streamed.

Order of checks: address, token (as HTTP Basic password), permission to see the scenario, the scenario, permission in
it; then git. The token goes no further.
"""

import asyncio
import os
import re
import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

import structlog
from channels.db import database_sync_to_async
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from accounts_app.actors import Actor
from accounts_app.authentication import REALM, authenticate_basic
from accounts_app.exceptions import InvalidToken
from accounts_app.permissions import NotAllowed, Permission, allowed, require
from kit.attempts import TooManyAttempts
from tasks_app.hooks.launch import WARM, push_facts
from tasks_app.models import Scenario
from tasks_app.repository import BackendRequest, GitProcess, hook_environment, start_backend
from tasks_app.scopes import scenario_scope

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PREFIX: Final = "/git/"
_ADDRESS: Final = re.compile(r"/git/([a-z][a-z0-9-]{0,39})\.git/(info/refs|git-upload-pack|git-receive-pack)")
_NEEDED: Final = {"git-upload-pack": Permission.VIEW, "git-receive-pack": Permission.PUSH}
# git's own request bodies are short; a longer one is not meant for it.
_PROTOCOL: Final = re.compile(r"[a-z0-9=:]{1,64}")
_CHUNK: Final = 1 << 16
# Room for what surrounds a pack in a push; git limits the pack itself, with a clearer message than ours.
_ENVELOPE: Final = 1 << 20
_IDLE_SECONDS: Final = 120.0
_GRACE_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.02

log = structlog.get_logger(__name__)
# Each slot holds a few processes; a request without a free slot waits for one.
_places = asyncio.Semaphore(32)


class GitRefused(Exception):
    """The request is answered with a status and a line of text, without git."""

    def __init__(self, status: HTTPStatus, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.headers = status, text, dict(headers or {})


class Disconnected(Exception):
    """The client closed its connection."""


@dataclass(frozen=True)
class GitRequest:
    """The subject of a request whose address is valid."""

    slug: str
    endpoint: str
    service: str
    method: str
    headers: Mapping[str, str]
    address: str | None


async def application(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Answer git's requests; the ASGI application for scopes of type http below /git/."""
    answer = GitResponse(send)
    request_id = structlog.contextvars.get_contextvars().get("request_id") or uuid4().hex
    with structlog.contextvars.bound_contextvars(request_id=request_id):
        try:
            request = parse(scope)
            actor = await authorise(request)
            async with _places:
                await serve(request, actor, request_id, receive, answer)
        except GitRefused as refusal:
            await answer.refuse(refusal)
        except OperationalError:
            log.exception("the database cannot be reached", path=scope["path"])
            text = "the server cannot reach its database now; try again in a moment"
            await answer.refuse(GitRefused(HTTPStatus.SERVICE_UNAVAILABLE, text, {"Retry-After": "5"}))
        except Disconnected:
            log.info("git client went away", path=scope["path"])


def parse(scope: Mapping[str, Any]) -> GitRequest:
    """Return the address and method of a request; raises GitRefused unless it belongs to the smart protocol."""
    match = _ADDRESS.fullmatch(scope["path"])
    if match is None:
        raise GitRefused(HTTPStatus.NOT_FOUND, "no such address; repositories are at /git/<scenario>.git, for git only")
    slug, endpoint = match.groups()
    discovery = endpoint == "info/refs"
    query = scope["query_string"].decode("latin-1")
    service = query.removeprefix("service=") if discovery else endpoint
    if service not in _NEEDED:
        raise GitRefused(HTTPStatus.FORBIDDEN, "only git's smart protocol is served; use git 1.6.6 or newer")
    expected = "GET" if discovery else "POST"
    if scope["method"] != expected:
        raise GitRefused(HTTPStatus.METHOD_NOT_ALLOWED, f"expected {expected}", {"Allow": expected})
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    address = (scope.get("client") or (None,))[0]
    return GitRequest(slug, endpoint, service, scope["method"], headers, address)


@database_sync_to_async
def authorise(request: GitRequest) -> Actor:
    """Return the authenticated user who may make the request; raises GitRefused otherwise."""
    try:
        header = request.headers.get("authorization", "")
        actor = authenticate_basic(header=header, address=request.address, now=timezone.now())
    except TooManyAttempts as error:
        raise GitRefused(HTTPStatus.TOO_MANY_REQUESTS, str(error), {"Retry-After": str(error.wait_s)}) from error
    except InvalidToken as error:
        challenge = {"WWW-Authenticate": f'Basic realm="{REALM}", charset="UTF-8"'}
        has_token = "authorization" in request.headers
        text = str(error) if has_token else "give any user name and an API token as the password"
        raise GitRefused(HTTPStatus.UNAUTHORIZED, text, challenge) from error
    scope = scenario_scope(request.slug)
    # A scenario that the user may not see is answered like a missing one, and before it is looked up.
    if not allowed(actor, Permission.VIEW, scope) or not Scenario.objects.filter(slug=request.slug).exists():
        raise GitRefused(HTTPStatus.NOT_FOUND, f"there is no scenario {request.slug}, or it is not yours to see")
    try:
        require(actor, _NEEDED[request.service], scope)
    except NotAllowed as error:
        raise GitRefused(HTTPStatus.FORBIDDEN, str(error)) from error
    return actor


async def serve(request: GitRequest, actor: Actor, request_id: str, receive: Receive, answer: "GitResponse") -> None:
    """Run git between the request and the answer; whatever happens, no process is left behind."""
    facts = push_facts(request.slug, actor, request_id)
    if request.service == "git-receive-pack":
        facts["WALLE_PUSH_WARM"] = await WARM.address(hook_environment())
    try:
        process = await start_backend(_backend_request(request, actor), facts)
    except FileNotFoundError as error:
        log.exception("no repository to serve", scenario=request.slug)
        text = f"the repository of {request.slug} is missing on the server"
        raise GitRefused(HTTPStatus.INTERNAL_SERVER_ERROR, text) from error
    feeding = asyncio.create_task(_feed(process, receive))
    noting = asyncio.create_task(_note_errors(process, request))
    relaying = asyncio.create_task(_relay(process, answer))
    try:
        await asyncio.wait({feeding, relaying}, return_when=asyncio.FIRST_COMPLETED)
        if feeding.done() and not relaying.done():
            # Feeding ends by itself only with an exception.
            feeding.result()
        await relaying
    finally:
        for task in (feeding, relaying):
            task.cancel()
        await _end(process)
        await asyncio.gather(feeding, relaying, noting, return_exceptions=True)
        process.close()


def _backend_request(request: GitRequest, actor: Actor) -> BackendRequest:
    protocol = request.headers.get("git-protocol", "")
    return BackendRequest(
        slug=request.slug,
        method=request.method,
        endpoint=request.endpoint,
        query=f"service={request.service}" if request.endpoint == "info/refs" else "",
        user=actor.name,
        content_type=request.headers.get("content-type"),
        content_length=request.headers.get("content-length"),
        content_encoding=request.headers.get("content-encoding"),
        protocol=protocol if _PROTOCOL.fullmatch(protocol) else None,
    )


async def _feed(process: GitProcess, receive: Receive) -> None:
    """Feed the body to git in chunks, then watch for the client's disconnection.

    Never returns: ends by being cancelled, or raises Disconnected or GitRefused.
    """
    taken, more = 0, True
    while more:
        message = await _next(receive)
        taken += len(message.get("body", b""))
        if taken > settings.WALLE_MAX_PUSH + _ENVELOPE:
            limit = settings.WALLE_MAX_PUSH >> 20
            raise GitRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a push may hold {limit} MB at most")
        more = message.get("more_body", False)
        # git may have read enough: its answer, which has started, says why. uvloop raises RuntimeError when git has
        # ended, and its input with it.
        with suppress(BrokenPipeError, ConnectionResetError, RuntimeError):
            process.stdin.write(message.get("body", b""))
            await process.stdin.drain()
    process.stdin.close()
    while (await receive())["type"] != "http.disconnect":
        pass
    raise Disconnected


async def _next(receive: Receive) -> Message:
    try:
        message = await asyncio.wait_for(receive(), _IDLE_SECONDS)
    except TimeoutError as error:
        text = f"nothing came for {_IDLE_SECONDS:.0f} seconds"
        raise GitRefused(HTTPStatus.REQUEST_TIMEOUT, text, {"Connection": "close"}) from error
    if message["type"] == "http.disconnect":
        raise Disconnected
    return message


async def _relay(process: GitProcess, answer: "GitResponse") -> None:
    """Forward git's CGI answer: its headers once, then the body as it arrives."""
    try:
        head = await process.stdout.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise GitRefused(HTTPStatus.BAD_GATEWAY, "git gave no answer; the server's log says more") from error
    await answer.start(*_cgi_headers(head))
    while chunk := await process.stdout.read(_CHUNK):
        await answer.body(chunk)
    await answer.end()


def _cgi_headers(head: bytes) -> tuple[int, list[tuple[str, str]]]:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n") if line)
    headers = [(name.strip().lower(), value.strip()) for name, _, value in lines]
    status = next((value for name, value in headers if name == "status"), "200 OK")
    return int(status.split()[0]), [(name, value) for name, value in headers if name != "status"]


async def _note_errors(process: GitProcess, request: GitRequest) -> None:
    """Log git's messages to its administrator; the hooks' messages are part of the answer."""
    while line := await process.stderr.readline():
        text = line.decode("utf-8", "replace").rstrip()
        log.warning("git http-backend", scenario=request.slug, service=request.service, text=text[:500])


async def _end(process: GitProcess) -> None:
    """End git and all processes it started: politely first, so that it removes what it quarantined and locked."""
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GRACE_SECONDS if process.stdout.at_eof() else 0)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _signal_group(process.pid, number):
            break
        await _group_gone(process.pid, _GRACE_SECONDS)
    await process.wait()


def _signal_group(leader: int, number: int) -> bool:
    """Return whether the group still had a process to signal."""
    try:
        os.killpg(leader, number)
    except ProcessLookupError:
        return False
    return True


async def _group_gone(leader: int, seconds: float) -> None:
    # The group outlives its leader while a hook runs, and nothing signals the end of such a process.
    deadline = asyncio.get_running_loop().time() + seconds
    while _signal_group(leader, 0) and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(_POLL_SECONDS)


class GitResponse:
    """The response, which can be started only once."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._started = False

    async def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self._started = True
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def body(self, chunk: bytes) -> None:
        message = {"type": "http.response.body", "body": chunk, "more_body": True}
        try:
            await asyncio.wait_for(self._send(message), _IDLE_SECONDS)
        except TimeoutError as error:
            raise Disconnected from error

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def refuse(self, refusal: GitRefused) -> None:
        """Answer with the refusal; git shows the text after "remote:". Aborts an answer that has started."""
        if self._started:
            log.warning("git push cut off", reason=refusal.text)
            return
        text = f"{refusal.text}\n".encode()
        headers = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(text)), **refusal.headers}
        await self.start(refusal.status, headers.items())
        await self._send({"type": "http.response.body", "body": text, "more_body": False})
