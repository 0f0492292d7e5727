"""All that people write: whatever it is, it is read, or refused with nothing but the exception of its own form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bundle.examples import TASK_TOML
from tests.schema.values import any_values
from walle.bundle.taskfile import check_task
from walle.container.profile import ProfileMalformed, read_profile
from walle.release.limits import Limits, LimitsMalformed
from walle.release.strategy import Strategy, StrategyMalformed
from walle.release.windows import Window, WindowMalformed
from walle.schema import Malformed, read_toml

WINDOW = {"zone": "UTC", "from": "01:00", "to": "05:00", "days": [0, 4]}
STAGES = [
    {"kind": "beta", "list": "testers"},
    {"kind": "gray", "percent": 5, "pace": 9},
    {"kind": "gray", "percent": 100},
]
FORMS: dict[str, tuple[Callable[[Any], object], type[Malformed], dict[str, Any]]] = {
    "limits": (Limits.from_dict, LimitsMalformed, Limits().to_dict()),
    "window": (Window.from_dict, WindowMalformed, WINDOW),
    "strategy": (
        Strategy.from_dict,
        StrategyMalformed,
        {"simulation": True, "control_percent": 5, "metric": "score", "stages": STAGES, "window": WINDOW, "limits": {}},
    ),
    "profile": (
        read_profile,
        ProfileMalformed,
        {
            **{"sdk": "1.0.0", "python": "3.11", "modules": {"numpy": "2"}, "without": ["csv"], "memory_mb": 64},
            **{"operators": {"math": ["sqrt"]}, "os": {"android": ["14"], "ios": {"17": {"modules": []}}}},
        },
    ),
}


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, part in parts for below in paths(part, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("form", FORMS)
@given(st.data())
def test_nothing_but_the_forms_own_exception_comes_of_any_value(form: str, data: st.DataObject) -> None:
    read, malformed, sound = FORMS[form]
    assert read(sound)
    value = replaced(sound, data.draw(st.sampled_from(paths(sound))), data.draw(any_values))
    refused = refusal(read, value)
    assert refused is None or type(refused) is malformed
    for problem in refused.problems if refused else ():
        assert problem.field.split(".")[0] == form
        assert "\n" not in problem.text
        assert len(problem.text) < 1000


def refusal(read: Callable[[Any], object], value: Any) -> Malformed | None:
    try:
        read(value)
    except Malformed as refused:
        return refused
    return None


SOUND_TASK = read_toml(TASK_TOML.encode())


@given(st.sampled_from(paths(SOUND_TASK)), any_values)
def test_no_value_makes_the_check_of_a_task_raise(path: tuple[Any, ...], value: Any) -> None:
    assert all(problem.file == "task.toml" for problem in check_task(replaced(SOUND_TASK, path, value)).problems)


# Each can be wrong without a word about another; math.inf is no sound value of any field.
ALONE = {
    "strategy": [
        *(("simulation",), ("control_percent",), ("metric",), ("stages", 0, "list"), ("stages", 1, "pace")),
        *(("window", "zone"), ("window", "from"), ("window", "to"), ("window", "days", 1), ("stages", 2, "percent")),
    ],
    "limits": [(name,) for name in Limits().to_dict()],
    "window": [("zone",), ("from",), ("to",), ("days", 0), ("days", 1)],
    "profile": [
        *(("sdk",), ("python",), ("memory_mb",), ("modules", "numpy"), ("without", 0), ("operators", "math", 0)),
        *(("os", "android", 0), ("os", "ios", "17", "modules")),
    ],
}


@pytest.mark.parametrize("form", FORMS)
@given(st.data())
def test_so_many_wrong_fields_so_many_problems(form: str, data: st.DataObject) -> None:
    read, malformed, value = FORMS[form]
    wrong = data.draw(st.lists(st.sampled_from(ALONE[form]), min_size=1, unique=True))
    for path in wrong:
        value = replaced(value, path, math.inf)
    with pytest.raises(malformed) as refused:
        read(value)
    expected = [form + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path) for path in wrong]
    assert sorted(problem.field for problem in refused.value.problems) == sorted(expected)


def test_so_many_mistakes_in_a_task_so_many_problems() -> None:
    mistakes = {
        **{("task", "entry_point"): 1, ("limits", "time_ms"): 0, ("requires", "app"): "~1", ("metrics",): 5},
        **{("inputs", "hint", "min"): "a", ("samples", 0, "name"): 4, ("files", "exclude", 1): "/train"},
    }
    value = SOUND_TASK
    for path, bad in mistakes.items():
        value = replaced(value, path, bad)
    fields = sorted(problem.field for problem in check_task(value).problems)
    assert fields == [
        *("files.exclude[1]", "inputs.hint.min", "limits.time_ms", "metrics", "requires.app"),
        *("samples[0].name", "task.entry_point"),
    ]
