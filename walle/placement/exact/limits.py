"""Problems whose program would take longer to build than anybody waits for a proof."""

from __future__ import annotations

from typing import Final

MOST_READINGS: Final = 2_000_000
"""The most accuracy rows that are looked at for the states of one operator."""
MOST_COUNTS: Final = 50_000
"""The most variables that count workers: operators times their models times classes of alike workers."""


class ProgramTooLarge(Exception):
    """A problem is too large to be proved; the text says what of it."""


def check_states(operator: str, states: int, rows: int) -> None:
    """Raise ProgramTooLarge if an operator has too many states, for each of which `rows` rows are looked at."""
    if states * max(1, rows) > MOST_READINGS:
        raise ProgramTooLarge(f"{operator} has too many combinations of models and of accuracies of its inputs")


def check_counts(choices: int, classes: int) -> None:
    """Raise ProgramTooLarge for too many choices of an operator and a model with too many classes of workers."""
    if choices * classes > MOST_COUNTS:
        raise ProgramTooLarge(f"{choices} models of operators on {classes} kinds of workers")
