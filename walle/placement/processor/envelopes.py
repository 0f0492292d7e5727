"""What flows between operators: everything that became of one item of the sources, together.

An operator that drops an item passes an envelope without records on. So each envelope arrives at the sink in the end,
and the sources learn what is done without a further message: progress is tracked from node to node, in band.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

REFERENCE_BYTES: Final = 8
"""What a number, a truth value or nothing counts as."""


class Envelope(NamedTuple):
    """The records that some items of the sources became, from `number` on; `last` if there are none behind these.

    `items` is one, but behind a group-by: there it is those of a window.
    """

    number: int
    items: int
    last: bool
    records: tuple[Any, ...]

    @property
    def stop(self) -> int:
        """The number after those that it stands for."""
        return self.number + self.items


class Parcel(NamedTuple):
    """An envelope on its way from a source or an operator to an operator, and when it was handed over.

    `handed_at` is seconds on the sender's monotonic clock, which processes of one machine share.
    """

    operator: str
    source: str
    envelope: Envelope
    handed_at: float


def payload_bytes(value: Any) -> int:
    """Return the bytes of a record's content: of arrays, texts, bytes and numbers, in any containers.

    What else there is counts like a number. Linear in the number of objects; nothing is copied or encoded.
    """
    total, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            total += len(each) if each.isascii() else len(each.encode("utf-8", "surrogatepass"))
        elif isinstance(each, bytes | bytearray | memoryview):
            total += memoryview(each).nbytes
        elif isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            waiting += each
        else:
            total += int(getattr(each, "nbytes", REFERENCE_BYTES))
    return total
