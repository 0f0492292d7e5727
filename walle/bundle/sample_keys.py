"""The samples of task.toml ([[samples]]): what a task is tried on, and what is expected of its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.bundle.spec import Sample, TaskSpec
from walle.bundle.stream_keys import FROM_EVENTS
from walle.bundle.value_keys import NAMES, PATH
from walle.container.samples import MAX_FIRINGS
from walle.protocol.values import check_value
from walle.schema import AnyJson, ByType, Fields, Items, Named, Number, Problems, Text
from walle.schema.values import shown

_EXPECTATIONS: Final = ("equals", "approx", "one_of", "contains")


@dataclass(frozen=True)
class _Expectation:
    """Exactly one of the ways to expect an output; `tolerance` belongs to `approx`."""

    expected: str = f"exactly one of {', '.join(_EXPECTATIONS)}"

    def check(self, value: object, field: str, problems: Problems) -> None:
        _EXPECTATION_FIELDS.check(value, field, problems)
        if not isinstance(value, dict):
            return
        ways = [key for key in _EXPECTATIONS if key in value]
        if len(ways) != 1:
            problems.say(field, self.expected, " and ".join(ways) or "none")
        elif "tolerance" in value and ways != ["approx"]:
            problems.say(f"{field}.tolerance", "to stand with approx", f"it beside {ways[0]}")


_EXPECTATION_FIELDS = Fields(
    {
        "equals": AnyJson(),
        "approx": AnyJson(),
        "one_of": Items(AnyJson(), "a list of at least one value", 1),
        "contains": AnyJson(),
        "tolerance": Number(low=0),
    }
)
_SAMPLE = Fields(
    {
        "name": Text("a name of 1 to 100 characters", lambda text: 0 < len(text) <= 100),
        "input": ByType({str: PATH, dict: AnyJson()}, "the path of a JSON file, or a table of inputs"),
        "session": Text("the path of a recorded session, such as samples/view.jsonl", PATH.valid),
        "fires": Number(1, MAX_FIRINGS, integer=True),
        "expect": Named(NAMES, _Expectation()),
    },
    ("name",),
)
SAMPLES = Items(_SAMPLE, "a list of samples ([[samples]])", 0, 200)


def check_samples(spec: TaskSpec, problems: Problems) -> None:
    """Report samples that the task cannot be tried on."""
    declared = f"a declared output ({', '.join(spec.outputs) or 'none'})"
    for sample in spec.samples:
        _check_source(sample, spec, problems)
        for name, expectation in sample.expect.items():
            field = f"{sample.where}.expect.{name}"
            if name in spec.outputs:
                _check_expectation(spec.outputs[name], expectation, field, problems)
            elif not problems.touches("outputs"):
                problems.say(field, declared, shown(name))
    names = [sample.name for sample in spec.samples]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.say("samples", "samples of different names", f"{names.count(name)} called {shown(name)}")


def _check_source(sample: Sample, spec: TaskSpec, problems: Problems) -> None:
    """Report a sample without inputs, or with more than it can use."""
    given = [name for name in ("input", "session") if getattr(sample, name) is not None]
    if len(given) != 1:
        problems.say(sample.where, "exactly one of input, session", " and ".join(given) or "none")
    elif sample.fires is not None and given != ["session"]:
        problems.say(f"{sample.where}.fires", "to stand with session", "it beside input")
    elif sample.session is not None and not problems.touches("trigger"):
        _check_session(f"{sample.where}.session", spec, problems)


def _check_session(field: str, spec: TaskSpec, problems: Problems) -> None:
    """Report a session in a task that no events trigger, or that needs inputs from elsewhere."""
    if "on" not in spec.trigger:
        problems.say(field, "to stand in a task with trigger.on", "it in one without")
    elif not problems.touches("stream.reads"):
        given = [*FROM_EVENTS, *spec.stream["reads"]]
        if others := [name for name in spec.inputs if name not in given]:
            problems.say(field, f"only inputs that a session gives ({', '.join(given)})", ", ".join(others))


def _check_expectation(
    declaration: Mapping[str, Any], expectation: Mapping[str, Any], field: str, problems: Problems
) -> None:
    """Report expected values that the declared output can never have."""
    candidates = [(f"{field}.equals", expectation["equals"])] if "equals" in expectation else []
    for index, value in enumerate(expectation.get("one_of", [])):
        candidates.append((f"{field}.one_of[{index}]", value))
    for where, value in candidates:
        for mismatch in check_value(declaration, value, where):
            problems.say(mismatch.field, mismatch.expected, mismatch.found)
