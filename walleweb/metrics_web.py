"""What this process counts of the requests that Django and git answer."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

REGISTRY: Final = CollectorRegistry()

_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_QUICK: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_LONG: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)

_requests = Counter(
    "walle_http_requests_total", "Requests answered by Django.", ["method", "view", "status"], registry=REGISTRY
)
_seconds = Histogram(
    "walle_http_request_seconds",
    "Time from a request's arrival at Django until its response begins.",
    ["view"],
    buckets=_QUICK,
    registry=REGISTRY,
)
_git_requests = Counter(
    "walle_git_requests_total", "Requests of git clients; a push is one of git-receive-pack.", ["service", "status"],
    registry=REGISTRY,
)  # fmt: skip
_git_seconds = Histogram(
    "walle_git_request_seconds",
    "Time from a git request's arrival until its response has ended.",
    ["service"],
    buckets=_LONG,
    registry=REGISTRY,
)


def count_request(method: str, view: str, status: int, seconds: float) -> None:
    """A request that Django answered; `view` is the template of its path, of which there are not many."""
    # Anybody may invent methods, and each would be a time series of its own.
    _requests.labels(method if method in _METHODS else "other", view, status).inc()
    _seconds.labels(view).observe(seconds)


def count_git(service: str, status: int, seconds: float) -> None:
    """A request that git's part answered."""
    _git_requests.labels(service, status).inc()
    _git_seconds.labels(service).observe(seconds)
