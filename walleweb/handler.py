"""Django's ASGI handler, with the synchronous parts of a request in one thread that the next request uses again.

Under ASGI, Django takes middleware that is written for both ways asynchronously, and runs each of its synchronous hooks
in the thread of the request, which is started for it and joined by another one. Walle's views are synchronous: two new
threads and two dozen changes between threads were half of what a small answer cost.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from asgiref.sync import AsyncToSync, ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware

IDLE_THREADS: Final = 16
"""So many threads are kept for requests to come."""


class Handler(ASGIHandler):
    """Answers each request in a thread of its own, which has no other request meanwhile."""

    _middleware_chain: Any

    def __init__(self) -> None:
        super().__init__()
        self._idle: list[ThreadPoolExecutor] = []

    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain from synchronous views outwards: it stays synchronous up to what is only asynchronous."""
        super().load_middleware(is_async=False)
        chain = self._middleware_chain
        # Django has adapted it to callers without an event loop.
        self._middleware_chain = chain.awaitable if isinstance(chain, AsyncToSync) else sync_to_async(chain)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, "walle-request")
        answered = False
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
            answered = True
        finally:
            # A request that was broken off may still be running there.
            if answered and len(self._idle) < IDLE_THREADS:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)


class SecurityHeaders(SecurityMiddleware):
    """Django's, before what is only asynchronous: its hooks only compute, and need no thread for that."""

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        get_response: Any = self.get_response
        response = self.process_request(request) or await get_response(request)
        return self.process_response(request, response)
