"""Whether the broker of wake-ups can be reached."""

from typing import Final

from django.conf import settings

CONNECT_S: Final = 1.0
"""Seconds after which a broker that does not answer counts as away."""


def is_apart() -> bool:
    """Return whether the broker is a server of its own: Redis, not the database."""
    return bool(settings.WALLE_REDIS_URL)


def broker_problem() -> str:
    """Return why the broker cannot be reached; "" if it can, or if it is the database."""
    if not is_apart():
        return ""
    import redis  # only where it carries messages

    client = redis.Redis.from_url(
        settings.WALLE_REDIS_URL, socket_connect_timeout=CONNECT_S, socket_timeout=CONNECT_S, retry=None
    )
    try:
        with client:
            client.ping()
    except redis.RedisError as error:
        # An address may hold a password; the kind of error says enough.
        return f"Redis cannot be reached ({type(error).__name__})"
    return ""
