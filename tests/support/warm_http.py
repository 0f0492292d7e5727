"""For helpers of tests that fork: what httpx loads on its first request is loaded once, before all forks."""

import contextlib
import ssl

import httpx

TLS = ssl.create_default_context()


async def warm_up() -> None:
    """Imports what httpx imports on its first request, so that no child has to."""
    async with httpx.AsyncClient(verify=TLS) as http:
        with contextlib.suppress(httpx.ConnectError):
            await http.get("http://127.0.0.1:9")
