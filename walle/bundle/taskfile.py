"""task.toml: its schema and how it is read (docs/task-format.md).

Order of the checks: the text is TOML; every table has the keys and types of the schema; the rules that span
fields hold (one trigger, minimum below maximum, expectations name outputs). All problems are reported together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.bundle.interpreters import EXPECTED_TAG, TAG
from walle.bundle.model_keys import check_models, models_node, models_of
from walle.bundle.sample_keys import SAMPLES, check_samples
from walle.bundle.serving_keys import SERVING, check_serving, serving_of
from walle.bundle.spec import DEFAULT_IDLE_S, DEFAULT_LIMITS, TASK_FILE, ExclusiveFile, Sample, TaskSpec
from walle.bundle.stream_keys import STREAM, WITHIN, check_stream, stream_of, trigger_of
from walle.bundle.tunnel_keys import CLOUD, UPLOAD, check_tunnel, cloud_of, upload_of
from walle.bundle.value_keys import DESCRIPTION, NAMED_VALUES, NAMES, PATH, ValueDeclaration
from walle.bundle.workflows.task_keys import (
    RECORDS_OUTPUT,
    WORKFLOW_CLOUD,
    WORKFLOW_UPLOAD,
    workflow_cloud,
    workflow_upload,
)
from walle.protocol.kinds import DEVICE, EXPECTED, PIPELINE, WORKFLOW
from walle.protocol.names import SLUG_PATTERN, VersionRange, is_valid
from walle.schema import (
    Fields,
    Items,
    Malformed,
    Named,
    Number,
    Problem,
    Problems,
    Text,
    Value,
    joined,
    read_toml,
)
from walle.schema.values import shown
from walle.stream.conditions import TRIGGER_ID

MAX_TASK_FILE: Final = 256 * 1024

_ENTRY_POINT: Final = re.compile(r"[A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}){0,7}:[A-Za-z_]\w{0,63}", re.ASCII)
_MODULE: Final = re.compile(r"[A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}){0,7}", re.ASCII)
_TEMPLATE: Final = re.compile(r"[A-Za-z0-9._-]*(?:\{[a-z][a-z0-9_]{0,63}\}[A-Za-z0-9._-]*){1,8}")
_GLOB: Final = re.compile(r"[A-Za-z0-9._*?-]+(?:/[A-Za-z0-9._*?-]+)*")

_TRIGGER = Text("an event id, a page id or event:page", TRIGGER_ID.fullmatch)
_RANGE = Text('a version range such as ">=1.2.0,<2"', lambda text: is_valid(VersionRange.parse, text))
_FLAG = Value("true or false", lambda value: isinstance(value, bool))


_EXCLUSIVE = Fields(
    {
        "path": PATH,
        "template": Text('facts in braces, such as "{age_band}"', _TEMPLATE.fullmatch),
        "default": PATH,
    },
    ("path", "template"),
)
_REQUIRES = Fields(
    {
        "app": _RANGE,
        "runtime": _RANGE,
        "python": _RANGE,
        "modules": Items(Text("a module's name", _MODULE.fullmatch), "a list of modules", 0, 100, unique=True),
        "os": Named(Text("a system's name such as android or ios", SLUG_PATTERN.fullmatch), _RANGE),
    }
)
_COLUMN = Text("the name of a column, 1 to 200 characters", lambda text: 0 < len(text) <= 200)
_KIND = Text(EXPECTED, SLUG_PATTERN.fullmatch)
_EXCLUDE = Items(Text("a pattern such as train/**", _GLOB.fullmatch), "a list of patterns", 0, 200)
_FAILURE_RATE = Number(0.0001, 0.4)
_TRIGGER_TABLE = Fields(
    {
        "every_s": Number(low=0.1, high=31_536_000),
        "on": Items(_TRIGGER, "1 to 20 event or page ids", 1, 20),
        "within": WITHIN,
        "background": _FLAG,
    }
)
_LIMITS = Fields(
    {
        "time_ms": Number(1, 600_000, integer=True),
        "memory_mb": Number(1, 65_536, integer=True),
        "output_kb": Number(1, 65_536, integer=True),
        "failure_rate": _FAILURE_RATE,
    }
)
_VM = Fields({"keep": _FLAG, "idle_s": Number(1, 86_400), "held_mb": Number(1, 65_536, integer=True)}, ("keep",))
TASK_SCHEMA: Final = Fields(
    {
        "task": Fields(
            {
                "kind": _KIND,
                "description": DESCRIPTION,
                "entry_point": Text("module:function, such as main:run", _ENTRY_POINT.fullmatch),
            },
            ("entry_point",),
        ),
        "inputs": NAMED_VALUES,
        "outputs": NAMED_VALUES,
        "samples": SAMPLES,
        "metrics": Named(
            NAMES,
            Fields(
                {"unit": Text("text of 1 to 40 characters", lambda t: 0 < len(t) <= 40), "description": DESCRIPTION}
            ),
        ),
        "trigger": _TRIGGER_TABLE,
        "stream": STREAM,
        "upload": UPLOAD,
        "cloud": CLOUD,
        "limits": _LIMITS,
        "vm": _VM,
        "requires": _REQUIRES,
        "models": models_node(NAMES),
        "files": Fields(
            {
                "exclude": _EXCLUDE,
                "exclusive": Items(_EXCLUSIVE, "a list of files ([[files.exclusive]])", 0, 100),
                "source": Value("true or false", lambda value: isinstance(value, bool)),
                "interpreter": Text(EXPECTED_TAG, TAG.fullmatch),
            }
        ),
    },
    ("task", "trigger"),
)
PIPELINE_SCHEMA: Final = Fields(
    {
        "task": Fields({"kind": _KIND, "description": DESCRIPTION}, ("kind",)),
        "inputs": Named(_COLUMN, ValueDeclaration(), "a table of 1 to 4096 columns", 1, 4096),
        "outputs": NAMED_VALUES,
        "serving": SERVING,
        "limits": Fields({"failure_rate": _FAILURE_RATE}),
        "files": Fields({"exclude": _EXCLUDE}),
    },
    ("task", "inputs", "outputs"),
)
"""Of a task of the kind `pipeline`: serving hosts predict with it, and nothing of it is code."""

WORKFLOW_SCHEMA: Final = Fields(
    {
        "task": Fields({"kind": _KIND, "description": DESCRIPTION}, ("kind",)),
        "inputs": NAMED_VALUES,
        "samples": SAMPLES,
        "trigger": _TRIGGER_TABLE,
        "upload": WORKFLOW_UPLOAD,
        "cloud": WORKFLOW_CLOUD,
        "limits": _LIMITS,
        "vm": _VM,
        "requires": _REQUIRES,
    },
    ("task", "inputs", "trigger"),
)
"""Of a task of the kind `workflow`: its entry points and outputs follow from the placement (walle.bundle.workflows)."""


@dataclass(frozen=True)
class TaskFile:
    """The result of reading a task.toml: its problems, and its valid parts.

    `sound` leaves out the parts that have problems, so that a tree can still be checked against the rest. Only if
    there are no problems is it all that the author wrote.
    """

    sound: TaskSpec
    problems: tuple[Problem, ...]


def parse_task(content: bytes) -> TaskFile:
    """Read the bytes of a task.toml; never raises, whatever they are."""
    try:
        return check_task(read_toml(content, TASK_FILE, MAX_TASK_FILE))
    except Malformed as error:
        return TaskFile(TaskSpec(), error.problems)


def check_task(data: Mapping[str, object]) -> TaskFile:
    """Check a task.toml that is already a table; never raises, whatever the table holds."""
    problems = Problems(TASK_FILE)
    if _kind(data) == PIPELINE:
        PIPELINE_SCHEMA.check(data, "", problems)
        check_serving(data, problems)
        return TaskFile(_sound_spec(data, problems), problems.all)
    is_workflow = _kind(data) == WORKFLOW
    (WORKFLOW_SCHEMA if is_workflow else TASK_SCHEMA).check(data, "", problems)
    data = data if isinstance(data, dict) else {}
    spec = _sound_spec(data, problems)
    _check_trigger(data, problems)
    if not is_workflow:
        check_stream(data, problems)
        check_tunnel(data, problems)
    _check_vm(data, spec, problems)
    check_models(spec.models, problems)
    check_samples(spec, problems)
    _check_exclusive(spec, problems)
    _check_interpreter(spec, problems)
    return TaskFile(spec, problems.all)


def _kind(data: Mapping[str, Any]) -> object:
    task = data.get("task") if isinstance(data, dict) else None
    return task.get("kind", DEVICE) if isinstance(task, dict) else DEVICE


def _sound_spec(data: Mapping[str, Any], problems: Problems) -> TaskSpec:
    sound = _Sound(data, problems)
    task, limits, files = sound.table("task"), sound.table("limits"), sound.table("files")
    trigger, is_workflow = trigger_of(sound.table("trigger")), task.get("kind") == WORKFLOW
    return TaskSpec(
        kind=task.get("kind", DEVICE),
        entry_point=task.get("entry_point", ""),
        description=task.get("description", ""),
        inputs=sound.table("inputs"),
        outputs=RECORDS_OUTPUT if is_workflow else sound.table("outputs"),
        metrics=sound.table("metrics"),
        trigger=trigger,
        stream=stream_of(sound.table("stream")) if "on" in trigger else {},
        upload=_upload(data, sound),
        cloud=workflow_cloud(sound.table("cloud")) if is_workflow else cloud_of(sound.table("cloud")),
        serving=serving_of(sound.table("serving")) if task.get("kind") == PIPELINE else {},
        limits={**DEFAULT_LIMITS, **limits},
        vm=_vm(sound.table("vm"), {**DEFAULT_LIMITS, **limits}),
        requires=sound.table("requires"),
        models=models_of(sound.table("models")) if task.get("kind", DEVICE) == DEVICE else {},
        samples=tuple(
            Sample(
                sample["name"],
                sample.get("input"),
                sample.get("expect", {}),
                position,
                session=sample.get("session"),
                fires=sample.get("fires"),
            )
            for position, sample in sound.entries("samples")
        ),
        exclude=tuple(pattern for _, pattern in sound.entries("files", "exclude")),
        exclusive=tuple(
            ExclusiveFile(file["path"], file["template"], file.get("default"))
            for _, file in sound.entries("files", "exclusive")
        ),
        source=files.get("source", True),
        interpreter=files.get("interpreter"),
    )


def _upload(data: Mapping[str, Any], sound: _Sound) -> dict[str, Any]:
    if _kind(data) == WORKFLOW:
        return workflow_upload(sound.table("upload"))
    return upload_of(sound.table("upload"), sound.table("outputs")) if "upload" in data else {}


def _vm(table: dict[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """What a kept task says of its VM, in full; nothing for a task that is not kept."""
    if not table.get("keep"):
        return {}
    return {"idle_s": DEFAULT_IDLE_S, "held_mb": limits["memory_mb"], **table}


class _Sound:
    """Reads only the parts of a table that no problem touches."""

    def __init__(self, data: Mapping[str, Any], problems: Problems) -> None:
        self._data, self._problems = data, problems

    def table(self, name: str) -> dict[str, Any]:
        value = self._data.get(name)
        items = value.items() if isinstance(value, dict) else ()
        return {key: item for key, item in items if not self._problems.touches(joined(name, key))}

    def entries(self, *names: str) -> list[tuple[int, Any]]:
        """Return the valid items of a list, each with its index."""
        value: Any = self._data
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        field = ".".join(names)
        items = value if isinstance(value, list) else []
        return [(at, item) for at, item in enumerate(items) if not self._problems.touches(f"{field}[{at}]")]


def _check_trigger(data: Mapping[str, Any], problems: Problems) -> None:
    trigger = data.get("trigger")
    if isinstance(trigger, dict):
        kinds = [key for key in ("every_s", "on") if key in trigger]
        if len(kinds) != 1:
            problems.say("trigger", "exactly one of every_s, on", " and ".join(kinds) or "none")
        elif "background" in trigger and kinds != ["every_s"]:
            problems.say("trigger.background", "to stand with every_s", "it beside on")


def _check_vm(data: Mapping[str, Any], spec: TaskSpec, problems: Problems) -> None:
    vm = data.get("vm")
    if not isinstance(vm, dict):
        return
    if vm.get("keep") is False:
        for key in ("idle_s", "held_mb"):
            if key in vm:
                problems.say(f"vm.{key}", "to stand with keep = true", "it beside keep = false")
    held, most = spec.vm.get("held_mb"), spec.limits["memory_mb"]
    if held is not None and held > most and not problems.touches("limits.memory_mb"):
        problems.add("vm.held_mb", f"at most limits.memory_mb, {most}", held)


def _check_exclusive(spec: TaskSpec, problems: Problems) -> None:
    paths = [file.path for file in spec.exclusive]
    for path in sorted({path for path in paths if paths.count(path) > 1}):
        problems.say("files.exclusive", "different paths", f"{path} {paths.count(path)} times")


def _check_interpreter(spec: TaskSpec, problems: Problems) -> None:
    if spec.source and spec.interpreter is not None and not problems.touches("files.source"):
        problems.say("files.interpreter", "to stand with source = false", shown(spec.interpreter))
