"""Rate limits: the number of requests per minute of a token or of a person with a session.

Counted in a sliding window, in Redis where there is one, otherwise in each web process by itself. Answers carry the
fields of draft-ietf-httpapi-ratelimit-headers. Attempts to log in are limited elsewhere (accounts_app.logins).
"""

import math
import time
from functools import cache
from typing import Any, Final

import structlog
from django.conf import settings
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import RateLimiter, SlidingWindowCounterRateLimiter
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

WINDOW_S: Final = 60
log = structlog.get_logger(__name__)


class SenderThrottle(BaseThrottle):
    """One limit for reads and one for writes; `headers` say what is left, `wait` how long until there is more."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self._wait = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        name, limit = _limit_of(request)
        if limit is None or not request.user.is_authenticated:
            return True
        return self._within(name, limit, self.sender(request))

    def sender(self, request: Request) -> str:
        """Return the key under which requests of one sender are counted."""
        return f"user:{request.user.pk}"

    def _within(self, name: str, limit: RateLimitItem, sender: str) -> bool:
        try:
            return self._count(name, limit, sender)
        except StorageError as error:
            # Without the counter, requests are not limited.
            log.warning("requests are not limited now", error=str(error))
            return True

    def _count(self, name: str, limit: RateLimitItem, sender: str) -> bool:
        allowed = _limiter().hit(limit, name, sender)
        stats = _limiter().get_window_stats(limit, name, sender)
        self._wait = max(1, math.ceil(stats.reset_time - time.time()))
        self.headers = {
            "RateLimit-Policy": f'"{name}";q={limit.amount};w={WINDOW_S}',
            "RateLimit": f'"{name}";r={stats.remaining};t={self._wait}',
        }
        return allowed

    def wait(self) -> float:
        return self._wait


def _limit_of(request: Request) -> tuple[str, RateLimitItem | None]:
    reading = request.method in SAFE_METHODS
    per_minute = settings.WALLE_API_READS_PER_MINUTE if reading else settings.WALLE_API_WRITES_PER_MINUTE
    return "reads" if reading else "writes", RateLimitItemPerMinute(per_minute) if per_minute else None


@cache
def _limiter() -> RateLimiter:
    return SlidingWindowCounterRateLimiter(storage_from_string(settings.WALLE_RATE_STORAGE, wrap_exceptions=True))
