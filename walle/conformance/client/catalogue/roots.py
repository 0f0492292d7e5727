"""Roots that are no valid successors of the previous one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from walle.conformance.client.catalogue.entry import InvalidRoot
from walle.conformance.client.repository import FAR, ReferenceRepository
from walle.protocol.signing import make_root


def _skip_a_version(repository: ReferenceRepository) -> None:
    repository.roots[2] = repository.roots[3]


def _not_signed_by_the_one_before(repository: ReferenceRepository) -> None:
    keys = repository.keys
    repository.roots[2] = make_root(2, FAR, keys.holders(), [keys.root])


def _no_root(data: bytes) -> Callable[[ReferenceRepository], object]:
    return lambda repository: repository.roots.update({2: data})


INVALID_ROOTS: Final = (
    InvalidRoot(
        "roots.skipped",
        "A root of another version than the next is refused, and nothing done under it",
        (_skip_a_version,),
    ),
    InvalidRoot(
        "roots.signed",
        "A root that the one before did not sign is refused, and nothing done under it",
        (_not_signed_by_the_one_before,),
    ),
    InvalidRoot(
        "roots.malformed",
        "What cannot be read as a root is refused, and nothing done under it",
        tuple(_no_root(data) for data in (b" ", b"{}", b"[]", b"nonsense")),
        checked=False,
    ),
)
