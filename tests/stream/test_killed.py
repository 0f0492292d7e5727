"""What is left of tables whose process is killed: at its lines one after the other, and at any moment."""

import json
import subprocess
import sys

import pytest

from tests.stream.killable import THRESHOLD
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.processes


def findings(scenario: str, folder) -> list[dict]:
    command = [sys.executable, "-m", "tests.stream.killable", scenario, str(folder)]
    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("scenario", ["putting-lines", "putting-moments"])
def test_a_kill_loses_at_most_what_was_in_memory(tmp_path, scenario):
    found = findings(scenario, tmp_path)
    assert sum(death["killed"] for death in found) >= 30
    assert [death for death in found if death["damage"] or not death["in_order"]] == []
    assert [death for death in found if death["next"] <= death["put"] - THRESHOLD] == []


@pytest.mark.parametrize("scenario", ["inheriting-lines", "inheriting-moments"])
def test_a_kill_leaves_no_table_or_a_whole_one_and_it_is_inherited_again(tmp_path, scenario):
    found = findings(scenario, tmp_path)
    assert len(found) >= 30
    for death in found:
        assert death["rows"] == [300, 300]
        assert death["again"] is not death["there"]
        assert death["left"] == ["table.sqlite", "table.sqlite-wal"]
    if scenario == "inheriting-lines":
        assert {death["there"] for death in found} == {True, False}


def test_a_kill_while_a_damaged_file_is_set_aside_does_no_harm(tmp_path):
    found = findings("setting-aside-lines", tmp_path)
    assert sum(death["killed"] for death in found) >= 30
    for death in found:
        assert death["problem"] is None
        assert death["aside"]
        assert death["rows"] in ([2], [1, 2])


def test_a_full_disk_loses_the_oldest_rows_in_memory_and_nothing_else(tmp_path):
    full, after = findings("disk-full", tmp_path)
    assert full["problem"]
    assert full["dropped"] == 3160 - len(full["rows"])
    assert full["rows"][:160] == list(range(160))
    assert full["rows"][-THRESHOLD:] == list(range(3160 - THRESHOLD, 3160))
    assert after == {"problem": None, "damage": None, "rows": full["rows"]}
