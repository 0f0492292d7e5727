"""What parameters may contain, checked where the data is, in time linear in it.

What kernels index by must point inside what they index, what they follow must end, and numbers that would make every
prediction meaningless are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from walle.schema import Problems
from walle.whitebox.graph import Graph, Parameter, Transformation
from walle.whitebox.ngram_table import LONGEST_RUN, MAX_ENTRIES, greatest_column, longest_run
from walle.whitebox.types import ValueType, VectorType

MAX_DEPTH: Final = 1024
"""The most comparisons on the way from the root of a tree to a leaf."""
MISSING_RIGHT: Final = 1 << 31
"""The bit of a node's third word that says that missing numbers go to the right."""

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of an operator, with the data of its parameters."""

    step: Transformation
    inputs: tuple[ValueType, ...]
    arrays: Mapping[str, Array]
    place: str
    problems: Problems

    @property
    def size(self) -> int:
        """The size of the first input, a vector."""
        (first, *_) = self.inputs
        return first.size if isinstance(first, VectorType) else 0

    def check(self, name: str, fits: object, expected: str, found: object = "others") -> None:
        """Report a parameter that does not fit."""
        if not fits:
            self.problems.say(f"{self.place}.parameters.{name}", expected, str(found))

    def check_range(self, name: str, low: int, high: int) -> None:
        """Report integers of a parameter, where it is there, that are not from `low` up to but not including `high`."""
        if name in self.arrays:
            least, most = int(self.arrays[name].min()), int(self.arrays[name].max())
            self.check(name, low <= least and most < high, f"integers from {low} to {high - 1}", f"{least} to {most}")

    def check_table(self, name: str, columns: int) -> None:
        """Report a dictionary in which a search may leave the table, take long, or find a column that is not there."""
        table = self.arrays[name]
        if len(table) < 2 or table[-1] != 0:
            self.check(name, False, "a table of at least two slots that ends with an empty one")
            return
        run, column = longest_run(table), greatest_column(table)
        self.check(name, run <= LONGEST_RUN, f"at most {LONGEST_RUN} slots in use in a row", run)
        self.check(name, np.all((table == 0) | (table & np.uint64(0xFFFFFF) != 0)), "entries that have a column")
        self.check(name, column < columns, f"columns below {columns}", column)


def check_contents(graph: Graph, types: Mapping[str, ValueType], data: Mapping[str, bytes], problems: Problems) -> None:
    """Report what is wrong with the data of a valid graph's parameters, by digest; fields are those of its document.

    What has no data is not looked at, nor what else belongs to its transformation.
    """
    for index, step in enumerate(graph.transformations):
        if all(each.digest in data for each in step.parameters.values()):
            arrays = {name: view(data[each.digest], each) for name, each in step.parameters.items()}
            inputs = tuple(types[each] for each in step.inputs)
            _check_use(_Use(step, inputs, arrays, f"transformations[{index}]", problems))


def view(data: bytes, parameter: Parameter) -> Array:
    """Return an array's bytes as what a reference says that they are; nothing is copied."""
    array = np.frombuffer(data, parameter.dtype).reshape(parameter.shape)
    return array[..., parameter.start : parameter.stop]


def _check_use(use: _Use) -> None:
    for name, array in use.arrays.items():
        if array.dtype == np.float64 and name != "codes":
            # A sum finds NaN and infinities without another array of the same size.
            with np.errstate(all="ignore"):
                finite = np.isfinite(array.sum()) or np.isfinite(array).all()
            use.check(name, finite, "finite numbers", "NaN or infinity")
    check = _CHECKS.get(use.step.operator)
    if check:
        check(use)


def _check_ngrams(use: _Use) -> None:
    use.check_table("table", use.step.settings["size"])


def _check_tokenize(use: _Use) -> None:
    if "stop_words" in use.arrays:
        use.check_table("stop_words", MAX_ENTRIES)


def _check_lookup(use: _Use, categories: int) -> None:
    """Check that all categories, and the missing one, have an index below `categories`."""
    if "table" in use.arrays:
        use.check_table("table", categories)
    if "values" in use.arrays:
        values = use.arrays["values"]
        use.check("values", np.all(values[1:] > values[:-1]), "numbers that ascend")
        use.check("values", len(values) <= categories, f"at most {categories} numbers", len(values))
    missing = use.step.settings["missing"]
    if missing is not None and missing >= categories:
        use.problems.say(f"{use.place}.settings.missing", f"null or an integer below {categories}", str(missing))


def _check_one_hot(use: _Use) -> None:
    columns = use.arrays.get("columns")
    _check_lookup(use, use.step.settings["size"] if columns is None else len(columns))
    use.check_range("columns", -1, use.step.settings["size"])


def _check_ordinal(use: _Use) -> None:
    codes = use.arrays.get("codes")
    _check_lookup(use, MAX_ENTRIES if codes is None else len(codes))
    if codes is not None:
        use.check("codes", not np.isinf(codes).any(), "finite numbers or NaN", "infinity")


def _check_select(use: _Use) -> None:
    use.check_range("indices", 0, use.size)


def _check_impute(use: _Use) -> None:
    use.check_range("indicated", 0, use.size)


def _check_divisor(use: _Use) -> None:
    if "divisor" in use.arrays:
        use.check("divisor", np.all(use.arrays["divisor"] != 0), "numbers other than zero")


def _check_trees(use: _Use) -> None:
    _check_nodes(use)
    use.check_range("targets", 0, use.step.settings["size"])


def _check_tree_features(use: _Use) -> None:
    _check_nodes(use)
    nodes, columns = use.arrays["nodes"], use.arrays["columns"]
    use.check_range("columns", -1, use.step.settings["size"])
    leaves = nodes[:, 3] == np.arange(len(nodes))
    use.check("columns", np.all(columns[leaves] >= 0), "a place for each leaf")


def _check_nodes(use: _Use) -> None:
    """Check that comparisons are with features that are there, and that ways through each tree stay in it and end."""
    nodes, roots, depths = use.arrays["nodes"], use.arrays["roots"], use.arrays["depths"]
    thresholds, left = nodes.view("<f8").reshape(-1, 2)[:, 0], nodes[:, 3]
    features = nodes.view("<u4")[:, 2] & np.uint32(MISSING_RIGHT - 1)
    index = np.arange(len(nodes))
    use.check("nodes", not np.isnan(thresholds).any(), "thresholds that are numbers", "NaN")
    use.check("nodes", int(features.max()) < use.size, f"features below {use.size}", int(features.max()))
    if roots[0] != 0 or np.any(roots[1:] <= roots[:-1]) or roots[-1] >= len(nodes):
        use.check("roots", False, f"integers that ascend from 0 and are below {len(nodes)}")
        return
    leaf = left == index
    end = np.repeat(np.append(roots[1:], len(nodes)), np.diff(roots, append=len(nodes)))
    inside = leaf | ((left > index) & (left < end - 1))
    if not inside.all():
        node = int(np.flatnonzero(~inside)[0])
        use.check("nodes", False, "children behind their parent in the same tree", f"{left[node]} at node {node}")
        return
    stays = np.isposinf(thresholds) & (nodes[:, 2] >= 0)
    use.check("nodes", stays[leaf].all(), "the threshold infinity in each leaf, where missing numbers go left too")
    children = left[~leaf]
    parents = np.bincount(np.concatenate([children, children + 1]), minlength=len(nodes))
    parents[roots] += 1
    if np.any(parents != 1):
        use.check("nodes", False, "one parent of each node that is no root", "none or several")
        return
    _check_depths(use, left, leaf, roots, depths)


def _check_depths(use: _Use, left: Array, leaf: Array, roots: Array, depths: Array) -> None:
    if int(depths.min()) < 0 or int(depths.max()) > MAX_DEPTH:
        use.check("depths", False, f"integers from 0 to {MAX_DEPTH}")
        return
    found = np.zeros(len(roots), np.int64)
    level, trees, depth = roots.astype(np.int64), np.arange(len(roots)), 0
    while len(level) and depth <= MAX_DEPTH:
        inner = ~leaf[level]
        level, trees = left[level[inner]], trees[inner]
        depth += 1
        found[trees] = depth
        level, trees = np.concatenate([level, level + 1]), np.concatenate([trees, trees])
    wrong = np.flatnonzero(found != depths)
    if len(wrong):
        tree = int(wrong[0])
        use.check("depths", False, f"{found[tree]} comparisons in tree {tree}", depths[tree])


_CHECKS: Final[dict[str, Callable[[_Use], None]]] = {
    "char_ngrams": _check_ngrams,
    "word_ngrams": _check_ngrams,
    "tokenize": _check_tokenize,
    "one_hot": _check_one_hot,
    "ordinal": _check_ordinal,
    "select": _check_select,
    "impute": _check_impute,
    "affine": _check_divisor,
    "pca": _check_divisor,
    "trees": _check_trees,
    "tree_features": _check_tree_features,
}
