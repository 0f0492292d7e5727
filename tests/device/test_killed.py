"""kill -9 at every single step, as real processes: a working version is always there, nothing is half installed, and
the next try completes (release lessons 10 and 15)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.device.conftest import TASK
from tests.support.waiting import ANSWER_S
from walle.protocol.reports import Report
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.processes

EXCLUSIVE = {"exclusive": [{"path": "prefs.json", "template": "{age}", "default": "defaults/prefs.json"}]}


def bundle(version: int, *, works: bool = True) -> dict[str, bytes]:
    output = f"{{'y': int(model), 'v': {version}}}" if works else "None"
    return {
        "main.py": f"def run(inputs, model):\n    return {output}\n".encode(),
        "model.txt": str(version).encode(),
        "defaults/prefs.json": b"{}",
        "lib/same.py": b"pass",
    }


class KillableDevices:
    """Orders to the forking helper, for devices that all begin as copies of one prepared store."""

    def __init__(self, helper: subprocess.Popen[str], server: str, folder: Path, root: bytes) -> None:
        self._helper, self._server, self.folder = helper, server, folder
        folder.mkdir(exist_ok=True)
        (folder / "root.json").write_bytes(root)

    def live(
        self, store: Path, *, kill_at: int | None = None, online: bool = True, ledger: bool = False, visits: int = 0
    ) -> dict[str, Any]:
        order = {
            "store": str(store),
            "server": self._server if online else "http://127.0.0.1:9",
            "root": str(self.folder / "root.json"),
            "kill_at": kill_at,
            "ledger": ledger,
            "visits": visits,
        }
        assert self._helper.stdin
        assert self._helper.stdout
        self._helper.stdin.write(json.dumps(order) + "\n")
        self._helper.stdin.flush()
        answer: dict[str, Any] = json.loads(self._helper.stdout.readline())
        return answer

    def copy(self, prepared: Path, name: str) -> Path:
        target = self.folder / name
        if prepared.exists():
            shutil.copytree(prepared, target)
        return target


@pytest.fixture(scope="module")
def helper():
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.device.killable"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=BASE_DIR,
    )
    yield process
    assert process.stdin
    process.stdin.close()
    assert process.wait(timeout=ANSWER_S) == 0


@pytest.fixture
def killables(helper, address, repository, tmp_path):
    return KillableDevices(helper, address, tmp_path / "killables", repository.roots[1])


def rehearse(killables: KillableDevices, repository, prepared: Path, *, least: int) -> list[str]:
    """One undisturbed life, which says how many steps there are to die at."""
    answer = killables.live(killables.copy(prepared, "rehearsal"))
    assert answer["signal"] == 0
    assert len(answer["steps"]) >= least, answer["steps"]
    forget(repository)
    return answer["steps"]


def forget(repository) -> None:
    repository.reports.clear()
    repository.requests.clear()


def reported(repository, kind: str) -> Counter[tuple[str, str | None]]:
    for report in repository.reports:
        Report.from_dict(report)
    found = [r for r in repository.reports if r["kind"] == kind]
    assert len({r["id"] for r in found}) == len(found)
    return Counter((r["version"], r["error_class"]) for r in found)


def test_killed_at_every_step_of_a_first_installation(killables, repository):
    repository.publish(TASK, "1.0.0", bundle(1), **EXCLUSIVE)
    nothing = killables.folder / "nothing"
    steps = rehearse(killables, repository, nothing, least=60)
    for number, step in enumerate(steps):
        forget(repository)
        store = killables.copy(nothing, f"first-{number}")
        assert killables.live(store, kill_at=number)["signal"] == 9, step
        offline = killables.live(store, online=False)
        assert offline["versions"] in ({}, {TASK: "1.0.0"}), step
        assert (offline["damaged"], offline["left"]) == ([], []), step
        assert len(offline["outputs"]) == len(offline["versions"]), step
        online = killables.live(store)
        assert (online["versions"], online["queued"], online["left"]) == ({TASK: "1.0.0"}, 0, []), step
        assert reported(repository, "install") == {("1.0.0", None): 1}, step


def test_killed_at_every_step_of_an_update_over_a_key_rotation(killables, repository):
    repository.publish(TASK, "1.0.0", bundle(1), **EXCLUSIVE)
    prepared = killables.folder / "prepared"
    killables.live(prepared)
    repository.variants["device-1", "prefs.json"] = b'{"mine": true}'
    repository.rotate()
    repository.rotate_credential_key()
    repository.publish(TASK, "2.0.0", bundle(2), **EXCLUSIVE)
    steps = rehearse(killables, repository, prepared, least=90)
    seen = Counter()
    for number, step in enumerate(steps):
        forget(repository)
        store = killables.copy(prepared, f"update-{number}")
        assert killables.live(store, kill_at=number)["signal"] == 9, step
        offline = killables.live(store, online=False)
        assert offline["versions"] in ({TASK: "1.0.0"}, {TASK: "2.0.0"}), step
        version = int(offline["versions"][TASK][0])
        assert offline["outputs"] == [{"y": version, "v": version}], "it runs, all files of one version"
        assert (offline["damaged"], offline["left"]) == ([], []), step
        online = killables.live(store)
        assert online["outputs"] == [{"y": 2, "v": 2}], step
        assert (online["versions"], online["queued"], online["left"]) == ({TASK: "2.0.0"}, 0, []), step
        assert reported(repository, "install") == {("2.0.0", None): 1}, step
        seen[version] += 1
    assert min(seen[1], seen[2]) > 10, "deaths on both sides of the switch"


def test_killed_at_every_step_of_a_run_each_run_has_one_outcome(killables, repository):
    repository.publish(TASK, "1.0.0", bundle(1))
    prepared = killables.folder / "prepared"
    killables.live(prepared)
    steps = rehearse(killables, repository, prepared, least=12)
    began = steps.index("run marker: renamed")
    ended = next(i for i, step in enumerate(steps) if i > began + 1 and step.endswith(": renamed"))
    for number, step in enumerate(steps):
        forget(repository)
        store = killables.copy(prepared, f"run-{number}")
        assert killables.live(store, kill_at=number)["signal"] == 9, step
        online = killables.live(store)
        assert (online["versions"], online["queued"], online["left"]) == ({TASK: "1.0.0"}, 0, []), step
        outcomes = reported(repository, "run")
        assert outcomes[("1.0.0", None)] in (1, 2), step
        assert outcomes[("1.0.0", "crashed")] == (1 if began <= number < ended else 0), step
        assert outcomes.total() == (2 if number >= began else 1), step


def test_killed_at_every_step_of_a_removal(killables, repository):
    repository.publish(TASK, "1.0.0", bundle(1))
    prepared = killables.folder / "prepared"
    killables.live(prepared)
    repository.remove(TASK)
    steps = rehearse(killables, repository, prepared, least=20)
    for number, step in enumerate(steps):
        forget(repository)
        store = killables.copy(prepared, f"removal-{number}")
        assert killables.live(store, kill_at=number)["signal"] == 9, step
        offline = killables.live(store, online=False)
        assert offline["versions"] in ({}, {TASK: "1.0.0"}), step
        assert (offline["damaged"], offline["left"]) == ([], []), step
        online = killables.live(store)
        assert (online["versions"], online["queued"], online["left"]) == ({}, 0, []), step
        assert reported(repository, "remove") == {("1.0.0", None): 1}, step
        assert list((store / "installs").iterdir()) == list((store / "files").iterdir()) == []


def test_killed_at_every_step_of_falling_back(killables, repository):
    repository.publish(TASK, "1.0.0", bundle(1))
    prepared = killables.folder / "prepared"
    killables.live(prepared)
    repository.publish(TASK, "2.0.0", bundle(2, works=False))
    killables.live(prepared)
    steps = rehearse(killables, repository, prepared, least=20)
    for number, step in enumerate(steps):
        forget(repository)
        store = killables.copy(prepared, f"fall-{number}")
        assert killables.live(store, kill_at=number)["signal"] == 9, step
        for _ in range(2):
            offline = killables.live(store, online=False)
            assert (offline["damaged"], offline["left"]) == ([], []), step
        assert offline["versions"] == {TASK: "1.0.0"}, step
        online = killables.live(store)
        assert online["outputs"] == [{"y": 1, "v": 1}], step
        assert reported(repository, "remove") == {("2.0.0", "fell-back"): 1}, step


def test_killed_at_every_step_of_a_service_more_it_recovers(killables, repository):
    """A service beside the usual ones leaves a note before it acts; the next process finds it, and does it once."""
    prepared = killables.folder / "prepared"
    assert killables.live(prepared, ledger=True)["ledger"] == {"items": 1, "recovered": []}
    steps = killables.live(killables.copy(prepared, "rehearsal"), ledger=True)["steps"]
    own = [number for number, step in enumerate(steps) if step.startswith("ledger")]
    noted = steps.index("ledger note: renamed")
    struck = steps.index("ledger note: removed")
    assert len(own) >= 10
    for number in own:
        store = killables.copy(prepared, f"ledger-{number}")
        assert killables.live(store, kill_at=number, ledger=True)["signal"] == 9
        left = noted <= number < struck
        found = killables.live(store, ledger=True)["ledger"]
        assert found == {"items": 3 if left or number == struck else 2, "recovered": [2] if left else []}, steps[number]


def test_killed_at_every_step_of_triggered_runs_each_has_one_outcome_and_what_was_written_stays(killables, repository):
    """Two visits of a page, whose exit triggers a task: the first is written, the second is cut off."""
    outputs = {"y": {"type": "integer"}, "v": {"type": "integer"}}
    repository.publish(TASK, "1.0.0", bundle(1), trigger={"on": ["page_exit"]}, inputs={}, outputs=outputs)
    prepared = killables.folder / "prepared"
    killables.live(prepared)
    whole = killables.live(killables.copy(prepared, "rehearsal"), visits=2)
    assert (whole["signal"], whole["rows"], whole["events"]) == (0, [2], 6)
    steps = whole["steps"]
    second = len(steps) - steps[::-1].index("visit") - 1
    assert len(steps) - second >= 12
    crashes = 0
    for number in range(second, len(steps)):
        step = steps[number]
        forget(repository)
        store = killables.copy(prepared, f"visit-{number}")
        assert killables.live(store, kill_at=number, visits=2)["signal"] == 9, step
        marked = step in ("run marker: written", "during the run") or (
            step == "run marker: before removal" and steps[number - 1] == "during the run"
        )
        crashes += marked
        offline = killables.live(store, online=False)
        assert (offline["damaged"], offline["left"]) == ([], []), step
        assert 3 <= offline["events"] <= 6, step
        assert offline["rows"] in ([1], [2]), step
        online = killables.live(store)
        assert (online["queued"], online["left"]) == (0, []), step
        outcomes = reported(repository, "run")
        assert outcomes[("1.0.0", "crashed")] == marked, step
        assert outcomes[("1.0.0", None)] in (1, 2), step
    assert crashes == 3


def test_killed_at_every_step_of_falling_back_from_triggered_runs_no_failure_that_led_to_it_is_lost(
    killables, repository
):
    outputs = {"y": {"type": "integer"}, "v": {"type": "integer"}}
    triggered = {"trigger": {"on": ["page_exit"]}, "inputs": {}, "outputs": outputs}
    repository.publish(TASK, "1.0.0", bundle(1), **triggered)
    prepared = killables.folder / "prepared"
    killables.live(prepared, visits=1)
    repository.publish(TASK, "2.0.0", bundle(2, works=False), **triggered)
    killables.live(prepared)
    forget(repository)
    whole = killables.live(killables.copy(prepared, "rehearsal"), visits=2)
    assert (whole["signal"], whole["versions"], whole["rows"]) == (0, {TASK: "1.0.0"}, [1])
    steps = whole["steps"]
    second = len(steps) - steps[::-1].index("visit") - 1
    seen = Counter()
    for number in range(second, len(steps)):
        step = steps[number]
        forget(repository)
        store = killables.copy(prepared, f"given-up-{number}")
        assert killables.live(store, kill_at=number, visits=2)["signal"] == 9, step
        found = killables.live(store)
        version = found["versions"][TASK]
        assert (found["queued"], found["left"], found["damaged"]) == (0, [], []), step
        failures = sum(count for (of, error), count in reported(repository, "run").items() if of == "2.0.0" and error)
        removed = reported(repository, "remove")
        assert removed == ({("2.0.0", "fell-back"): 1} if version == "1.0.0" else {}), step
        assert failures >= (version == "1.0.0"), step
        seen[version] += 1
        if version == "2.0.0":
            assert killables.live(store, visits=1)["versions"] == {TASK: "1.0.0"}, "the first failure was counted"
    assert min(seen["1.0.0"], seen["2.0.0"]) > 2
