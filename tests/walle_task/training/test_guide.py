"""The example of docs/guides/training.md does what the guide says."""

from __future__ import annotations

import re

from walle_task.tensor.session import Session
from walleweb.config import BASE_DIR


def test_the_example_learns_what_its_events_tell():
    blocks = re.findall(r"```python\n(.*?)```", (BASE_DIR / "docs/guides/training.md").read_text(), re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, "training.md", "exec"), names)
    assert len(blocks) == 2
    session = Session(names["personal"], {"x": (32, 16), "clicked": (32,)})
    score = session.run({"x": names["views"], "clicked": names["views"][:, 0]})["score"]
    assert ((score > 0) == (names["views"][:, 0] > 0)).mean() > 0.9
    assert not names["shipped"].constants["head/weights"].any()
