"""A serving process with the real runtime: its answers are the plan's own, also after a kill or with damaged files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.processes import free_port
from tests.support.waiting import wait_for
from tests.whitebox.pipelines import sentiment
from tests.whitebox.serving.program import prepare
from tests.whitebox.serving.simulator import TOKEN
from tests.whitebox.serving.test_supervisor import ROOT, Supervised
from walle.whitebox.archive import Statistics
from walle.whitebox.compiling import compile_plan
from walle.whitebox.oven import optimise

pytestmark = pytest.mark.processes

PATH = "/predict/v1/shop/reviews/mood"
RECORDS = [{"review": text} for text in ("", "aa ab ba", "Ünïcödé ab\u0301 AB", "ab " * 300)]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Supervised]:
    prepare(tmp_path, {"reviews/mood": sentiment()})
    address = f"127.0.0.1:{free_port()}"
    program = ("-m", "walle.whitebox.serving", "tests.whitebox.serving.program:load")
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *program, "--listen", address, "--folder", str(tmp_path / "serving")],
            cwd=ROOT,
            env={**os.environ, "WALLE_TEST_SITE": str(tmp_path)},
            stdout=log,
            stderr=log,
        )
    headers = {"authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=f"http://{address}", headers=headers, timeout=60) as client:
        try:
            yield Supervised(process, client, tmp_path)
        finally:
            process.kill()
            process.wait()


def expected() -> list[dict[str, Any]]:
    """What the plan answers in this process."""
    program = sentiment()
    plan = compile_plan(optimise(program.graph, Statistics()), Statistics()).bind(
        lambda parameter: program.arrays[parameter.digest].reshape(parameter.shape)[
            ..., parameter.start : parameter.stop
        ]
    )
    vectors = plan.vectors(1)
    found = [plan.predict(record, vectors) for record in RECORDS]
    return [
        {"label": each.label, "probabilities": list(each.probabilities or ()), "decision": list(each.decision or ())}
        for each in found
    ]


def answers(served: Supervised) -> list[dict[str, Any]] | None:
    """The answers to all records, one by one, and then as one batch; None as long as there is none."""
    try:
        single = [served.client.post(PATH, json={"record": each, "caller": "user-1"}) for each in RECORDS]
        batch = served.client.post(PATH, json={"records": RECORDS, "caller": "user-1"})
    except httpx.TransportError:
        return None
    if any(each.status_code != 200 for each in (*single, batch)):
        return None
    found: list[dict[str, Any]] = [each.json()["prediction"] for each in single]
    assert found == batch.json()["predictions"]
    return found


def test_answers_are_the_plans_own_whatever_happens(served: Supervised) -> None:
    wanted = json.loads(json.dumps(expected()))
    assert wait_for(lambda: answers(served), 60, describe=served.log) == wanted

    os.kill(served.child, signal.SIGKILL)
    assert wait_for(lambda: answers(served), describe=served.log) == wanted

    # A disk that damages a file while nothing runs: it is fetched again, and nothing is answered from it.
    os.kill(served.process.pid, signal.SIGSTOP)
    os.kill(served.child, signal.SIGKILL)
    damaged = max((served.folder / "serving" / "parameters").glob("*.bin"), key=lambda path: path.stat().st_size)
    damaged.chmod(0o644)
    damaged.write_bytes(bytes(damaged.stat().st_size))
    os.kill(served.process.pid, signal.SIGCONT)
    assert wait_for(lambda: answers(served), describe=served.log) == wanted
