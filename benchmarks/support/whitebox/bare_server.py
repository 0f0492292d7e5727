"""A bare ASGI application around scikit-learn: what one would write by hand, without batching, metrics or limits.

BENCH_BARE names a file of joblib with a pipeline. A request is `{"record": ...}`: a text, or a row of numbers.
"""

from __future__ import annotations

import json
import os
from typing import Any

import joblib

_model = joblib.load(os.environ["BENCH_BARE"])


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": f"{message['type']}.complete"})
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    found = _model.predict_proba([json.loads(body)["record"]])[0]
    answer = json.dumps({"probabilities": found.tolist()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})
