"""Why a model cannot be imported: which operator, where it stands, and what about it."""

from __future__ import annotations


class NotImportable(ValueError):
    """A model, or a part of it, cannot become a pipeline that predicts the same.

    `operator` is the name of the class or of the format, `place` where it stands, such as `pipeline.union.words`,
    `reason` a sentence without its beginning and without a full stop.
    """

    def __init__(self, operator: str, place: str, reason: str) -> None:
        super().__init__(f"{place}: {operator} {reason}")
        self.operator, self.place, self.reason = operator, place, reason
