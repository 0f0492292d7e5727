"""Signs what devices verify, with the active keys."""

from devices_app.models import ServerKey
from devices_app.services.keys import active_signer
from walle.protocol.signing import sign


def sign_manifest(payload: bytes) -> bytes:
    """The signed envelope of a manifest's canonical payload."""
    return sign("manifest", payload, [active_signer(ServerKey.Purpose.MANIFEST)])


def sign_variant(payload: bytes) -> bytes:
    """The signed envelope of a variant statement."""
    return sign("variant", payload, [active_signer(ServerKey.Purpose.MANIFEST)])
