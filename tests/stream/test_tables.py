"""Collective tables: what is written when, what is kept, and what is taken from a file that is damaged."""

import math
import os
import random
import sqlite3
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.stream.tables import CollectiveTable, Retention, RowRefused, TableClosed

NOW = 1_700_000_000.0
MIB = 1 << 20
KEEP = Retention(rows=10_000, age_s=86_400, bytes=4 * MIB)


class Clock:
    """Unix seconds that stand still until they are set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def table(
    folder: Path, columns: dict[str, str] | None = None, *, retention: Retention = KEEP, **options
) -> CollectiveTable:
    options = {"clock": Clock(), "sync": False, **options}
    return CollectiveTable(folder / "table.sqlite", columns or {"x": "integer"}, retention=retention, **options)


def fill(target: CollectiveTable, numbers, at: float = NOW) -> None:
    for number in numbers:
        target.put({"x": number}, at)


def numbers(rows) -> list[int]:
    return [row["x"] for row in rows]


def files(folder: Path) -> dict[str, int]:
    """The sizes of the files of a folder."""
    return {path.name: path.stat().st_size for path in folder.iterdir()}


# What is written when


def test_writes_once_for_as_many_rows_as_the_threshold(tmp_path):
    found = table(tmp_path, threshold=10)
    fill(found, range(9))
    assert (found.transactions, found.rows) == (0, 0)
    fill(found, range(9, 25))
    assert (found.transactions, found.rows) == (2, 20)


def test_writes_when_somebody_reads(tmp_path):
    found = table(tmp_path)
    fill(found, [1, 2])
    assert found.read() == [{"at": NOW, "x": 1}, {"at": NOW, "x": 2}]
    assert (found.transactions, found.rows) == (1, 2)
    found.read()
    assert found.transactions == 1


def test_writes_at_the_end(tmp_path):
    with_rows = table(tmp_path)
    fill(with_rows, range(3))
    with_rows.close()
    with_rows.close()
    assert numbers(table(tmp_path).read()) == [0, 1, 2]
    assert list(files(tmp_path)) == ["table.sqlite", "table.sqlite-wal"]


def test_a_flush_is_due_when_rows_have_waited(tmp_path):
    found = table(tmp_path, flush_s=5)
    assert not found.due(NOW + 100)
    found.put({"x": 1}, at=NOW - 1000)
    assert not found.due(NOW + 4.9)
    assert found.due(NOW + 5)
    assert found.due(NOW - 3600), "a clock that was set back is waited for"
    found.flush()
    assert not found.due(NOW + 5)


def test_leaves_the_flush_to_a_caller_who_asks_for_it_until_the_memory_is_full(tmp_path):
    found = table(tmp_path, threshold=10)
    for number in range(29):
        found.put({"x": number}, NOW, flush=False)
    assert found.transactions == 0
    assert found.due(NOW)
    found.put({"x": 29}, NOW, flush=False)
    assert (found.transactions, found.rows) == (1, 30)


def test_writes_rows_by_their_bytes_too(tmp_path):
    found = table(tmp_path, {"x": "text"}, retention=Retention(1000, 60, MIB))
    for _ in range(2):
        found.put({"x": "a" * (20 << 10)}, NOW)
    assert found.transactions == 1


# Rows


def test_reads_the_newest_rows_and_those_since_a_time(tmp_path):
    found = table(tmp_path)
    for number in range(10):
        found.put({"x": number}, NOW + number)
    assert numbers(found.read(last=3)) == [7, 8, 9]
    assert numbers(found.read(since=NOW + 6)) == [6, 7, 8, 9]
    assert numbers(found.read(last=2, since=NOW + 6)) == [8, 9]
    assert found.read(last=0) == []


HOSTILE = {
    "select": "text",
    "Select": "integer",
    "SELECT_1": "integer",
    "id": "integer",
    "rowid": "integer",
    "_rowid_": "integer",
    "at": "text",
    "AT": "integer",
    "outputs": "integer",
    "at_1": "integer",
    "x" * 64: "boolean",
}


def test_names_of_outputs_are_no_sql(tmp_path):
    found = table(tmp_path, HOSTILE)
    row = {
        name: {"text": name, "integer": place, "boolean": True}[kind]
        for place, (name, kind) in enumerate(HOSTILE.items())
    }
    found.put(row, NOW)
    assert found.read() == [row], "the output `at` takes the place of the time"
    found.close()
    assert table(tmp_path, HOSTILE).read() == [row]


@pytest.mark.parametrize(
    "columns", [{'x"; DROP TABLE outputs; --': "text"}, {"": "text"}, {"é": "text"}, {"x": "BLOB"}]
)
def test_columns_that_no_task_declares_are_an_error(tmp_path, columns):
    with pytest.raises(ValueError, match="expected names of outputs"):
        table(tmp_path, columns)


def test_more_columns_than_sqlite_has_are_an_error(tmp_path):
    assert table(tmp_path, {f"x{n}": "integer" for n in range(1000)}).problem is None
    with pytest.raises(ValueError, match="at most 1000"):
        table(tmp_path, {f"x{n}": "integer" for n in range(1001)})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
EVERY = {
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(1 << 53), 1 << 53),
    "integer": st.integers(-(1 << 63), (1 << 63) - 1),
    "boolean": st.booleans(),
    "text": st.text(),
    "tensor": st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4) | st.lists(JSON, max_size=3),
    "list": st.lists(JSON, max_size=3),
    "object": st.dictionaries(st.text(), JSON, max_size=3),
}


@given(st.lists(st.fixed_dictionaries(EVERY), min_size=1, max_size=3))
def test_rows_are_read_as_they_were_put(tmp_path_factory, rows):
    found = table(tmp_path_factory.mktemp("table"), {name: name for name in EVERY})
    for row in rows:
        found.put(row, NOW)
    read = found.read()
    assert read == [{"at": NOW} | row for row in rows]
    assert [repr(row["tensor"]) for row in read] == [repr(row["tensor"]) for row in rows]
    found.close()


def test_a_row_is_what_it_was_when_it_was_put(tmp_path):
    found = table(tmp_path, {"x": "tensor", "y": "object"})
    array, nested = np.arange(3, dtype="float32"), {"a": [1]}
    found.put({"x": array, "y": nested}, NOW)
    array[:], nested["a"] = 9, []
    assert found.read() == [{"at": NOW, "x": [0.0, 1.0, 2.0], "y": {"a": [1]}}]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", "1"),
        ("number", math.nan),
        ("number", True),
        ("number", 10**400),
        ("integer", 1.0),
        ("integer", True),
        ("integer", 1 << 63),
        ("boolean", 1),
        ("text", None),
        ("text", "\ud800"),
        ("list", [math.inf]),
        ("tensor", [1.0, math.nan]),
        ("tensor", [1, math.inf]),
        ("object", {"x": b""}),
    ],
)
def test_a_value_that_is_no_such_output_is_refused(tmp_path, kind, value):
    found = table(tmp_path, {"x": kind})
    with pytest.raises(RowRefused, match=f"x: expected a value of type {kind}") as refused:
        found.put({"x": value}, NOW)
    assert (refused.value.reason, found.refused) == ("row-malformed", 1)
    assert found.read() == []


@pytest.mark.parametrize("row", [{}, {"y": 1}, {"x": 1, "y": 1}])
def test_other_outputs_than_the_declared_ones_are_refused(tmp_path, row):
    with pytest.raises(RowRefused, match="expected the outputs"):
        table(tmp_path).put(row, NOW)


def test_a_time_that_is_none_is_refused(tmp_path):
    with pytest.raises(RowRefused, match="at: expected Unix seconds, found nan"):
        table(tmp_path).put({"x": 1}, math.nan)


def test_a_row_too_large_for_the_table_is_refused(tmp_path):
    found = table(tmp_path, {"x": "text"}, retention=Retention(1000, 60, MIB))
    with pytest.raises(RowRefused, match="at most 32768 bytes, a 32nd of what the table may take, found") as refused:
        found.put({"x": "é" * (16 << 10)}, NOW)
    assert (refused.value.reason, found.refused) == ("row-too-large", 1)
    found.put({"x": "é" * (15 << 10)}, NOW)
    assert len(found.read()) == 1


# Retention


def test_keeps_the_newest_rows(tmp_path):
    found = table(tmp_path, retention=Retention(rows=5, age_s=60, bytes=MIB), threshold=3)
    fill(found, range(20))
    assert numbers(found.read()) == [15, 16, 17, 18, 19]


def test_keeps_no_row_longer_than_its_age(tmp_path):
    clock = Clock()
    found = table(tmp_path, retention=Retention(rows=100, age_s=60, bytes=MIB), clock=clock)
    found.put({"x": 3}, at=NOW + 30)
    found.put({"x": 1}, at=NOW)
    found.put({"x": 2}, at=NOW - 61)
    assert numbers(found.read()) == [3, 1]
    clock.now = NOW + 61
    assert found.due(clock.now)
    assert numbers(found.read()) == [3]
    assert not found.due(clock.now)


def total(folder: Path) -> int:
    return sum(files(folder).values())


@pytest.mark.slow
@pytest.mark.parametrize("size", [10, 500, 2100, 16_000])
def test_all_files_together_keep_their_bytes(tmp_path, size):
    """After each row, with rows of all sizes, also those of which one page holds only one."""
    budget = MIB // 2
    found = table(tmp_path, {"x": "text"}, retention=Retention(1 << 40, 1e9, budget))
    most = 0
    for number in range(2 * budget // max(size, 70)):
        found.put({"x": f"{number:06}".ljust(size, "x")}, NOW)
        most = max(most, total(tmp_path))
    assert most <= budget
    kept = [int(line["x"].rstrip("x")) for line in found.read()]
    assert kept == list(range(number + 1 - len(kept), number + 1))
    assert len(kept) * (size + 30) > 0.3 * budget, "the table keeps far less than it may"


def test_rows_that_are_too_old_all_at_once_leave_without_a_large_log(tmp_path):
    clock = Clock()
    found = table(tmp_path, retention=Retention(1 << 40, 60, MIB // 2), clock=clock)
    for number in range(10_000):
        found.put({"x": number}, NOW + 30 * (number % 2))
    found.flush()
    before, clock.now = found.transactions, NOW + 70
    rows = numbers(found.read())
    assert all(number % 2 for number in rows)
    assert len(rows) > 1000
    assert found.transactions > before + 1
    assert total(tmp_path) <= MIB // 2


def test_a_version_that_keeps_less_gives_its_bytes_back(tmp_path):
    columns = {"x": "text"}
    before = table(tmp_path, columns, retention=Retention(10_000, 60, 4 * MIB))
    for _ in range(300):
        before.put({"x": "a" * 8000}, NOW)
    before.close()
    after = table(tmp_path, columns, retention=Retention(10_000, 60, MIB))
    assert total(tmp_path) <= 4 * MIB
    after.flush()
    after.close()
    assert 0 < total(tmp_path) <= MIB


@pytest.mark.parametrize("limits", [(0, 60, MIB), (1, 0, MIB), (1, math.nan, MIB), (1, 60, MIB // 2 - 1)])
def test_retention_that_leaves_room_for_nothing_is_an_error(limits):
    with pytest.raises(ValueError, match="retention: expected"):
        Retention(*limits)


# Files


def test_its_files_are_the_owners_alone(tmp_path):
    found = table(tmp_path / "streams")
    fill(found, range(3))
    found.flush()
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "streams").iterdir()}
    assert modes == {"table.sqlite": 0o600, "table.sqlite-wal": 0o600}
    assert (tmp_path / "streams").stat().st_mode & 0o777 == 0o700
    found.close()
    (tmp_path / "streams" / "table.sqlite").chmod(0o644)
    table(tmp_path / "streams")
    assert (tmp_path / "streams" / "table.sqlite").stat().st_mode & 0o777 == 0o600


def overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = random.Random(page).randbytes(200)
    path.write_bytes(data)


def of_another_schema(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE outputs (id INTEGER PRIMARY KEY, at REAL NOT NULL, x TEXT)")
    connection.close()


def with_a_trigger(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER t AFTER INSERT ON outputs BEGIN DELETE FROM outputs; END")
    connection.close()


def as_folder(path: Path) -> None:
    path.unlink()
    (path / "full").mkdir(parents=True)


def as_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def with_a_folder_as_log(path: Path) -> None:
    path.with_name(path.name + "-wal").mkdir()


DAMAGE = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:10_000]),
    "overwritten": overwritten,
    "no database": lambda path: path.write_bytes(b"not a database, but longer than its header" * 1000),
    "without its second half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "of another schema": of_another_schema,
    "with a trigger": with_a_trigger,
    "a folder": as_folder,
    "a link": as_link,
    "with a folder as log": with_a_folder_as_log,
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_set_aside_and_begun_anew(tmp_path, damage):
    before = table(tmp_path)
    fill(before, range(2000))
    before.close()
    for _ in range(2):
        damage(tmp_path / "table.sqlite")
        found = table(tmp_path)
        assert found.set_aside == tmp_path / "table.sqlite.damaged"
        assert found.set_aside.exists()
        assert found.damage
        assert found.problem is None
        fill(found, range(2000))
        assert numbers(found.read()) == list(range(2000))
        found.close()
    assert table(tmp_path).set_aside is None


def test_one_page_that_is_damaged_is_found_when_the_table_is_opened(tmp_path):
    before = table(tmp_path, {"x": "text"})
    for _ in range(300):
        before.put({"x": "a" * 1000}, NOW)
    before.close()
    with (tmp_path / "table.sqlite").open("r+b") as file:
        file.seek(40 * 4096)
        file.write(b"x" * 4096)
    assert table(tmp_path, {"x": "text"}).damage


def test_a_file_that_breaks_while_it_is_open_is_set_aside_too(tmp_path):
    found = table(tmp_path, {"x": "text"}, retention=Retention(100_000, 60, 8 * MIB))
    for _ in range(300):
        found.put({"x": "a" * 16_000}, NOW)
    found.flush()
    with (tmp_path / "table.sqlite").open("r+b") as file:
        file.write(b"x" * (tmp_path / "table.sqlite").stat().st_size)
    found.read()
    assert found.damage
    assert found.problem is None
    for word in ("a", "b"):
        found.put({"x": word}, NOW)
    assert [row["x"] for row in found.read()] == ["a", "b"]
    assert found.dropped == 0


def test_a_value_that_no_output_has_is_damage(tmp_path):
    before = table(tmp_path, {"x": "object"})
    before.put({"x": {}}, NOW)
    before.close()
    connection = sqlite3.connect(tmp_path / "table.sqlite")
    connection.execute("UPDATE outputs SET x_1 = '{'")
    connection.commit()
    connection.close()
    found = table(tmp_path, {"x": "object"})
    assert found.read() == []
    assert found.damage == "a row has other values than its columns declare"


def test_keeps_the_newest_rows_in_memory_while_there_is_no_file(tmp_path):
    clock = Clock()
    (tmp_path / "streams").write_text("a file in the place of the folder")
    found = table(tmp_path / "streams", threshold=10, clock=clock)
    fill(found, range(100))
    assert found.dropped > 70
    assert found.problem
    assert not found.due(NOW + 4.9)
    assert found.due(NOW + 5)
    assert numbers(found.read(last=3)) == [97, 98, 99]
    assert (found.transactions, found.rows, found.set_aside) == (0, 0, None)
    waiting = len(found.read())
    assert 10 <= waiting < 30
    assert found.dropped == 100 - waiting
    (tmp_path / "streams").unlink()
    found.flush()
    assert found.problem is None
    assert (found.rows, numbers(found.read())) == (waiting, list(range(100 - waiting, 100)))


def test_rows_that_nothing_takes_are_counted_at_the_end(tmp_path):
    (tmp_path / "streams").write_text("a file in the place of the folder")
    found = table(tmp_path / "streams")
    fill(found, range(3))
    found.close()
    assert found.dropped == 3


def test_a_closed_table_takes_nothing(tmp_path):
    found = table(tmp_path)
    found.close()
    for use in (lambda: found.put({"x": 1}, NOW), found.flush, found.read):
        with pytest.raises(TableClosed):
            use()


def test_threads_put_flush_and_read_at_once(tmp_path):
    found = table(tmp_path, {"thread": "integer", "x": "integer"}, threshold=7)

    def put(thread: int) -> None:
        for number in range(300):
            found.put({"thread": thread, "x": number}, NOW, flush=thread % 2 == 0)

    def use() -> None:
        for _ in range(30):
            rows = found.read()
            assert numbers(row for row in rows if row["thread"] == 1) == list(
                range(sum(row["thread"] == 1 for row in rows))
            )
            found.flush()

    threads = [*(Thread(target=put, args=(thread,)) for thread in range(3)), Thread(target=use)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = found.read()
    for thread in range(3):
        assert numbers(row for row in rows if row["thread"] == thread) == list(range(300))
    assert found.rows == 900
