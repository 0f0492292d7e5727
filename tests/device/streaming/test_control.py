"""The control socket of a device: who is answered, and what nonsense, crowds and slow clients come to."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import select
import socket
import stat

import pytest

from walle.device.streaming import control, control_client
from walle.device.streaming.control import MAX_CLIENTS, MAX_REQUEST, NAME, ControlRefused, ControlSocket
from walle.device.streaming.control import ControlUnavailable as Unavailable
from walle.device.streaming.control_client import DeviceControl, NotRunning


def echo(request):
    if "refuse" in request:
        raise ControlRefused("no", "as it was asked to")
    return {"heard": request, "much": "x" * request.get("much", 0)}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "device"
    made.mkdir(mode=0o700)
    return made


async def ask(folder, request):
    return await asyncio.to_thread(DeviceControl(folder).ask, request)


async def opened(folder):
    return await asyncio.open_unix_connection(str(folder / NAME))


async def told(reader):
    return json.loads(await reader.readline())


async def rest(reader):
    """What comes until the connection ends, in one way or the other."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def test_a_request_is_answered_and_a_refused_one_says_why(folder):
    async with ControlSocket(folder, echo):
        assert (await ask(folder, {"a": "ü"}))["heard"] == {"a": "ü"}
        with pytest.raises(ControlRefused, match="as it was asked to") as refused:
            await ask(folder, {"refuse": True})
        assert refused.value.code == "no"


async def test_one_connection_carries_many_requests_also_after_a_refused_one(folder):
    async with ControlSocket(folder, echo):
        reader, writer = await opened(folder)
        writer.write(b'{"n": 1}\n{"refuse": 1}\n{"n": 2}\n')
        assert [(await told(reader)).get("heard") for _ in range(3)] == [{"n": 1}, None, {"n": 2}]
        writer.close()


async def test_the_loop_has_a_turn_between_two_requests(folder):
    turns = itertools.count()
    loop = asyncio.get_running_loop()

    def turn():
        next(turns)
        ticking.append(loop.call_soon(turn))

    ticking = [loop.call_soon(turn)]
    async with ControlSocket(folder, lambda _: {"turn": next(turns)}):
        reader, writer = await opened(folder)
        writer.write(b"{}\n" * 100)
        told = [(json.loads(await reader.readline()))["turn"] for _ in range(100)]
        writer.close()
    ticking[-1].cancel()
    assert all(later - sooner > 1 for sooner, later in itertools.pairwise(told))


async def test_only_the_owner_can_open_it_and_it_is_gone_at_the_end(folder):
    async with ControlSocket(folder, echo):
        assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600
    assert not (folder / NAME).exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense", "malformed"),
        (b"", "malformed"),
        (b"[1]", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b"[" * 50_000, "malformed"),
        (b'{"n": ' + b"9" * 5000 + b"}", "malformed"),
        (b"x" * (MAX_REQUEST + 1), "too-long"),
    ],
)
async def test_what_is_no_request_ends_only_its_connection(folder, line, code):
    async with ControlSocket(folder, echo):
        other_reader, other_writer = await opened(folder)
        reader, writer = await opened(folder)
        writer.write(line + b'\n{"n": 1}\n')
        assert (await told(reader))["error"] == code
        assert await rest(reader) == b""
        other_writer.write(b'{"n": 2}\n')
        assert (await told(other_reader))["heard"] == {"n": 2}
        for one in (writer, other_writer):
            one.close()


async def test_a_request_without_its_end_is_none(folder):
    heard = []
    async with ControlSocket(folder, lambda request: heard.append(request) or {}):
        reader, writer = await opened(folder)
        writer.write(b'{"n": 1}')
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
    assert heard == []


async def test_a_crowd_is_bounded_and_a_place_becomes_free(folder):
    async with ControlSocket(folder, echo):
        crowd = [await opened(folder) for _ in range(MAX_CLIENTS)]
        for reader, writer in crowd:
            writer.write(b"{}\n")
            await told(reader)
        with pytest.raises(ControlRefused, match="try again later"):
            await ask(folder, {})
        reader, writer = crowd.pop()
        writer.write(b"nonsense\n")
        await reader.read()
        assert (await ask(folder, {"n": 1}))["heard"] == {"n": 1}
        for _, other in [*crowd, (reader, writer)]:
            other.close()


async def test_who_says_nothing_is_let_go(folder):
    async with ControlSocket(folder, echo, timeout_s=0.01):
        reader, writer = await opened(folder)
        assert await reader.read() == b""
        writer.close()


async def test_who_takes_no_answer_is_let_go(folder):
    async with ControlSocket(folder, echo, timeout_s=0.01):
        with socket.socket(socket.AF_UNIX) as slow:
            slow.connect(str(folder / NAME))
            slow.sendall(b'{"much": 4000000}\n')
            ended = select.poll()
            ended.register(slow, 0)
            assert await asyncio.to_thread(ended.poll, 30_000)
            assert len(await asyncio.to_thread(slow.recv, 4_000_000, socket.MSG_WAITALL)) < 4_000_000


async def test_a_socket_of_a_killed_process_is_replaced(folder):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(folder / NAME))
    left.close()
    with pytest.raises(NotRunning, match="no device runs in"):
        await ask(folder, {})
    async with ControlSocket(folder, echo):
        assert (await ask(folder, {"n": 1}))["heard"] == {"n": 1}


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling"])
async def test_nothing_else_at_its_path_is_touched(folder, tmp_path, kind):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    match kind:
        case "file":
            (folder / NAME).write_text("kept")
        case "folder":
            (folder / NAME).mkdir()
        case "link":
            (folder / NAME).symlink_to(precious)
        case "dangling":
            (folder / NAME).symlink_to(tmp_path / "new")
    with pytest.raises(Unavailable, match="remove it"):
        async with ControlSocket(folder, echo):
            pass
    assert os.path.lexists(folder / NAME)
    assert (precious.read_text(), (tmp_path / "new").exists()) == ("kept", False)


async def test_there_is_none_where_others_may_write(folder):
    folder.chmod(0o770)
    with pytest.raises(Unavailable, match="chmod 700"):
        async with ControlSocket(folder, echo):
            pass


async def test_a_folder_with_a_long_path_has_one_too(tmp_path):
    folder = tmp_path / ("long" * 30) / "device"
    folder.mkdir(parents=True, mode=0o700)
    async with ControlSocket(folder, echo):
        assert (folder / NAME).is_socket()
        assert (await ask(folder, {"n": 1}))["heard"] == {"n": 1}
    assert not (folder / NAME).exists()


async def test_a_system_without_another_name_for_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(control, "_DESCRIPTORS", tmp_path / "none")
    folder = tmp_path / ("long" * 30)
    folder.mkdir(mode=0o700)
    with pytest.raises(Unavailable, match="shorter path"):
        async with ControlSocket(folder, echo):
            pass


async def test_other_users_are_refused_whatever_the_mode(folder, monkeypatch):
    async with ControlSocket(folder, echo):
        monkeypatch.setattr(control, "peer_user", lambda _: os.geteuid() + 1)
        with pytest.raises(ControlRefused, match="only the user of this device") as refused:
            await ask(folder, {})
        assert refused.value.code == "not-allowed"


def test_a_process_of_somebody_else_at_its_path_is_not_believed(folder, monkeypatch):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / NAME))
        listening.listen()
        monkeypatch.setattr(control_client, "peer_user", lambda _: 4711)
        monkeypatch.setattr(os, "geteuid", lambda: 4712)
        with pytest.raises(ControlRefused, match="another user's"):
            DeviceControl(folder).ask({})


@pytest.mark.parametrize("answer", [b"", b'{"half', b"nonsense\n", b"[]\n"])
async def test_what_is_no_answer_is_an_error(folder, answer):
    async def speak(_, writer):
        writer.write(answer)
        writer.close()

    async with await asyncio.start_unix_server(speak, str(folder / NAME)):
        with pytest.raises(ConnectionError, match="without a whole answer"):
            await ask(folder, {})


def test_no_folder_is_no_device(tmp_path):
    with pytest.raises(NotRunning, match="there is no folder"):
        DeviceControl(tmp_path / "none").ask({})
