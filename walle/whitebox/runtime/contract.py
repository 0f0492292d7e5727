"""What the runtime asks of plans (walle.whitebox.compiling makes them): pure data until bound, then ready to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from walle.whitebox.batch_answers import BatchAnswers

Refusals = list[tuple[int, str, str]]
"""The records that a plan refuses: position, column at fault, what was expected."""


class PlanVectors(Protocol):
    """Memory in which one prediction at a time is made, of whatever plan; it grows where a plan needs more."""

    @property
    def size(self) -> int:
        """Return how many bytes it has."""

    def touch(self) -> None:
        """Have all of it in memory, so that nobody waits for pages later."""

    def shrink(self, size: int) -> None:
        """Give back what is more than so many bytes."""


class BoundPlan(Protocol):
    """A plan with its parameters, which any number of threads may use, each with vectors of its own."""

    @property
    def shareable(self) -> frozenset[str]:
        """The identities of stages whose results are worth being kept for other plans."""

    @property
    def vector_bytes(self) -> int:
        """The bytes of vectors for one record at a time."""

    def reusing(self, identities: frozenset[str], results: Any) -> Callable[[Any, Any], Any]:
        """Return what predicts as `predict` does, but looks up and keeps results of stages."""

    def vectors(self, records: int) -> Any:
        """Return vectors for so many records at a time."""

    def predict(self, record: Any, vectors: Any) -> Any:
        """Return the prediction for a record: a tuple. Raises RecordRefused."""

    def run(self, records: Sequence[Any], vectors: Any) -> tuple[bytes, Refusals]:
        """Return the answers to records as `read` takes them, and which records have none."""

    def read(self, answers: bytes) -> list[Any]:
        """Return the predictions of the records that were not refused, in their order."""

    def columns(self, answers: bytes, refused: Refusals) -> BatchAnswers:
        """Return the answers to all records of a batch as arrays."""


class UnboundPlan(Protocol):
    """A physical plan: data that can be sent to another process."""

    def bind(self, parameters: Callable[[Any], NDArray[Any]]) -> BoundPlan:
        """Return the plan with its parameters."""
