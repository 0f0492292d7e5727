"""Schemas of documents in TOML and JSON that people and programs write; all problems are reported at once.

A text is bounded in bytes and depth before it is parsed (`read_toml`, `read_json`). A schema is a tree of nodes
(`walle.schema.fields`), which are data. It finds the problems of any value, each with the dotted path of its field,
what was expected there and what was found. `checked` raises a subclass of `Malformed` with them:

    STEP = Fields({"name": Text("a name"), "share": Number(0, 1)}, required=("name",))
    checked(STEP, {"share": 2}, "step", Malformed)

    step.share: expected a number of at least 0 and of at most 1, found 2; step.name: expected a name, found nothing

A rule that spans fields is a node of its own: it has the fields checked first, and `Problems.touches` says which of
them are valid.
"""

from walle.schema.documents import MAX_DOCUMENT, MAX_NESTING, read_json, read_toml
from walle.schema.fields import (
    AllOf,
    AnyJson,
    ByType,
    Fields,
    Items,
    Named,
    Node,
    Nullable,
    Number,
    OneOfTexts,
    Text,
    Value,
    checked,
    joined,
)
from walle.schema.problems import MAX_PROBLEMS, Malformed, Problem, Problems

__all__ = [
    "MAX_DOCUMENT",
    "MAX_NESTING",
    "MAX_PROBLEMS",
    "AllOf",
    "AnyJson",
    "ByType",
    "Fields",
    "Items",
    "Malformed",
    "Named",
    "Node",
    "Nullable",
    "Number",
    "OneOfTexts",
    "Problem",
    "Problems",
    "Text",
    "Value",
    "checked",
    "joined",
    "read_json",
    "read_toml",
]
