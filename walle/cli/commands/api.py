"""`walle api`: send any request with the user's token."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli.arguments import fact
from walle.cli.connection import connected
from walle.cli.declaring import command
from walle.cli.errors import WrongUsage

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

app = typer.Typer()


@command(
    app,
    "api",
    "walle api GET /releases -f state=running",
    "walle api POST /releases/4/pause -f reason=looking",
    "walle api PUT /apps/shop/lists/testers --input testers.txt --type text/plain",
)
def api(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE.")],
    address: Annotated[str, typer.Argument(metavar="PATH", help="Below /api/v1, such as /releases/4.")],
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            "-f",
            metavar="NAME=VALUE",
            help="A parameter of the query for GET, HEAD and DELETE, else a text of the body; may be repeated.",
        ),
    ] = None,
    body: Annotated[
        str | None, typer.Option("--input", metavar="FILE", help="The body; - is standard input. JSON unless --type.")
    ] = None,
    kind: Annotated[str, typer.Option("--type", metavar="TYPE", help="Content type of --input.")] = "application/json",
) -> None:
    """Send any request to the REST API and print its answer.

    It is signed in and sent again like every other command's requests; a POST has an Idempotency-Key.
    """
    method = method.upper()
    if method not in METHODS:
        raise WrongUsage(f"expected one of {', '.join(METHODS)}, found {method}")
    given = dict(fact(field) for field in fields or ())
    asks = method in ("GET", "HEAD", "DELETE")
    content = _content(body) if body else None
    if content is not None and given and not asks:
        raise WrongUsage("expected --field or --input, one of them")
    options: dict[str, Any] = {"query": given} if asks else {"body": given}
    if content is not None:
        options |= {"content": lambda: content, "headers": {"content-type": kind}}
    with connected() as client:
        answer = client.send(method, address.removeprefix("/api/v1"), **options)
    _print(answer.headers.get("content-type", ""), answer.content)


def _content(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise WrongUsage(f"cannot read {name}: {error.strerror}") from error


def _print(content_type: str, content: bytes) -> None:
    if "json" in content_type and sys.stdout.isatty():
        print(json.dumps(json.loads(content), indent=2, ensure_ascii=False))
    elif content:
        sys.stdout.flush()
        sys.stdout.buffer.write(content if not sys.stdout.isatty() else content + b"\n")
        sys.stdout.buffer.flush()
