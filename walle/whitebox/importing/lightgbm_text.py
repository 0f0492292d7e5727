"""The text files of LightGBM (`Booster.save_model`), read by ourselves and within bounds, whoever sent them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from walle.whitebox.importing.boosted import MAX_FILE, MAX_GROUPS, BoostedModel, Link
from walle.whitebox.importing.building import Array
from walle.whitebox.importing.forest import MAX_NODES, Tree, TreeMalformed, ordered
from walle.whitebox.importing.refusal import NotImportable

LIBRARY: Final = "LightGBM"
_CATEGORICAL, _DEFAULT_LEFT, _MISSING_SHIFT = 1, 2, 2
_MISSING_NONE, _MISSING_ZERO, _MISSING_NAN = 0, 1, 2
_LINKS: Final[Mapping[str, Link]] = {
    "binary": "sigmoid",
    "cross_entropy": "sigmoid",
    "multiclass": "softmax",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
    **dict.fromkeys(
        ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"), "identity"
    ),
}


def read_lightgbm(content: bytes) -> BoostedModel:
    """Read a model file. Raises NotImportable where it is none, is damaged, or has what cannot be imported."""
    if len(content) > MAX_FILE:
        raise _refusal(f"has {len(content)} bytes; at most {MAX_FILE} can be imported")
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError as error:
        raise _refusal("is no text in UTF-8") from error
    if lines[0].strip() != "tree":
        raise _refusal('is no model file: its first line is not "tree"')
    header, *trees = _sections(lines)
    features = tuple(header.get("feature_names", "").split())
    groups = _integer(header, "num_tree_per_iteration", 1, MAX_GROUPS)
    link, steepness = _link(header, groups)
    if not trees:
        raise _refusal("has no trees")
    return BoostedModel(
        LIBRARY,
        features,
        tuple(_tree(each) for each in trees),
        tuple(index % groups for index in range(len(trees))),
        groups,
        (0.0,) * groups,
        link,
        "average_output" in header,
        steepness,
    )


def _refusal(reason: str) -> NotImportable:
    return NotImportable(LIBRARY, "model", reason)


def _sections(lines: list[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of the header, and then those of each tree."""
    section: dict[str, str] = {}
    for line in lines[1:]:
        name, _, value = line.strip().partition("=")
        if name == "end of trees":
            yield section
            return
        if name == "Tree":
            yield section
            section = {}
        elif name:
            section[name] = value
    raise _refusal('is cut off: "end of trees" is missing')


def _link(header: Mapping[str, str], groups: int) -> tuple[Link, float]:
    name, *options = header.get("objective", "").split() or ("none",)
    given = dict(option.partition(":")[::2] for option in options)
    if "sqrt" in given:
        raise _refusal("predicts squares of what was learned (reg_sqrt)")
    link = _LINKS.get(name)
    if link is None:
        raise _refusal(f"has the objective {name!r}, of which it is not known what follows from its scores")
    if (groups > 1) != (link == "softmax"):
        raise _refusal(f"has {groups} trees in each iteration, which the objective {name!r} does not have")
    return link, _number(given.get("sigmoid", "1")) if name == "binary" else 1.0


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = np.nan
    if not 1e-6 <= found <= 1e6:
        raise _refusal(f"has {text!r} where a positive number is expected")
    return found


def _integer(fields: Mapping[str, str], name: str, low: int, high: int) -> int:
    text = fields.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and low <= int(text) <= high):
        raise _refusal(f"has {name}={text[:40]!r}; expected an integer from {low} to {high}")
    return int(text)


def _tree(fields: Mapping[str, str]) -> Tree:
    leaves = _integer(fields, "num_leaves", 1, MAX_NODES)
    if fields.get("is_linear", "0") != "0":
        raise _refusal("has linear models in its leaves (linear_tree)")
    if fields.get("num_cat", "0") != "0":
        raise _refusal("splits by sets of categories (categorical_feature); encode them before training")
    values = _row(fields, "leaf_value", "f8", leaves)
    inner = leaves - 1
    feature = _row(fields, "split_feature", "i8", inner)
    threshold = _row(fields, "threshold", "f8", inner)
    decisions = _row(fields, "decision_type", "i8", inner)
    kinds = decisions >> _MISSING_SHIFT & 3
    if np.any(decisions & _CATEGORICAL) or np.any(kinds == _MISSING_ZERO):
        raise _refusal("takes zeros for missing (zero_as_missing), or splits by sets of categories")
    # What is not expected to be missing is taken for zero.
    missing_left = np.where(kinds == _MISSING_NAN, decisions & _DEFAULT_LEFT != 0, threshold >= 0)
    children = {side: _children(fields, f"{side}_child", inner) for side in ("left", "right")}
    padding = np.zeros(leaves)
    try:
        return ordered(
            np.append(feature, padding),
            np.append(threshold, padding),
            np.append(missing_left, padding),
            left=np.append(children["left"], padding - 1),
            right=np.append(children["right"], padding - 1),
            value=np.append(np.zeros(inner), values),
        )
    except TreeMalformed as error:
        raise _refusal(f"has a tree with {error}") from error


def _children(fields: Mapping[str, str], name: str, inner: int) -> Array:
    """Return the nodes below inner ones, of which leaf i comes i behind all inner ones; files say -1 - i for it."""
    found = _row(fields, name, "i8", inner)
    if inner and not (-inner - 1 <= found.min() and found.max() < inner):
        raise _refusal(f"has a {name} that is no node")
    return np.where(found < 0, inner - 1 - found, found)


def _row(fields: Mapping[str, str], name: str, kind: str, count: int) -> Array:
    texts = fields.get(name, "").split()
    if len(texts) != count:
        raise _refusal(f"has {len(texts)} numbers of {name} in a tree, not {count}")
    try:
        return np.array(texts, dtype=str).astype(kind) if count else np.zeros(0, kind)
    except (ValueError, OverflowError) as error:
        raise _refusal(f"has a {name} that is no number") from error
