"""/metrics of any process of Walle, an ASGI application: who may read it, and in which format."""

import hmac

from django.conf import settings
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from accounts_app.authentication import bearer_of
from walleweb.clients import is_here
from walleweb.config import LOCAL_HOSTS
from walleweb.origins import is_own_host
from walleweb.plain_answers import Receive, Scope, Send, answer, answer_text


class MetricsEndpoint:
    """The ASGI application of /metrics.

    With a `token`, requests with this bearer token may read. Without one, programs on this machine may that connect
    directly, under a name of this machine or of WALLE_ALLOWED_HOSTS: a browser here may show anybody's page.
    """

    def __init__(self, registry: CollectorRegistry, token: str) -> None:
        self._registry, self._token = registry, token

    async def refresh(self) -> None:
        """Prepare what a reading of the registry needs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        if scope["method"] not in ("GET", "HEAD"):
            await answer_text(send, 405, "expected GET\n", [(b"allow", b"GET, HEAD")])
        elif not self._may_read(scope, headers.get("authorization", "")):
            await self._refuse(send)
        else:
            await self.refresh()
            encode, content_type = choose_encoder(headers.get("accept", ""))
            await answer(send, 200, encode(self._registry), content_type)

    def _may_read(self, scope: Scope, authorization: str) -> bool:
        if self._token:
            token = bearer_of(authorization)
            return token is not None and hmac.compare_digest(token.encode(), self._token.encode())
        return is_here(scope) and is_own_host(scope["headers"], [*LOCAL_HOSTS, *settings.ALLOWED_HOSTS])

    async def _refuse(self, send: Send) -> None:
        if self._token:
            text = "expected Authorization: Bearer and the value of WALLE_METRICS_TOKEN\n"
            await answer_text(send, 401, text, [(b"www-authenticate", b'Bearer realm="walle metrics"')])
        else:
            text = "only programs on this machine may read this; set WALLE_METRICS_TOKEN to let others\n"
            await answer_text(send, 403, text)


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers by lower-case name; of several with one name the last."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
