"""The state by which a host serves, on its disk: it starts with the last one where the control plane is away.

It holds the keys with which devices are authenticated, and is encrypted with the master key as they are in the
database.
"""

import json
import logging
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, Final

from kit.encryption import WrongMasterKey, decrypt, encrypt
from walle.gateway.ports import AppState, GatewayState
from walle.protocol.errors import ProtocolError
from walle.protocol.keyed import DeviceKey, Keyring
from walle.protocol.signing import open_envelope
from walle.release.decision import CompiledTable
from walle.release.table import Table
from walle.schema import Malformed

log = logging.getLogger(__name__)

_UNREADABLE: Final = (OSError, ValueError, KeyError, TypeError, WrongMasterKey, ProtocolError, Malformed)


class RememberedState:
    """One state in a file that only this account may read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, state: GatewayState) -> None:
        """Replace the file; a disk that is full is no reason not to serve."""
        document = {"revision": state.revision, "apps": {slug: _written(app) for slug, app in state.apps.items()}}
        document["roots"] = {version: _text(root) for version, root in state.roots.items()}
        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.touch(mode=0o600)
            part.write_bytes(encrypt(json.dumps(document).encode()))
            part.replace(self._path)
        except OSError as error:
            log.warning("the state is not kept on disk: %s", error)

    def read(self) -> GatewayState | None:
        """Return what was kept last; None if nothing was, or if it cannot be read."""
        try:
            document = json.loads(decrypt(self._path.read_bytes()))
            apps = {slug: _read(slug, app) for slug, app in document["apps"].items()}
            roots = {int(version): b64decode(root) for version, root in document["roots"].items()}
            return GatewayState(document["revision"], apps, roots)
        except FileNotFoundError:
            return None
        except _UNREADABLE as error:
            log.warning("%s cannot be read: %s", self._path, error)
            return None


def _written(app: AppState) -> dict[str, Any]:
    """Return what authenticates devices and chooses versions; enrolment and gateways are none of a serving host."""
    return {
        "envelope": _text(app.envelope),
        "keys": [[key.key_id, _text(key.secret), key.accepted] for key in app.keyring.keys],
        "revoked": sorted(app.revoked),
        "lists": {name: sorted(devices) for name, devices in app.lists.items()},
        "held": {device: dict(facts) for device, facts in app.held.items()},
    }


def _read(slug: str, written: dict[str, Any]) -> AppState:
    envelope = b64decode(written["envelope"])
    table = Table.from_payload(open_envelope("table", envelope).payload)
    lists = {name: frozenset(devices) for name, devices in written["lists"].items()}
    return AppState(
        table=CompiledTable(table, lists),
        envelope=envelope,
        keyring=Keyring(
            slug, tuple(DeviceKey(key, b64decode(secret), taken) for key, secret, taken in written["keys"])
        ),
        enrol_keys=frozenset(),
        gateway_keys=frozenset(),
        backend_keys=(),
        revoked=frozenset(written["revoked"]),
        lists=lists,
        held=written["held"],
    )


def _text(data: bytes) -> str:
    return b64encode(data).decode()
