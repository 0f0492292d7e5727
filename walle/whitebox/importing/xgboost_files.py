"""The JSON and UBJSON files of XGBoost (`Booster.save_model`), read by ourselves and within bounds.

XGBoost rounds what it compares to float32, and so do these pipelines; it adds in float32 as well, where these add in
float64: predictions are nearer to what the numbers in the file say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from walle.schema import Malformed, read_json
from walle.whitebox.importing.boosted import MAX_FILE, MAX_GROUPS, BoostedModel, Link
from walle.whitebox.importing.building import Array
from walle.whitebox.importing.forest import Tree, TreeMalformed, below_single, ordered
from walle.whitebox.importing.refusal import NotImportable
from walle.whitebox.importing.ubjson import UbjsonMalformed, read_ubjson

LIBRARY: Final = "XGBoost"
_LINKS: Final[Mapping[str, Link]] = {
    "binary:logistic": "sigmoid",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), "exp"),
    **dict.fromkeys(
        (
            "reg:squarederror",
            "reg:absoluteerror",
            "reg:pseudohubererror",
            "reg:quantileerror",
            "rank:pairwise",
            "rank:ndcg",
            "rank:map",
        ),
        "identity",
    ),
}


def read_xgboost(content: bytes) -> BoostedModel:
    """Read a model file. Raises NotImportable where it is none, is damaged, or has what cannot be imported."""
    if len(content) > MAX_FILE:
        raise _refusal(f"has {len(content)} bytes; at most {MAX_FILE} can be imported")
    document = _document(content)
    try:
        return _model(document["learner"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, NotImportable):
            raise
        raise _refusal(f"lacks what a model file has, or has it in another form: {error}") from error


def _document(content: bytes) -> Any:
    try:
        if content[:2] == b"{L":
            return read_ubjson(content)
        return read_json(content, "model", MAX_FILE)
    except UbjsonMalformed as error:
        raise _refusal(f"is no UBJSON: {error}") from error
    except Malformed as error:
        raise _refusal(f"is no JSON: {error}") from error


def _refusal(reason: str) -> NotImportable:
    return NotImportable(LIBRARY, "model", reason)


def _model(learner: Mapping[str, Any]) -> BoostedModel:
    booster, parameters = learner["gradient_booster"], learner["learner_model_param"]
    if booster["name"] not in ("gbtree", "dart"):
        raise _refusal(f"has the booster {booster['name']!r}; gbtree and dart can be imported")
    # A dart booster has a gbtree inside, and a weight for each tree.
    model = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
    weights = booster["weight_drop"] if booster["name"] == "dart" else [1.0] * len(model["trees"])
    if int(parameters.get("num_target", 1)) > 1:
        raise _refusal("predicts several targets at once")
    if any(len(each) for each in model.get("cats", {}).values()):
        raise _refusal("has categories of its own (enable_categorical); encode them before training")
    name = learner["objective"]["name"]
    link = _LINKS.get(name)
    if link is None:
        raise _refusal(f"has the objective {name!r}, of which it is not known what follows from its scores")
    groups = max(1, int(parameters["num_class"]))
    if not groups <= MAX_GROUPS or (groups > 1) != (link == "softmax"):
        raise _refusal(f"has {groups} classes, which the objective {name!r} does not have")
    features = int(parameters["num_feature"])
    names = [str(each) for each in learner.get("feature_names", [])] or [
        f"f{index}" for index in range(min(features, 1 << 16))
    ]
    if len(names) != features:
        raise _refusal(f"has {len(names)} names of {features} features")
    trees = tuple(_tree(each, float(weight)) for each, weight in zip(model["trees"], weights, strict=True))
    targets = tuple(int(each) for each in model["tree_info"])
    if any(not 0 <= each < groups for each in targets):
        raise _refusal("has a tree for a class that is not there")
    return BoostedModel(
        LIBRARY, tuple(names), trees, targets, groups, _base(parameters["base_score"], groups, link), link
    )


def _base(text: str, groups: int, link: Link) -> tuple[float, ...]:
    """Return the scores that all begin with; files have them as what is predicted, one or one for each class."""
    numbers = [float(each) for each in str(text).strip("[] ").split(",")]
    if len(numbers) == 1:
        numbers *= groups
    if len(numbers) != groups or not all(math.isfinite(each) for each in numbers):
        raise _refusal(f"has the base_score {text!r} for {groups} scores")
    match link:
        case "sigmoid":
            return tuple(-math.log(1 / each - 1) for each in numbers)
        case "exp":
            return tuple(math.log(each) for each in numbers)
    return tuple(numbers)


def _tree(table: Mapping[str, Any], weight: float) -> Tree:
    left, right = _row(table, "left_children"), _row(table, "right_children")
    conditions = np.asarray(table["split_conditions"], np.float32).astype(np.float64)
    if int(table["tree_param"].get("size_leaf_vector", 1)) > 1:
        raise _refusal("has leaves of several values (multi_strategy)")
    if len(table.get("categories_nodes", ())) or np.any(np.asarray(table.get("split_type", [0])) != 0):
        raise _refusal("splits by sets of categories (enable_categorical); encode them before training")
    feature, default_left = _row(table, "split_indices"), np.asarray(table["default_left"])
    if len({len(each) for each in (left, right, conditions, feature, default_left)}) != 1:
        raise _refusal("has a tree whose lists differ in length")
    try:
        return ordered(
            feature, below_single(conditions), default_left != 0, left=left, right=right, value=conditions * weight
        )
    except TreeMalformed as error:
        raise _refusal(f"has a tree with {error}") from error


def _row(table: Mapping[str, Any], name: str) -> Array:
    found = np.asarray(table[name])
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise _refusal(f"has a {name} that is no list of integers")
    return found.astype(np.int64)
