"""The types of what flows between transformations, for one record. Numbers are float64; a number is a vector of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_SIZE: Final = 1 << 28
"""The greatest size of a vector."""


@dataclass(frozen=True, slots=True)
class TextType:
    """A text of Unicode characters."""

    def __str__(self) -> str:
        return "text"


@dataclass(frozen=True, slots=True)
class CategoryType:
    """A text that is one of a few, or missing."""

    def __str__(self) -> str:
        return "category"


@dataclass(frozen=True, slots=True)
class TokensType:
    """A list of texts, parts of one text in its order."""

    def __str__(self) -> str:
        return "tokens"


@dataclass(frozen=True, slots=True)
class VectorType:
    """`size` numbers; `sparse` where most are zero by the way they are made, or by the statistics of training."""

    size: int
    sparse: bool = False

    def __str__(self) -> str:
        return f"{'sparse ' if self.sparse else ''}vector of {self.size}"


@dataclass(frozen=True, slots=True)
class LabelType:
    """The index of one of a number of classes."""

    classes: int

    def __str__(self) -> str:
        return f"label of {self.classes}"


ValueType = TextType | CategoryType | TokensType | VectorType | LabelType

TEXT: Final = TextType()
CATEGORY: Final = CategoryType()
TOKENS: Final = TokensType()
NUMBER: Final = VectorType(1)

COLUMN_TYPES: Final[dict[str, ValueType]] = {"text": TEXT, "number": NUMBER, "category": CATEGORY}
"""What the columns of a record are, by the name of their type."""
