"""The certificates that httpx trusts are loaded once in a test process: that takes longer than most requests."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import httpx
import pytest
from httpx._transports import default as transports

# Where httpx looks for other certificates than its own.
VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@contextmanager
def loaded_once() -> Iterator[None]:
    """Clients made without `verify` share a context, for as long as the environment names the same certificates."""

    @cache
    def usual(trust_env: bool, *_named: str | None) -> ssl.SSLContext:
        return httpx.create_ssl_context(trust_env=trust_env)

    def create(verify: object = True, cert: object = None, trust_env: bool = True) -> ssl.SSLContext:
        if verify is True and cert is None:
            return usual(trust_env, *map(os.environ.get, VARIABLES))
        return httpx.create_ssl_context(verify=verify, cert=cert, trust_env=trust_env)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transports, "create_ssl_context", create)
        yield
