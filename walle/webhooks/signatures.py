"""Signatures of webhooks as in the Standard Webhooks specification, 1.0.0, symmetric signatures (version v1).

What is signed is the message's id, the attempt's time and the exact bytes of the body, joined by dots.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 (no password)
KEY_SIZE: Final = 32


def secret_text(key: bytes) -> str:
    """Return the form in which a secret is given to people: `whsec_` and the key in base64."""
    return SECRET_PREFIX + b64encode(key).decode()


def signed_headers(*, secrets: Iterable[str], message: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of one attempt, with a signature by each secret (two while they are rotated)."""
    seconds = str(int(at.timestamp()))
    signed = b".".join((message.encode(), seconds.encode(), body))
    return {
        "webhook-id": message,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    return f"v1,{b64encode(hmac.digest(key, signed, sha256)).decode()}"
