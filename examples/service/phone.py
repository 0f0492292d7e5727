"""What both apps have in common: the command line, the data for tasks, and telling what happens."""

import argparse
import json
import os
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

from walle.device.notices import Notice
from walle.device.tunnel.answers import FeatureAnswer
from walle.protocol.documents import Manifest

RECORDED = Path(__file__).parents[1] / "image" / "inputs.jsonl"
IMAGES = cycle(json.loads(line)["inputs"] for line in RECORDED.read_text().splitlines())


def inputs(task: str, manifest: Manifest) -> Mapping[str, Any] | None:
    """The data of a task's next run: what the camera sees. None: there is nothing to run on now."""
    return next(IMAGES) if task == "camera/digits" else None


def tell(notice: Notice) -> None:
    """Called in Walle's thread."""
    print(notice.name, notice.text, flush=True)


def tell_answer(task: str, _values: Mapping[str, Any], answer: FeatureAnswer) -> None:
    """Called in Walle's thread with what the cloud says of a feature that a task sent up."""
    print("answer", task, json.dumps(answer.values) if answer.values is not None else answer.reason, flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A shop's app with Walle inside.")
    parser.add_argument("--service", required=True, help="the shop's own service")
    parser.add_argument("--walle", required=True, help="Walle's server: enrolment, files, reports")
    parser.add_argument("--root", type=Path, required=True, help="the root of trust that ships in the app")
    parser.add_argument("--folder", type=Path, required=True, help="where Walle keeps its state")
    parser.add_argument("--interval", type=float, default=60.0, help="seconds between check-ins")
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between the app's requests")
    parser.add_argument("--app-key", default=os.environ.get("WALLE_APP_KEY"))
    return parser.parse_args()
