"""Log lines for people (console) or for machines (JSON), with secrets redacted."""

import logging
import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

HIDDEN = "[hidden]"
SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|credential|authorization|cookie|(api|private|master|app|enrol)_?key|"
    r"(database|redis|broker|mail)_url",
    re.IGNORECASE,
)
# postgresql://user:password@host, Authorization: Bearer ..., and c="..." of the Walle-Device header.
SECRETS_IN_TEXT = (
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s@/]+@", re.IGNORECASE), rf"\1{HIDDEN}@"),
    (re.compile(r"\b(bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"(;\s*c=)\"[^\"]*\""), rf'\1"{HIDDEN}"'),
    (re.compile(r"(\b(?:password|secret|token)=)[^\s&,;]+", re.IGNORECASE), rf"\1{HIDDEN}"),
)


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Redact values whose name or shape says that they are secret; a structlog processor."""
    return {name: clean(name, value) for name, value in event.items()}


def clean(name: Any, value: Any) -> Any:
    """Return `value`, redacted if its name or the text in it says that it is secret."""
    if isinstance(name, str) and SECRET_NAME.search(name) and value not in (None, "", True, False):
        return HIDDEN
    if isinstance(value, dict):
        return {key: clean(key, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean("", item) for item in value]
    return redact_text(value) if isinstance(value, str) else value


def redact_text(text: str) -> str:
    """Return `text` with passwords in addresses, bearer tokens and device credentials hidden."""
    for pattern, replacement in SECRETS_IN_TEXT:
        text = pattern.sub(replacement, text)
    return text


def configuration(*, form: str, level: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything on stderr in one form ("console" or "json"), from `level` upwards."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "walle": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _shared(),
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_last(form)],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "walle"}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        # The server's own handlers would print every line twice.
        "loggers": {name: {"handlers": [], "propagate": True} for name in ("django", "uvicorn", "celery")}
        | {"django.server": {"handlers": [], "propagate": True}}
        | {"uvicorn.error": {"handlers": [], "propagate": True}}
        # Refusals are in the lines of their requests (walleweb.requests); failures have their traceback here.
        | {"django.request": {"handlers": [], "propagate": True, "level": "ERROR"}}
        # Messages only wake workers, every other second; jobs have lines of their own (jobs_app.runner).
        | {name: {"level": "WARNING"} for name in ("celery.app.trace", "celery.worker.strategy", "celery.beat")}
        # With a handler, uvicorn would format a line for every check-in.
        | {"uvicorn.access": {"handlers": [], "propagate": False}},
    }


def configure_structlog() -> None:
    """Send structlog's lines through the standard library, so that one handler writes everything."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        # The logger's name, for libraries that use the standard library's logging.
        structlog.stdlib.ExtraAdder(allow=("app", "device", "release")),
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]


def _last(form: str) -> list[Processor]:
    if form == "json":
        # A traceback may quote a secret: it becomes text before the text is redacted.
        return [structlog.processors.format_exc_info, redact, structlog.processors.JSONRenderer()]
    return [structlog.processors.format_exc_info, redact, structlog.dev.ConsoleRenderer(colors=False)]


def quiet_third_parties() -> None:
    """Silence INFO lines of libraries that tell an operator nothing."""
    for name in ("httpx", "httpcore", "git", "psycopg.pool", "kombu", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # It warns about every hint without a listener.
    logging.getLogger("channels_postgres").setLevel(logging.ERROR)
