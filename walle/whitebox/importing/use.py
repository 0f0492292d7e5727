"""One use of an estimator inside a model: what it is given, where it stands, and how what is inside it is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from walle.whitebox.graph import ClassName
from walle.whitebox.importing.building import (
    TEXT_COLUMN,
    Array,
    Builder,
    Matrix,
    ModelAnswer,
    RawColumn,
    Record,
    Table,
    Value,
)
from walle.whitebox.importing.refusal import NotImportable


class Importer(Protocol):
    """What imports the estimators that an estimator contains."""

    def transformed(self, use: Use) -> Value:
        """Return what a transformer makes. Raises NotImportable."""
        ...

    def answered(self, use: Use) -> ModelAnswer:
        """Return what a model answers. Raises NotImportable."""
        ...


@dataclass(frozen=True, slots=True)
class Use:
    """An estimator, the value that it is given, and its place in the model, such as `pipeline.words`."""

    estimator: Any
    given: Value
    place: str
    builder: Builder
    importer: Importer

    @property
    def operator(self) -> str:
        return type(self.estimator).__name__

    def refuse(self, reason: str) -> NotImportable:
        """Return the error that says why this use cannot be imported."""
        return NotImportable(self.operator, self.place, reason)

    def inside(self, name: str, estimator: Any, given: Value | None = None) -> Use:
        """Return the use of an estimator inside this one, given the same unless said otherwise."""
        value = self.given if given is None else given
        return Use(estimator, value, f"{self.place}.{name}", self.builder, self.importer)

    def text(self) -> str:
        """Return the id of the text that is given."""
        match self.given:
            case Record():
                return self.builder.column(TEXT_COLUMN, "text", self.operator, self.place)
            case Table(cells=(RawColumn(name=name, fill=None),), flat=True):
                return self.builder.column(name, "text", self.operator, self.place)
        raise self.refuse("takes a list of texts; in a ColumnTransformer, one column given by its name, not in a list")

    def columns(self) -> Table | Matrix:
        """Return what is given as columns or as a vector, by the names that the estimator was trained with."""
        if not isinstance(self.given, Record):
            return self.given
        names = getattr(self.estimator, "feature_names_in_", None)
        if names is None:
            names = [f"x{index}" for index in range(self.estimator.n_features_in_)]
        self.builder.names(map(str, names))
        return Table(tuple(RawColumn(str(name)) for name in names))

    def matrix(self) -> Matrix:
        """Return what is given as one vector of numbers."""
        value = self.columns()
        if isinstance(value, Matrix):
            return value
        return self.builder.concat([self.number(cell) for cell in value.cells])

    def number(self, cell: RawColumn) -> Matrix:
        """Return a column as a vector of one number."""
        if cell.fill is not None:
            raise self.refuse(f"takes numbers, and the column {cell.name!r} is a category")
        return Matrix(self.builder.column(cell.name, "number", self.operator, self.place), 1)

    def category(self, cell: RawColumn) -> str:
        """Return the id of a column as a category."""
        column = self.builder.column(cell.name, "category", self.operator, self.place)
        return column if cell.fill is None else self.builder.add("fill", [column], {"value": cell.fill})

    def step(
        self,
        operator: str,
        given: Matrix,
        settings: dict[str, Any] | None = None,
        size: int | None = None,
        **arrays: Array | None,
    ) -> Matrix:
        """Add a transformation of one vector, which has the size of what it is given unless said otherwise."""
        made = self.builder.add(operator, [given.id], settings, **arrays)
        return Matrix(made, given.size if size is None else size)

    def classes(self) -> tuple[ClassName, ...]:
        """Return the names of the classes, as texts or numbers."""
        return class_names(self.estimator.classes_, self)


def class_names(classes: Sequence[Any], use: Use) -> tuple[ClassName, ...]:
    """Return names of classes as texts or numbers of Python. Raises NotImportable for any other kind."""
    names = [class_of(each) for each in classes]
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in names):
        raise use.refuse("has classes that are neither texts nor numbers")
    return tuple(names)


def class_of(name: Any) -> ClassName:
    """Return the name of a class as Python has it, not NumPy."""
    found: ClassName = name.item() if isinstance(name, np.generic) else name
    return found
