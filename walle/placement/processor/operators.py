"""The operators of a workflow as functions of batches of items. Every item is a tuple of records."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from walle.placement.processor.specs import HostedSpec, OperatorCode
from walle.placement.processor.windows import grouped

Records = tuple[Any, ...]
Apply = Callable[[Sequence[Records]], list[Records]]
"""What an operator makes of the records of some items: as many tuples as it was given."""


class CodeUnusable(Exception):
    """The code of an operator cannot be loaded, or does not do what its kind promises."""


def load_function(code: OperatorCode, reference: str) -> Callable[..., Any]:
    """Return a function of the code's folder, or of an installed module. Raises CodeUnusable if there is none."""
    module, _, name = reference.partition(":")
    if code.folder not in sys.path:
        sys.path.insert(0, code.folder)
    try:
        loaded = importlib.import_module(module)
        found = getattr(loaded, name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise CodeUnusable(f"expected a function {reference} below {code.folder}: {error}") from error
    beside = Path(code.folder, f"{module.partition('.')[0]}.py")
    if beside.is_file() and beside.resolve() != Path(loaded.__file__ or "").resolve():
        raise CodeUnusable(f"expected {module} of {code.folder}, found one of {loaded.__file__} loaded before it")
    if not callable(found):
        raise CodeUnusable(f"expected {reference} to be a function, found {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def applying(
    spec: HostedSpec,
    *,
    sleep: Callable[[float], object] = time.sleep,
    computed: Callable[[], float] = time.thread_time,
) -> Apply:
    """Return the function of an operator, its model loaded. Raises CodeUnusable.

    `computed` tells for how many seconds this thread has had a processor: what a slower worker would take longer for.
    """
    if spec.code is None:
        return _stand_in(spec.latency_ms / 1e3, sleep)
    made = _KINDS[spec.kind](spec, spec.code)
    return made if spec.slowdown <= 1 else _slowed(made, spec.slowdown, sleep, computed)


def _stand_in(seconds: float, sleep: Callable[[float], object]) -> Apply:
    def apply(items: Sequence[Records]) -> list[Records]:
        sleep(seconds * sum(map(len, items)))
        return list(items)

    return apply


def _slowed(apply: Apply, slowdown: float, sleep: Callable[[float], object], computed: Callable[[], float]) -> Apply:
    def slowed(items: Sequence[Records]) -> list[Records]:
        began = computed()
        made = apply(items)
        sleep((computed() - began) * (slowdown - 1))
        return made

    return slowed


def _model(spec: HostedSpec, code: OperatorCode) -> Apply:
    predict = load_function(code, code.entry)(spec.model)

    def apply(items: Sequence[Records]) -> list[Records]:
        records = [record for item in items for record in item]
        outputs = list(predict(records)) if records else []
        if len(outputs) != len(records):
            raise CodeUnusable(
                f"{spec.operator}: expected {len(records)} outputs of model {spec.model}, found {len(outputs)}"
            )
        return list(_cut(outputs, items))

    return apply


def _cut(outputs: list[Any], items: Sequence[Records]) -> Iterator[Records]:
    done = 0
    for item in items:
        yield tuple(outputs[done : done + len(item)])
        done += len(item)


def _map(spec: HostedSpec, code: OperatorCode) -> Apply:
    function = load_function(code, code.entry)
    return lambda items: [tuple(made for record in item for made in function(record)) for item in items]


def _filter(spec: HostedSpec, code: OperatorCode) -> Apply:
    stays = load_function(code, code.entry)
    return lambda items: [tuple(record for record in item if stays(record)) for item in items]


def _join(spec: HostedSpec, code: OperatorCode) -> Apply:
    return list


def _group_by(spec: HostedSpec, code: OperatorCode) -> Apply:
    key, aggregate = load_function(code, code.key), load_function(code, code.entry)
    return lambda items: [grouped(item, key, aggregate) for item in items]


_KINDS: Final[Mapping[str, Callable[[HostedSpec, OperatorCode], Apply]]] = {
    "model": _model,
    "map": _map,
    "filter": _filter,
    "join": _join,
    "group-by": _group_by,
}
