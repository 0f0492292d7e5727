"""Secrets of the demonstration, made on first use and kept in the data folder."""

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from walleweb.private_files import kept_secret


def demo_folder() -> Path:
    return Path(settings.WALLE_DATA_DIR) / "demo"


def password() -> str:
    """The password of the demo user."""
    return kept_secret(demo_folder() / "password", size=9)


def app_key() -> str:
    """The key with which the demo app's devices enrol."""
    return kept_secret(demo_folder() / "app_key", size=24)


def backend_key() -> Ed25519PrivateKey:
    """The key with which the demo app's backend signs facts about its users."""
    seed = kept_secret(demo_folder() / "backend_key", size=32)
    return Ed25519PrivateKey.from_private_bytes(seed.encode()[:32])
