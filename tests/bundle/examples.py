"""A small valid task to start from; tests change one thing at a time."""

from __future__ import annotations

import json

TASK_TOML = """
[task]
description = "Handwritten digit from an 8x8 image"
entry_point = "main:run"

[inputs.image]
type = "tensor"
dtype = "float32"
shape = [2, -1]
[inputs.hint]
type = "integer"
min = 0
max = 9

[outputs.label]
type = "integer"
min = 0
max = 9
[outputs.words]
type = "text"

[[samples]]
name = "a seven"
input = "samples/seven.json"
[samples.expect]
label = { equals = 7 }
words = { contains = "seven" }

[[samples]]
name = "in place"
input = { image = [[0.0], [1.0]], hint = 3 }
[samples.expect]
label = { one_of = [1, 2] }

[metrics.confidence]
unit = "probability"
description = "of the label"

[trigger]
every_s = 5

[limits]
time_ms = 1000

[requires]
app = ">=1.2.0"
runtime = ">=1.0.0"
python = ">=3.11"
modules = ["numpy"]
[requires.os]
android = ">=10"

[files]
exclude = ["README.md", "train/**"]
[[files.exclusive]]
path = "prefs.json"
template = "{age_band}-{region}"
default = "defaults/prefs.json"
"""

MAIN = """
import json
import numpy as np
from helper import scale
try:
    import torch
except ImportError:
    torch = None

def run(inputs, context):
    return {"label": 7, "words": "seven"}
"""

FILES: dict[str, bytes] = {
    "task.toml": TASK_TOML.encode(),
    "main.py": MAIN.encode(),
    "helper.py": b"def scale(x):\n    return x\n",
    "samples/seven.json": json.dumps({"image": [[0.5, 1], [1, 0]], "hint": 7}).encode(),
    "defaults/prefs.json": b"{}",
    "README.md": b"# Digits\n",
    "train/fit.py": b"import sklearn\nprint 'python 2'\n",
}


def files(changes: dict[str, bytes | str | None] | None = None, toml: tuple[str, str] | None = None):
    """The example's files with some replaced, added or (None) taken away, and one replacement in task.toml."""
    found = dict(FILES)
    for path, content in (changes or {}).items():
        if content is None:
            del found[path]
        else:
            found[path] = content.encode() if isinstance(content, str) else content
    if toml:
        old, new = toml
        assert old in TASK_TOML
        found["task.toml"] = TASK_TOML.replace(old, new, 1).encode()
    return found
