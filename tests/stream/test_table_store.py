"""The tables of a device: what a new version inherits, who reads whose table, and what is removed."""

import os
from pathlib import Path

import pytest

from walle.stream.stream_task import StreamTask
from walle.stream.table_store import OPEN_TABLES, ReadRefused, TableStore
from walle.stream.tables import TableClosed
from walle.stream.windows import MAX_WINDOW_BYTES

NOW = 1_700_000_000.0


def task(name: str = "shop/ipv", outputs: dict[str, str] | None = None, **stream) -> StreamTask:
    manifest = {
        "trigger": {"on": ["page_exit"]},
        "outputs": {output: {"type": kind} for output, kind in (outputs or {"x": "integer"}).items()},
        "stream": stream,
    }
    found = StreamTask.from_manifest(name, manifest)
    assert found is not None
    return found


@pytest.fixture
def store(tmp_path):
    with_tables = TableStore(tmp_path, sync=False, clock=lambda: NOW)
    yield with_tables
    with_tables.close()


def fill(store: TableStore, folder: str, numbers, owner: StreamTask | None = None) -> None:
    owner = owner or task()
    found = store.open(owner.name, folder, owner)
    for number in numbers:
        found.put({"x": number}, NOW)


def rows(store: TableStore, folder: str) -> list[int]:
    return [row["x"] for row in store.open("shop/ipv", folder, task()).read()]


def test_a_table_lies_in_the_folder_of_its_installation(store, tmp_path):
    fill(store, "one", [1])
    assert (tmp_path / "one" / "table.sqlite").is_file()
    assert store.open("shop/ipv", "one", task()) is store.open("shop/ipv", "one", task())
    store.close()
    assert rows(TableStore(tmp_path, clock=lambda: NOW), "one") == [1]


@pytest.mark.parametrize("folder", ["", "..", "a/b", ".tmp-x", "x" * 65])
def test_what_is_no_folder_of_an_installation_is_an_error(store, folder):
    with pytest.raises(ValueError, match="the name of an installation's folder"):
        store.open("shop/ipv", folder, task())


def test_many_tables_do_not_take_the_apps_files(store, tmp_path):
    before = len(os.listdir("/dev/fd"))
    tables = []
    for number in range(3 * OPEN_TABLES):
        owner = task(f"shop/t{number}", retain={"rows": 9, "age_s": 10, "bytes": 1 << 20})
        tables.append(store.open(owner.name, f"folder-{number}", owner))
        tables[-1].put({"x": number}, NOW)
        tables[-1].flush()
        assert store.read(owner, owner, 9) == [{"at": NOW, "x": number}]
    assert len(os.listdir("/dev/fd")) <= before + 2 * OPEN_TABLES
    last = tables[-1]
    assert not last.due(NOW + 9)
    assert last.due(NOW + 11), "what is too old goes all the same"
    (tmp_path / "folder-95" / "table.sqlite").unlink()
    last.flush()
    assert not (tmp_path / "folder-95" / "table.sqlite").exists(), "what has nothing to write is not opened"


# Inheritance


def test_a_new_version_begins_with_its_predecessors_rows(store):
    fill(store, "one", range(3))
    assert store.inherit("one", "two", task(), task()).inherited
    fill(store, "two", [3])
    fill(store, "one", [10])
    assert rows(store, "two") == [0, 1, 2, 3]
    assert rows(store, "one") == [0, 1, 2, 10]


def test_it_inherits_from_a_table_that_is_not_open(store, tmp_path):
    fill(store, "one", range(3))
    store.close()
    again = TableStore(tmp_path, clock=lambda: NOW)
    assert again.inherit("one", "two", task(), task()).inherited
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["table.sqlite"]
    assert rows(again, "two") == [0, 1, 2]


def test_a_version_that_is_rolled_back_to_goes_on_from_what_it_had(store):
    fill(store, "one", [1])
    store.inherit("one", "two", task(), task())
    fill(store, "two", [2])
    found = store.inherit("two", "one", task(), task())
    assert (found.inherited, found.reason) == (False, "goes on from the table that it has")
    assert rows(store, "one") == [1]


def test_an_inherited_table_keeps_its_bytes(store, tmp_path):
    small = task(outputs={"x": "text"}, retain={"rows": 100_000, "bytes": 1 << 20})
    fill(store, "one", ["a" * 8000] * 100, small)
    store.inherit("one", "two", small, small)
    fill(store, "two", ["b" * 8000] * 300, small)
    store.close()
    assert (1 << 19) < (tmp_path / "two" / "table.sqlite").stat().st_size <= (1 << 20)
    assert (tmp_path / "two" / "table.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (task(schema=2), "starts afresh: its schema is 2, that of the version before 1"),
        (task(outputs={"x": "number"}), "starts afresh: its outputs are others than those of the version before"),
        (task(private=True), "starts afresh: one of both versions sees private contents, the other does not"),
    ],
)
def test_a_version_that_does_not_agree_starts_afresh(store, tmp_path, now, reason):
    fill(store, "one", [1])
    found = store.inherit("one", "two", task(), now)
    assert (found.inherited, found.reason) == (False, reason)
    assert not (tmp_path / "two").exists()


def test_the_first_version_starts_afresh(store):
    assert store.inherit(None, "one", None, task()).reason == "starts afresh: there is no version before"
    assert store.inherit("none", "one", task(), task()).reason == "starts afresh: the version before has no table"


def test_a_damaged_table_is_not_inherited(store, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "table.sqlite").write_bytes(b"no database" * 1000)
    found = store.inherit("one", "two", task(), task())
    assert not found.inherited
    assert found.reason.startswith("starts afresh: the table of the version before")
    assert rows(store, "two") == []


def test_a_table_that_cannot_be_copied_is_not_inherited(store, tmp_path):
    fill(store, "one", [1])
    (tmp_path / "two").write_text("a file in the place of the folder")
    found = store.inherit("one", "two", task(), task())
    assert found.reason.startswith("starts afresh: the table of the version before cannot be copied: ")
    assert rows(store, "one") == [1]


# Reading another task's table


@pytest.mark.parametrize(
    ("reader", "readers"),
    [("shop/rank", ["shop/rank"]), ("shop/rank", ["ads/x", "shop/*"]), ("shop/ipv", [])],
)
def test_a_task_reads_a_table_that_admits_it(store, reader, readers):
    owner = task(readers=readers)
    fill(store, "one", range(5), owner)
    assert [row["x"] for row in store.read(task(reader), owner, 2)] == [3, 4]


@pytest.mark.parametrize(
    "readers", [[], ["shop/ran"], ["shop/rank2"], ["*"], ["*/*"], ["sho/*"], ["shop"], ["shop/r*"]]
)
def test_others_do_not(store, readers):
    owner = task(readers=readers)
    fill(store, "one", [1], owner)
    with pytest.raises(ReadRefused, match="shop/ipv: expected shop/rank among its readers") as refused:
        store.read(task("shop/rank"), owner, 1)
    assert refused.value.reason == "not-a-reader"


@pytest.mark.parametrize("name", ["shop/rank", "shop/ipv"])
def test_only_tasks_that_see_private_contents_read_a_private_table(store, name):
    owner = task(readers=["shop/*"], private=True)
    fill(store, "one", [1], owner)
    assert len(store.read(task(name, private=True), owner, 1)) == 1
    with pytest.raises(ReadRefused, match="expected a reader that sees private contents") as refused:
        store.read(task(name), owner, 1)
    assert refused.value.reason == "private"


def test_the_installed_version_says_who_reads(store):
    fill(store, "one", [1], task(readers=["shop/rank"]))
    fill(store, "two", [2], task(readers=[]))
    with pytest.raises(ReadRefused, match="among its readers"):
        store.read(task("shop/rank"), task(readers=["shop/rank"]), 1)
    fill(store, "one", [3], task(readers=["shop/rank"]))
    assert [row["x"] for row in store.read(task("shop/rank"), task(), 9)] == [1, 3]


def test_a_reader_is_given_the_newest_rows_that_fit(store):
    owner = task(outputs={"x": "text"}, retain={"rows": 1000, "age_s": 1e6, "bytes": 64 * MAX_WINDOW_BYTES})
    table = store.open(owner.name, "one", owner)
    for number in range(9):
        table.put({"x": f"{number}" * (MAX_WINDOW_BYTES // 4 - 50)}, NOW)
    found = store.read(owner, owner, 1000)
    assert [row["x"][0] for row in found] == ["5", "6", "7", "8"]


def test_a_task_without_a_table_has_none_to_read(store):
    with pytest.raises(ReadRefused, match="expected a task with a table here") as refused:
        store.read(task("shop/rank"), task(readers=["shop/*"]), 1)
    assert refused.value.reason == "no-table"


# Removing


def test_removes_what_no_installation_needs(store, tmp_path):
    fill(store, "one", [1])
    first = store.open("shop/ipv", "one", task())
    fill(store, "two", [2])
    for leftover in (".tmp-removed-three", "four", "events"):
        (tmp_path / leftover).mkdir()
    (tmp_path / "four" / ".tmp-table.sqlite").touch()
    store.collect({"two"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events", "two"]
    assert rows(store, "two") == [2]
    with pytest.raises(TableClosed):
        first.put({"x": 1}, NOW)
    store.collect(set())
    with pytest.raises(ReadRefused, match="expected a task with a table here"):
        store.read(task(), task(), 1)


def test_what_a_killed_copy_left_is_removed_when_the_table_is_opened(store, tmp_path):
    (tmp_path / "one").mkdir()
    Path(tmp_path / "one" / ".tmp-table.sqlite").write_bytes(b"half")
    fill(store, "one", [1])
    assert not (tmp_path / "one" / ".tmp-table.sqlite").exists()


def test_collects_before_there_is_any_folder(tmp_path):
    TableStore(tmp_path / "none").collect(set())
