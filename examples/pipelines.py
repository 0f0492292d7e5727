"""What the examples of pipelines have in common: the command that exports a trained model."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def export_task(model: Any, task: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write a trained model into the folder of a task, as its owner does: `walle pipeline export`.

    The records become samples and statistics.
    """
    import joblib

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        joblib.dump(model, folder / "model.joblib")
        lines = (json.dumps(record) for record in records)
        (folder / "records.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        arguments = ["export", str(folder / "model.joblib"), str(task), "--records", str(folder / "records.jsonl")]
        subprocess.run([sys.executable, "-m", "walle.cli", "pipeline", *arguments], check=True)
