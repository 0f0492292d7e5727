"""`walle feature`: what arrives, and files of it that an export goes on with."""

from __future__ import annotations

import json
from types import SimpleNamespace

import httpx
import pytest

from devices_app.models import Feature
from devices_app.services.features import store_features
from tests.features.received import feature
from walle.cli import exporting
from walle.cli.accounts import StoredAccount
from walle.cli.client import ApiClient
from walle.cli.commands import feature as commands
from walle.cli.errors import Exit, ServerUnreachable


def numbers(path):
    return [json.loads(line)["values"]["n"] for line in path.read_text().splitlines()]


def test_the_newest_are_shown_and_then_each_as_it_arrives(walle, staff, shop, monkeypatch):
    store_features([feature(n) for n in range(1, 5)])
    arriving = iter([[feature(5)], [feature(6), feature(7, task="camera/other")], []])

    def wait(_seconds):
        batch = next(arriving)
        if not batch:
            raise KeyboardInterrupt
        store_features(batch)

    monkeypatch.setattr(commands, "sleep", wait)
    done = walle("feature", "tail", "--last", 2, "--task", "camera/look", "--json")
    assert [json.loads(line)["values"]["n"] for line in done.out.splitlines()] == [3, 4, 5, 6]
    assert done.status == Exit.INTERRUPTED

    arriving = iter([[]])
    [row] = walle("feature", "tail", "--last", 1, "--task", "camera/look").rows
    assert row[1:6] == ["shop", "phone", "camera/look", "1.2.0", "500.0"]
    assert json.loads(row[6]) == {"n": 6}


def test_in_a_terminal_a_feature_is_a_line_that_fits(walle, staff, shop, monkeypatch):
    values = {"page": "item/471", "encoding": [0.5] * 32, "seen": {"n": 1}, "score": 0.25, "text": "a\x1b[31mb" * 9}
    old = feature(1)
    store_features([old._replace(tracked_at=old.received_at - 7200), feature(2, values=values, version="1.3.0")])
    terminal = SimpleNamespace(isatty=lambda: True, flush=lambda: None)
    monkeypatch.setattr(commands, "sys", SimpleNamespace(stdout=terminal))
    monkeypatch.setattr(commands, "sleep", _interrupt)
    monkeypatch.setattr(commands, "console", lambda: SimpleNamespace(width=120))
    first, second = walle("feature", "tail").out.splitlines()
    assert "camera/look 1.2.0        2 h  n 1" in first
    assert "camera/look 1.3.0     500 ms  page item/471  encoding [32]  seen {1}  score 0.25" in second
    assert (len(second), second[-1]) == (120, "…")
    assert "\x1b" not in second
    assert walle("feature", "tail", "--version", "1.3.0").out.splitlines() == [second]


def _interrupt(_seconds):
    raise KeyboardInterrupt


def test_an_export_goes_on_where_its_file_ends(walle, staff, shop, tmp_path):
    file = tmp_path / "features.ndjson"
    store_features([feature(1), feature(2), feature(1, device="other")])
    done = walle("feature", "export", file, "--device", "phone")
    assert (done.status, numbers(file)) == (0, [1, 2])
    assert f"walle feature export {file} --resume" in done.out
    assert walle("feature", "export", file).status == Exit.USAGE

    store_features([feature(3), feature(4)])
    # As a machine leaves it that went down.
    file.write_text(file.read_text() + '{"id": 3, "cur')
    told = walle("feature", "export", file, "--device", "phone", "--resume", "--json").json
    assert (numbers(file), told["features"]) == ([1, 2, 3, 4], 2)
    later = tmp_path / "later.ndjson"
    store_features([feature(5)])
    walle("feature", "export", later, "--after", told["next"])
    assert numbers(later) == [5]


def test_a_parquet_file_appears_once_it_is_whole(walle, staff, shop, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    store_features([feature(1), feature(2)])
    file = tmp_path / "features.parquet"
    told = walle("feature", "export", file, "--json").json
    assert pq.read_table(file)["id"].to_pylist() == list(Feature.objects.order_by("id").values_list("id", flat=True))
    assert [path.name for path in tmp_path.iterdir()] == ["features.parquet"]
    store_features([feature(3)])
    later = tmp_path / "later"
    walle("feature", "export", later, "--format", "parquet", "--after", told["next"])
    assert pq.read_table(later).num_rows == 1


@pytest.mark.parametrize(
    "words",
    [["x.parquet", "--resume"], ["x", "--resume", "--after", "c"], ["missing/x"], ["x.parquet", "--format", "csv"]],
)
def test_what_cannot_be_is_said_before_anything_is_asked(walle, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert walle("feature", "export", *words).status == Exit.USAGE
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_no_export_wrote_is_left_alone(walle, tmp_path, monkeypatch):
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n")
    monkeypatch.setenv("WALLE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("WALLE_TOKEN", "wl_x")
    assert walle("feature", "export", file, "--resume").status == Exit.USAGE
    assert file.read_text() == "my notes\n"


class TornServer:
    """Answers with lines of an export, and loses the connection in the middle of one."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.cursors = []

    def __call__(self, request):
        self.cursors.append(request.url.params.get("cursor"))
        return httpx.Response(200, headers={"Walle-Until": "until"}, stream=_Torn(*self._answers.pop(0)))

    def client(self):
        account = StoredAccount("http://walle.example", "wl_secret", "test")
        return ApiClient(account, transport=httpx.MockTransport(self), sleep=lambda _: None)


class _Torn(httpx.SyncByteStream):
    def __init__(self, text, lost):
        self._text, self._lost = text, lost

    def __iter__(self):
        yield self._text.encode()
        if self._lost:
            raise httpx.ReadError("reset")


def line(cursor):
    return json.dumps({"cursor": cursor, "values": {"n": 1}}) + "\n"


def test_a_lost_connection_is_gone_on_after_behind_the_last_whole_line(tmp_path):
    file = tmp_path / "x"
    begun = _answer(line("a") + line("b") + line("c")[:9], lost=True)
    server = TornServer(begun, _answer(line("c"), lost=False))
    with server.client() as client:
        found = exporting.export_lines(client, file, {"task": "a/b"}, resume=False, tell=lambda _: None)
    assert file.read_text() == line("a") + line("b") + line("c")
    assert (server.cursors, found.features, found.next) == ([None, "b"], 3, "until")


def test_a_connection_that_is_always_lost_is_given_up(tmp_path):
    server = TornServer(*[_answer("", lost=True)] * exporting.ATTEMPTS)
    with server.client() as client, pytest.raises(ServerUnreachable, match="reset"):
        exporting.export_lines(client, tmp_path / "x", {}, resume=False, tell=lambda _: None)
    server = TornServer(_answer("PAR1", lost=True))
    with server.client() as client, pytest.raises(ServerUnreachable):
        exporting.export_parquet(client, tmp_path / "y", {}, tell=lambda _: None)
    assert not list(tmp_path.glob("y*"))


def _answer(text, *, lost):
    return (text, lost)
