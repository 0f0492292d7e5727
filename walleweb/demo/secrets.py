"""Secrets of the demonstration, generated on first use and stored in the data folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from walle.protocol.documents import FactsStatement
from walle.protocol.signing import sign
from walle.protocol.signing_libraries import CryptoSigner
from walleweb.private_files import stored_secret


def demo_folder() -> Path:
    return Path(settings.WALLE_DATA_DIR) / "demo"


def password() -> str:
    """Return the password of the demo user."""
    return stored_secret(demo_folder() / "password", size=9)


def app_key() -> str:
    """Return the key with which the demo app's devices enrol."""
    return stored_secret(demo_folder() / "app_key", size=24)


def backend_key() -> Ed25519PrivateKey:
    """Return the key with which the demo app's backend signs facts about its users."""
    seed = stored_secret(demo_folder() / "backend_key", size=32)
    return Ed25519PrivateKey.from_private_bytes(seed.encode()[:32])


def signed_facts(app: str, device: str, facts: Mapping[str, Any], expires: int) -> bytes:
    """Return the demo app's backend's statement about a device, as an envelope to enrol with."""
    statement = FactsStatement(app, device, facts, expires)
    return sign("facts", statement.to_dict(), [CryptoSigner(backend_key())])
