"""The mail server that WALLE_MAIL_URL names, and Django's settings for it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from walle.mail.addresses import check_sender

BACKENDS: Final = "django.core.mail.backends"
TIMEOUT_S: Final = 10
PORTS: Final = {"starttls": 587, "tls": 465, "none": 25}
EXPECTED: Final = (
    "expected smtp://user:password@host:587/?tls=starttls (or ?tls=none), smtps://user:password@host, file: or "
    "console:, with %-encoded characters such as %2F and %40 in a password"
)
NOBODY: Final = "Walle <walle@localhost>"
"""The sender of messages that go nowhere but into files."""


@dataclass(frozen=True)
class MailServer:
    """Where messages go: to a server, into files of a folder (None: `mail` in the data folder), or to the console."""

    kind: str
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = field(default="", repr=False)
    tls: str = "none"
    folder: Path | None = None

    @property
    def is_smtp(self) -> bool:
        return self.kind == "smtp"


def parse_mail_server(value: str) -> MailServer | None:
    """Parse WALLE_MAIL_URL; empty means that there is none."""
    if not value:
        return None
    parts, port = _split(value)
    if parts.scheme == "console":
        return MailServer("console")
    if parts.scheme == "file":
        return MailServer("file", folder=Path(unquote(parts.path)) if parts.path else None)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path not in ("", "/") or parts.fragment:
        raise ValueError(EXPECTED)
    tls = _tls(parts)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ValueError("expected both a user and a password, or neither")
    return MailServer("smtp", parts.hostname, port or PORTS[tls], user, password, tls)


def _split(value: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(value)
        return parts, parts.port
    except ValueError:
        # Its text would quote the password.
        raise ValueError(EXPECTED) from None


def _tls(parts: SplitResult) -> str:
    if parts.scheme == "smtps":
        if parts.query:
            raise ValueError("expected no ?tls= with smtps://, which is TLS from the first byte")
        return "tls"
    asked = parse_qs(parts.query, keep_blank_values=True)
    tls = asked.pop("tls", ["starttls"])
    if asked or tls not in (["starttls"], ["none"]):
        raise ValueError("expected ?tls=starttls or ?tls=none after smtp://, and nothing else")
    return tls[0]


def parse_sender(value: str) -> str:
    """Parse WALLE_MAIL_FROM, which may be empty."""
    return check_sender(value) if value else ""


def django_mail(server: MailServer | None, sender: str, data_dir: Path) -> dict[str, Any]:
    """Return Django's settings of mail; without a server, whatever is sent is dropped."""
    if server is None:
        return {"EMAIL_BACKEND": f"{BACKENDS}.dummy.EmailBackend"}
    return {
        "EMAIL_BACKEND": f"{BACKENDS}.{'filebased' if server.kind == 'file' else server.kind}.EmailBackend",
        "EMAIL_FILE_PATH": server.folder or data_dir / "mail",
        "EMAIL_HOST": server.host,
        "EMAIL_PORT": server.port,
        "EMAIL_HOST_USER": server.user,
        "EMAIL_HOST_PASSWORD": server.password,
        "EMAIL_USE_TLS": server.tls == "starttls",
        "EMAIL_USE_SSL": server.tls == "tls",
        "EMAIL_TIMEOUT": TIMEOUT_S,
        "DEFAULT_FROM_EMAIL": sender or NOBODY,
        "SERVER_EMAIL": sender or NOBODY,
    }
