"""For helpers of tests that fork: each child is ready at once, and shares its parent's memory."""

import contextlib
import gc
import ssl

import httpx

TLS = ssl.create_default_context()


async def warm_up() -> None:
    """Load what httpx loads on its first request, and have no garbage collected: that copies what children share."""
    async with httpx.AsyncClient(verify=TLS) as http:
        with contextlib.suppress(httpx.ConnectError):
            await http.get("http://127.0.0.1:9")
    gc.collect()
    gc.disable()
