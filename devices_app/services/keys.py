"""Create the server's keys, publish them to devices as a chain of roots, and sign with the active ones."""

import secrets
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.db import transaction

from devices_app.models import Root, ServerKey
from devices_app.services.revisions import announce_change, lock_publication
from kit.encryption import decrypt, encrypt
from kit.ssh_signatures import public_line, signed_for
from walle.protocol.signing import make_root, sign
from walle.protocol.signing_libraries import CryptoSigner, Signer

Purpose = ServerKey.Purpose
State = ServerKey.State

GIT_SIGNER = "walle@localhost"
"""Who signs notes of git: the committer of tasks_app.repository.notes."""
ROOT_LIFETIME = timedelta(days=365)
_ROLE = {Purpose.ROOT: "root", Purpose.MANIFEST: "targets", Purpose.ASSIGNMENT: "timestamp"}


@transaction.atomic
def ensure_keys(*, now: datetime) -> None:
    """Create the missing keys of the server and the first root; changes nothing if all exist."""
    lock_publication()
    present = set(ServerKey.objects.filter(state=State.ACTIVE).values_list("purpose", flat=True))
    for purpose in Purpose:
        if purpose not in present:
            make_key(purpose, now)
    if not Root.objects.exists():
        publish_root(now)


@transaction.atomic
def renew_root(*, now: datetime, margin: timedelta = timedelta(days=60)) -> bool:
    """Publish the next root if the newest one expires within the margin; return whether it did."""
    lock_publication()
    due = Root.objects.order_by("-version")[0].expires_at < now + margin
    if due:
        publish_root(now)
        announce_change()
    return due


def active_signer(purpose: str) -> Signer:
    """Return the signer of the active key of a signing purpose."""
    return _signer(ServerKey.objects.get(purpose=purpose, state=State.ACTIVE))


def sign_manifest(payload: bytes) -> bytes:
    """Return the signed envelope of a manifest's canonical payload."""
    return sign("manifest", payload, [active_signer(Purpose.MANIFEST)])


def sign_variant(payload: bytes) -> bytes:
    """Return the signed envelope of a variant statement."""
    return sign("variant", payload, [active_signer(Purpose.MANIFEST)])


def sign_for_git(content: bytes) -> str:
    """Return the signature of one of git's objects by the key of manifests; `git_signers` says how to check it."""
    return signed_for("git", content, _private_key(ServerKey.objects.get(purpose=Purpose.MANIFEST, state=State.ACTIVE)))


def git_signers() -> list[str]:
    """Return the lines of git's `gpg.ssh.allowedSignersFile`: a key that is not in force any more has signed, too."""
    keys = ServerKey.objects.filter(purpose=Purpose.MANIFEST).order_by("pk")
    return [f'{GIT_SIGNER} namespaces="git" {public_line(_private_key(key).public_key())}' for key in keys]


def make_key(purpose: str, now: datetime) -> ServerKey:
    """Create an active key; its predecessor must have stepped back in the same transaction."""
    if purpose == Purpose.DEVICE:
        key_id, secret = f"k{secrets.token_hex(4)}", secrets.token_bytes(32)
    else:
        signer = CryptoSigner.generate_ed25519()
        key_id, secret = signer.public_key.keyid, signer.private_bytes
    return ServerKey.objects.create(purpose=purpose, key_id=key_id, secret=encrypt(secret), created_at=now)


def _signer(key: ServerKey) -> CryptoSigner:
    return CryptoSigner(_private_key(key))


def _private_key(key: ServerKey) -> Ed25519PrivateKey:
    found = load_pem_private_key(decrypt(bytes(key.secret)), password=None)
    assert isinstance(found, Ed25519PrivateKey)  # noqa: S101 - `make_key` makes no others
    return found


def publish_root(now: datetime) -> Root:
    """Publish the next root: it names the keys that are active or accepted, and the keys of the root role sign it."""
    previous = Root.objects.order_by("-version").first()
    keys = ServerKey.objects.filter(purpose__in=_ROLE, state__in=[State.ACTIVE, State.ACCEPTED])
    holders = {role: [_signer(key) for key in keys if key.purpose == purpose] for purpose, role in _ROLE.items()}
    expires = now + ROOT_LIFETIME
    version = previous.version + 1 if previous else 1
    metadata = make_root(version, expires, holders, holders["root"])
    return Root.objects.create(version=version, metadata=metadata, expires_at=expires, created_at=now)
