"""What a task.toml says of the tunnel: [upload], which outputs go up, and [cloud], what answers them there.

The manifest has the upload alone, in milliseconds; the cloud half stays in the cloud (docs/task-format.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from walle.container.cloud_half import CloudHalf
from walle.protocol.kinds import DEVICE
from walle.protocol.names import (
    RUNTIMES_BEFORE_UPLOADS,
    UPLOAD_RUNTIME,
    SemVer,
    VersionRange,
    check_bundle_path,
    is_valid,
)
from walle.schema import Fields, Items, Number, Problems, Text
from walle.schema.values import shown

CLOUD_FOLDER: Final = "cloud/"
_MAIN: Final = re.compile(r"cloud(?:/[A-Za-z_]\w{0,63}){1,8}\.py", re.ASCII)
_MODULE: Final = re.compile(r"[A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}){0,7}", re.ASCII)
_OUTPUT: Final = Text("the name of an output", str.isidentifier)

UPLOAD: Final = Fields(
    {
        "outputs": Items(_OUTPUT, "a list of at least one output", 1, unique=True),
        "when": _OUTPUT,
        "answer_s": Number(0.1, 300),
    }
)
CLOUD: Final = Fields(
    {
        "main": Text(
            "a Python file below cloud/, such as cloud/recommend.py",
            lambda text: _MAIN.fullmatch(text) and is_valid(check_bundle_path, text),
        ),
        "modules": Items(Text("a module's name", _MODULE.fullmatch), "a list of modules", 0, 100, unique=True),
        "time_ms": Number(1, 10_000, integer=True),
        "memory_mb": Number(1, 4096, integer=True),
    },
    ("main",),
)


def check_tunnel(data: Mapping[str, Any], problems: Problems) -> None:
    """Report what [upload] and [cloud] of a task.toml contradict, in each other and in the rest of it."""
    upload = data.get("upload")
    if isinstance(upload, dict):
        _check_outputs(upload, data.get("outputs", {}), problems)
        _check_uploader(data, problems)
    if "cloud" in data and not (isinstance(upload, dict) and "answer_s" in upload):
        found = "it without" if upload is None else "upload without answer_s"
        problems.say("cloud", "to stand with upload.answer_s, for the devices that await its answers", found)


def _check_outputs(upload: Mapping[str, Any], outputs: object, problems: Problems) -> None:
    """Report outputs that are not declared, and a `when` that is not declared to be true or false."""
    if not isinstance(outputs, dict) or problems.touches("outputs"):
        return
    if not outputs:
        problems.say("upload", "to stand in a task with outputs", "it in one without")
    declared = ", ".join(outputs) or "none"
    for at, name in enumerate(upload["outputs"] if isinstance(upload.get("outputs"), list) else ()):
        field = f"upload.outputs[{at}]"
        if not problems.touches(field) and name not in outputs:
            problems.say(field, f"a declared output ({declared})", shown(name))
    when = upload.get("when")
    if when is None or problems.touches("upload.when"):
        return
    if when not in outputs:
        problems.say("upload.when", f"a declared output ({declared})", shown(when))
    elif outputs[when]["type"] != "boolean":
        problems.say("upload.when", "an output of the type boolean", shown(outputs[when]["type"]))


def _check_uploader(data: Mapping[str, Any], problems: Problems) -> None:
    """Report an upload of a task whose outputs must not leave the device, or that no device runs."""
    stream, task = data.get("stream"), data.get("task")
    if isinstance(stream, dict) and stream.get("private") is True:
        problems.say("upload", "to stand in a task that is not private: nothing of it leaves the device", "it")
    kind = task.get("kind", DEVICE) if isinstance(task, dict) else DEVICE
    if kind != DEVICE:
        problems.say("upload", f"to stand in a task of the kind {DEVICE}", f"it in one of {shown(kind)}")


def upload_of(table: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says of the upload, from a valid [upload] and the declared outputs, all of which are its
    default.
    """
    when = {"when": table["when"]} if "when" in table else {}
    answer = {"answer_ms": round(table["answer_s"] * 1000)} if "answer_s" in table else {}
    return {"outputs": table.get("outputs", list(outputs)), **when, **answer}


def cloud_files(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of a task with [cloud] that are files of its cloud half, sorted."""
    return tuple(sorted(path for path in paths if path.startswith(CLOUD_FOLDER)))


def cloud_of(table: Mapping[str, Any]) -> CloudHalf | None:
    """The cloud half that a valid [cloud] describes; None without its `main`."""
    if "main" not in table:
        return None
    return CloudHalf.from_dict({"modules": [], **table})


def upload_warnings(upload: Mapping[str, Any], requires: Mapping[str, Any]) -> list[str]:
    """Return in whole sentences what is hardly meant in the valid `upload` and `requires` of a task or a manifest."""
    wanted = requires.get("runtime")
    known = VersionRange.parse(wanted) if wanted is not None else None
    without = [each for each in RUNTIMES_BEFORE_UPLOADS if known is None or known.allows(SemVer.parse(each))]
    if not upload or not without:
        return []
    return [
        f"Devices with runtime {' or '.join(without)} run the task and upload nothing, for they know no tunnel:"
        f' leave them out with requires.runtime = ">={UPLOAD_RUNTIME}".'
    ]
