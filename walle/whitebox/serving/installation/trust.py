"""The chain of roots that a serving host trusts: the first one that it ever saw, and whatever that one vouched for."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from walle.protocol.errors import ProtocolError
from walle.protocol.signing import TrustedRoots
from walle.whitebox.serving.isolation import write_durably

log = logging.getLogger(__name__)

FILE: Final = "root.json"


class HostTrust:
    """The newest trusted root, kept in a file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._roots: TrustedRoots | None = None

    def follow(self, chain: Mapping[int, bytes]) -> TrustedRoots | None:
        """Follow the chain (version to metadata) from the root that is trusted; None as long as there is none at all.

        A root that its predecessor does not vouch for ends the chain.
        """
        if self._roots is None:
            self._roots = self._first(chain)
        if self._roots is None:
            return None
        while (successor := chain.get(self._roots.version + 1)) is not None:
            try:
                self._roots.update(successor)
            except ProtocolError as error:
                log.error("root %d is refused: %s", self._roots.version + 1, error)
                break
            write_durably(self._path, successor)
        return self._roots

    def _first(self, chain: Mapping[int, bytes]) -> TrustedRoots | None:
        if self._path.exists():
            return TrustedRoots(self._path.read_bytes())
        if not chain:
            return None
        first = chain[min(chain)]
        roots = TrustedRoots(first)
        write_durably(self._path, first)
        return roots
