"""Counts of the requests that Django and git answer in this process."""

from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from kit.metrics import Family

FAMILIES: Final = (
    Family("counter", "walle_http_requests_total", "Requests answered by Django.", ("method", "view", "status")),
    Family("histogram", "walle_http_request_seconds", "Time until Django's response begins.", ("view",)),
    Family("counter", "walle_git_requests_total", "Requests of git clients.", ("service", "status")),
    Family("histogram", "walle_git_request_seconds", "Time until a response to git has ended.", ("service",)),
)
REGISTRY: Final = CollectorRegistry()

# The creation times of series are of no use here, and would add half as many series.
disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus_client does not annotate it
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_QUICK: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_LONG: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)


def _made(family: Family, **options: Any) -> Any:
    kind = {"counter": Counter, "histogram": Histogram}[family.kind]
    return kind(family.name, family.help, family.labels, registry=REGISTRY, **options)


_requests = _made(FAMILIES[0])
_seconds = _made(FAMILIES[1], buckets=_QUICK)
_git_requests = _made(FAMILIES[2])
_git_seconds = _made(FAMILIES[3], buckets=_LONG)


def count_request(method: str, view: str, status: int, seconds: float) -> None:
    """Count a request that Django answered; `view` is the template of its path, of which there are not many."""
    # Clients may invent methods, and each would be a time series of its own.
    _requests.labels(method if method in _METHODS else "other", view, status).inc()
    _seconds.labels(view).observe(seconds)


def count_git(service: str, status: int, seconds: float) -> None:
    """Count a request that git's part answered."""
    _git_requests.labels(service, status).inc()
    _git_seconds.labels(service).observe(seconds)
