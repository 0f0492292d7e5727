"""The two halves of a placed workflow: operators that run on the device, and those that go on in the cloud.

A half is a folder with the code of its operators and a document, `walle_half.json`, which `walle workflow apply` wrote:
what to run in which order, and what crosses the cut between the halves (docs/task-format.md, "Workflows").
"""

from __future__ import annotations

import base64
import importlib
import itertools
import json
import math
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

DOCUMENT: Final = "walle_half.json"
RECORDS: Final = "records"
"""What a workflow puts out: the records of its sink."""
CROSSING: Final = "crossing"
"""What a device half puts out if the sink is in the cloud: by source or operator, the records that go on there."""
MOST_JOINED: Final = 1 << 16
"""The most records that a join makes of one item: what strangers upload must not take all memory."""
Records = tuple[Any, ...]
Apply = Callable[[Sequence[Records]], list[Records]]
"""What an operator makes of the records of some items: as many tuples as it was given."""


def device_half(main: str) -> Callable[[Mapping[str, Any], Any], dict[str, Any]]:
    """Return the entry point of the half in the folder of the file `main`."""
    half = WorkflowHalf(Path(main).parent)

    def run(inputs: Mapping[str, Any], context: Any) -> dict[str, Any]:
        made = half.run({name: [(half.source(name, inputs[name]),)] for name in half.inputs})
        if half.sink is not None:
            return {RECORDS: list(made[half.sink][0])}
        return {CROSSING: {name: encoded(made[name][0]) for name in half.crossing}}

    return run


def cloud_half(main: str) -> Callable[[Sequence[Mapping[str, Any]]], list[dict[str, Any] | None]]:
    """Return the function that answers what device halves upload; None to what none of them would."""
    half = WorkflowHalf(Path(main).parent)

    def answer(features: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | None]:
        found = [half.arrived(feature) for feature in features]
        sound = [each for each in found if each is not None]
        made = half.run({name: [each[name] for each in sound] for name in half.crossing})
        answers: Iterator[Records] = iter(made[str(half.sink)])
        return [None if each is None else {RECORDS: list(next(answers))} for each in found]

    return answer


class WorkflowHalf:
    """The operators of one half, whose code is loaded in the first run.

    `inputs` are the sources that it is given, `crossing` are the sources and operators whose records cross the cut;
    `sink` is None in a half without it.
    """

    def __init__(self, folder: Path) -> None:
        document = json.loads((folder / DOCUMENT).read_text("utf-8"))
        self.inputs: list[str] = document["inputs"]
        self.crossing: list[str] = document["crossing"]
        self.sink: str | None = document["sink"]
        self._tensors: dict[str, str] = document["tensors"]
        self._steps: list[dict[str, Any]] = document["steps"]
        self._folder = str(folder)
        self._applies: list[Apply] | None = None

    def run(self, given: Mapping[str, list[Records]]) -> dict[str, list[Records]]:
        """Return the records of each item by source and operator; `given` has those that come from elsewhere."""
        made = dict(given)
        if self._applies is None:
            self._applies = [_loaded(step, self._folder) for step in self._steps]
        for step, apply in zip(self._steps, self._applies, strict=True):
            brought = [made[name] for name in step["inputs"]]
            items = brought[0] if len(brought) == 1 else [_joined(parts) for parts in zip(*brought, strict=True)]
            made[step["operator"]] = apply(items)
        return made

    def arrived(self, feature: Mapping[str, Any]) -> dict[str, Records] | None:
        """Return what a device uploaded; None if no device half would upload it: it comes from strangers."""
        crossing = feature.get(CROSSING)
        if not isinstance(crossing, dict) or sorted(crossing) != sorted(self.crossing):
            return None
        try:
            return {name: _records(name, decoded(crossing[name])) for name in self.crossing}
        except (ValueError, TypeError, LookupError, RecursionError):
            return None

    def source(self, name: str, value: Any) -> Any:
        """Return an input as its operators get it: a tensor as an array."""
        if name not in self._tensors:
            return value
        import numpy as np

        return np.asarray(value, self._tensors[name])


def _records(name: str, value: Any) -> Records:
    if not isinstance(value, tuple):
        raise ValueError(f"expected the records of {name}, found a {type(value).__name__}")
    return value


def _joined(parts: Sequence[Records]) -> Records:
    """Join as the processor does: each record of an input with each of the others, in the order of the inputs.

    Raises ValueError for more than MOST_JOINED.
    """
    if (count := math.prod(map(len, parts))) > MOST_JOINED:
        raise ValueError(f"expected inputs that join to at most {MOST_JOINED} records, found {count}")
    return tuple(itertools.product(*parts))


def _loaded(step: Mapping[str, Any], folder: str) -> Apply:
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return _KINDS[step["kind"]](step)


def _function(reference: str) -> Callable[..., Any]:
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]


def _model(step: Mapping[str, Any]) -> Apply:
    predict = _function(step["entry"])(step["model"])

    def apply(items: Sequence[Records]) -> list[Records]:
        records = [record for item in items for record in item]
        outputs = list(predict(records)) if records else []
        if len(outputs) != len(records):
            raise ValueError(f"{step['operator']}: expected {len(records)} outputs, found {len(outputs)}")
        following = iter(outputs)
        return [tuple(itertools.islice(following, len(item))) for item in items]

    return apply


def _map(step: Mapping[str, Any]) -> Apply:
    function = _function(step["entry"])
    return lambda items: [tuple(made for record in item for made in function(record)) for item in items]


def _filter(step: Mapping[str, Any]) -> Apply:
    stays = _function(step["entry"])
    return lambda items: [tuple(record for record in item if stays(record)) for item in items]


def _group_by(step: Mapping[str, Any]) -> Apply:
    key, aggregate = _function(step["key"]), _function(step["entry"])

    def grouped(item: Records) -> Records:
        groups: dict[Hashable, list[Any]] = {}
        for record in item:
            groups.setdefault(key(record), []).append(record)
        return tuple(aggregate(each, members) for each, members in groups.items())

    return lambda items: [grouped(item) for item in items]


_KINDS: Final[Mapping[str, Callable[[Mapping[str, Any]], Apply]]] = {
    "model": _model,
    "map": _map,
    "filter": _filter,
    "join": lambda step: list,
    "group-by": _group_by,
}


def encoded(value: Any) -> Any:
    """Return a record as JSON data that `decoded` makes the same record of.

    Texts, finite numbers, truth values and None stay; lists, tuples, dicts with text keys, bytes, numpy's arrays and
    scalars are lists that begin with a mark. Raises TypeError for anything else: of a class of its own a record would
    come apart in the cloud.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (list, tuple):
        return ["l" if kind is list else "t", *map(encoded, value)]
    if kind is dict and all(type(key) is str for key in value):
        return ["d", *([key, encoded(each)] for key, each in value.items())]
    if kind is bytes:
        return ["b", base64.b64encode(value).decode()]
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is not None and shape is not None and dtype.kind in "biufSU":
        return ["a", dtype.str, list(shape), base64.b64encode(value.tobytes()).decode()]
    raise TypeError(f"expected a record of plain values and arrays to cross to the cloud, found a {kind.__name__}")


def decoded(value: Any) -> Any:
    """Return the record that was encoded. Raises ValueError, TypeError or LookupError for what never was."""
    if not isinstance(value, list):
        if isinstance(value, dict):
            raise ValueError("expected an encoded record, found an object")
        return value
    mark, *rest = value
    if mark == "l":
        return [decoded(each) for each in rest]
    if mark == "t":
        return tuple(decoded(each) for each in rest)
    if mark == "d":
        return {str(key): decoded(each) for key, each in rest}
    if mark == "b":
        return base64.b64decode(rest[0], validate=True)
    if mark == "a":
        return _array(*rest)
    raise ValueError(f"expected one of the marks l, t, d, b, a, found {mark!r:.20}")


def _array(dtype: str, shape: list[int], content: str) -> Any:
    """Return an array, which can be written to; a numpy scalar where the shape is empty."""
    import numpy as np

    if np.dtype(dtype).kind not in "biufSU":
        raise ValueError("expected a dtype of numbers or texts")
    array = np.frombuffer(bytearray(base64.b64decode(content, validate=True)), dtype).reshape(shape)
    return array if array.ndim else array[()]
