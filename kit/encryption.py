"""Encryption of key material at rest: a stolen database or backup is useless without the master key."""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class WrongMasterKey(Exception):
    """The master key is not the one that this database's keys were encrypted with."""


def encrypt(secret: bytes) -> bytes:
    return _cipher().encrypt(secret)


def decrypt(encrypted: bytes) -> bytes:
    """Return the secret again; raises WrongMasterKey."""
    try:
        return _cipher().decrypt(bytes(encrypted))
    except InvalidToken as error:
        raise WrongMasterKey(
            "WALLE_MASTER_KEY does not open the keys in this database: set the one it was created with"
        ) from error


def _cipher() -> MultiFernet:
    """Return a cipher that encrypts with the master key, and decrypts with its fallbacks too."""
    return MultiFernet([_fernet(key) for key in (settings.WALLE_MASTER_KEY, *settings.WALLE_MASTER_KEY_FALLBACKS)])


def _fernet(master_key: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"walle-vault").derive(master_key.encode())
    return Fernet(urlsafe_b64encode(derived))
