"""The contents of a backup: contents.json, authenticated with a key derived from the master key."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from walle.protocol.canonical import canonical_json
from walleweb.backup import BackupError

FILE: Final = "contents.json"
FORMAT: Final = 1


@dataclass(frozen=True)
class Piece:
    """A file of the backup."""

    sha256: str
    size: int

    @classmethod
    def of(cls, path: Path) -> Self:
        with path.open("rb") as file:
            return cls(hashlib.file_digest(file, "sha256").hexdigest(), file.tell())


@dataclass(frozen=True)
class Contents:
    """The contents of a backup.

    migrations: the newest of each app.  rows: of each table.  pieces: files by their path.  repositories: a digest of
    the references of each scenario's.  artifacts: how many, and bytes.  lacking: what the database asks for and the
    stores did not have, or not as its digest says.
    """

    made_at: datetime
    postgres: str
    migrations: Mapping[str, str]
    rows: Mapping[str, int]
    pieces: Mapping[str, Piece]
    repositories: Mapping[str, str]
    artifacts: Mapping[str, int]
    lacking: list[str] = field(default_factory=list)

    def write(self, folder: Path, master_key: str) -> None:
        document = {**asdict(self), "made_at": self.made_at.isoformat(), "format": FORMAT, "key": key_name(master_key)}
        document["seal"] = _mac(document, master_key)
        (folder / FILE).write_text(json.dumps(document, indent=1, sort_keys=True))


def read_contents(folder: Path, master_key: str) -> Contents:
    """Return the contents of the backup in a folder; raises BackupError if another installation made it, or if it was
    changed.
    """
    try:
        document: dict[str, Any] = json.loads((folder / FILE).read_text())
        mac, key, version = document.pop("seal"), document["key"], document["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BackupError(f"{folder} is not a whole backup: {FILE} cannot be read ({error})") from error
    if version != FORMAT:
        raise BackupError(
            f"{folder} was made by another Walle (format {version}, this one reads {FORMAT}): use that one."
        )
    if key != key_name(master_key):
        raise BackupError(
            f"{folder} was made under the master key {key}, and this installation has {key_name(master_key)}. A backup "
            "does not hold the key. Set WALLE_MASTER_KEY to the one that was in force when it was made; where none was "
            "set, it is in the file master_key of the data folder of that installation."
        )
    if not hmac.compare_digest(mac, _mac(document, master_key)):
        raise BackupError(f"{folder / FILE} was changed after the backup was made: take another backup.")
    del document["format"], document["key"]
    pieces = {name: Piece(**piece) for name, piece in document.pop("pieces").items()}
    return Contents(made_at=datetime.fromisoformat(document.pop("made_at")), pieces=pieces, **document)


def key_name(master_key: str) -> str:
    """Return a name that distinguishes master keys for people, and reveals nothing about the key."""
    return _derived(master_key, b"walle-master-key-name").hex()[:12]


def _mac(document: Mapping[str, Any], master_key: str) -> str:
    return hmac.digest(_derived(master_key, b"walle-backup"), canonical_json(dict(document)), "sha256").hex()


def _derived(master_key: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(master_key.encode())
