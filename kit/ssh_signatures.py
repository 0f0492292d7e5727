"""Signatures as `ssh-keygen -Y sign` makes them, which git checks with `gpg.format = ssh`.

The format is PROTOCOL.sshsig of OpenSSH. What is signed begins with a word of its own, so that no such signature is one
of another kind.
"""

from __future__ import annotations

import base64
import hashlib
import textwrap
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_MAGIC: Final = b"SSHSIG"
_VERSION: Final = (1).to_bytes(4, "big")
_KIND: Final = b"ssh-ed25519"
_HASH: Final = b"sha512"


def signed_for(namespace: str, message: bytes, key: Ed25519PrivateKey) -> str:
    """Return the armoured signature of a message, such as one of git's objects for the namespace `git`."""
    place = _text(namespace.encode()) + _text(b"") + _text(_HASH)
    signature = key.sign(_MAGIC + place + _text(hashlib.sha512(message).digest()))
    blob = _MAGIC + _VERSION + _text(_wire(key.public_key())) + place + _text(_text(_KIND) + _text(signature))
    lines = textwrap.wrap(base64.b64encode(blob).decode(), 70)
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----"])


def public_line(key: Ed25519PublicKey) -> str:
    """Return a public key as it stands in files of OpenSSH: `ssh-ed25519 AAAA...`."""
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def _wire(key: Ed25519PublicKey) -> bytes:
    return _text(_KIND) + _text(key.public_bytes(Encoding.Raw, PublicFormat.Raw))


def _text(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content
