"""`make run` as a process of its own: it starts everything, brings it back, and leaves nothing behind."""

import os
import re
import shutil
import signal
import socket
import stat
import sys
import tempfile
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.processes import free_port
from tests.support.waiting import wait_for
from walleweb.embedded.lock import FolderLock
from walleweb.embedded.run import printable_host

START_SECONDS = 180
# What tells the processes apart by their command lines.
MARKS = {
    "postgres": "bin/postgres",
    "web": "uvicorn",
    "worker": "--beat",
    "urgent-worker": "--queues urgent",
    "simulation-worker": "--queues simulations",
    "fleet": "walle.device.emulator",
    "callers": "walleweb.demo.callers",
}
LOCAL_SETTINGS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="walle-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


class Run:
    """One `make run` and what it started."""

    def __init__(self, child, port):
        self.child, self.port = child, port
        self.root = f"http://127.0.0.1:{port}"
        self.seen = {}

    def family(self):
        """The living processes below it, by what they are."""
        parent = psutil.Process(self.child.pid)
        self.seen |= {process.pid: process for process in parent.children(recursive=True)}
        commands = {process: command_of(process) for process in parent.children()}
        return {name: process for process, command in commands.items() for name in MARKS if MARKS[name] in command}

    def is_ready(self):
        assert not self.child.ended(), self.child.output()
        return "Ctrl-C stops everything" in self.child.output()

    def comes_back(self, name, pid):
        def is_back():
            process = self.family().get(name)
            return process is not None and process.pid != pid and self.answers()

        return is_back

    def answers(self):
        try:
            return httpx.get(f"{self.root}/admin/login/", timeout=10).status_code == 200
        except httpx.TransportError:
            return False

    def nothing_is_left(self):
        return not [process for process in self.seen.values() if lives(process)]


def command_of(process):
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def open_to_others(folder):
    """Files that other accounts can read, which only have to guess the names of folders that they may pass through."""
    found = []
    for entry in os.scandir(folder):
        mode = entry.stat(follow_symlinks=False).st_mode
        if entry.is_dir(follow_symlinks=False):
            found += open_to_others(entry.path) if mode & stat.S_IXOTH else []
        elif stat.S_ISREG(mode) and mode & stat.S_IROTH:
            found.append(entry.path)
    return found


def lives(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def walle(children, folder):
    """Starts `make run` on the folder of this test."""

    def start(*, ready=True, **extra):
        inherited = {name: value for name, value in os.environ.items() if name not in LOCAL_SETTINGS}
        port = int(extra.get("WALLE_PORT", 0)) or free_port()
        own = {"WALLE_DATA_DIR": str(folder), "WALLE_PORT": str(port), "WALLE_EMULATED_DEVICES": "2"}
        child = children.python("-m", "walleweb.embedded.run", env={**inherited, **own, **extra}, name="run")
        run = Run(child, port)
        if ready:
            wait_for(run.is_ready, START_SECONDS, child.output)
        return run

    return start


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux only")
def test_everything_starts_comes_back_and_ends(walle, folder):
    first = walle()
    assert set(first.family()) == set(MARKS)
    assert first.answers()
    style = re.search(r'href="(/static/[^"]+\.css)"', httpx.get(f"{first.root}/admin/login/").text)
    assert httpx.get(f"{first.root}{style.group(1)}").status_code == 200
    assert open_to_others(folder) == []
    missing = httpx.get(f"{first.root}/static/none.css")
    assert (missing.status_code, "settings" in missing.text.lower()) == (404, False)
    # Whom the server asks for is not for its clients to say, as uvicorn by itself would let those of this machine.
    bad = {"Authorization": "Bearer wl_nonsense"}
    said = [httpx.get(f"{first.root}/api/v1/me", headers={**bad, "X-Forwarded-For": f"10.0.0.{n}"}) for n in range(52)]
    assert [answer.status_code for answer in said[-2:]] == [429, 429]

    for name in ("web", "postgres"):
        victim = first.family()[name]
        victim.kill()
        wait_for(first.comes_back(name, victim.pid), START_SECONDS, first.child.output)
        assert f"{name} was ended by SIGKILL" in first.child.output()

    first.family()
    first.child.process.send_signal(signal.SIGINT)
    wait_for(first.child.ended, 60, first.child.output)
    assert first.child.process.returncode == 0
    assert first.nothing_is_left()

    second = walle()
    assert "pushed" not in second.child.output(), "the second start finds what the first one pushed"
    second.family()
    second.child.kill()
    wait_for(second.nothing_is_left, 60, lambda: f"the end of {[p for p in second.seen.values() if lives(p)]}")


def test_a_taken_port_is_told_before_anything_starts(walle, folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        run = walle(ready=False, WALLE_PORT=str(port))
        wait_for(run.child.ended, 60)
    assert run.child.process.returncode == 1
    assert f"Port {port} of 127.0.0.1 cannot be used" in run.child.output()
    assert "WALLE_PORT" in run.child.output()
    assert not (folder / "postgres").exists()


def test_a_folder_in_use_is_told_with_the_process_that_has_it(walle, folder):
    lock = FolderLock(folder / "run" / "lock")
    lock.take()
    run = walle(ready=False)
    wait_for(run.child.ended, 60)
    lock.release()
    assert run.child.process.returncode == 1
    assert f"in use by another running Walle (process {os.getpid()})" in run.child.output()


def test_wrong_settings_are_told_in_one_message(walle):
    run = walle(ready=False, WALLE_LOG_FORMAT="xml", WALLE_WORKER_PROCESSES="many")
    wait_for(run.child.ended, 60)
    assert run.child.process.returncode == 1
    assert "WALLE_LOG_FORMAT=xml" in run.child.output()
    assert "WALLE_WORKER_PROCESSES=many" in run.child.output()


def test_error_pages_with_details_are_never_for_others(walle):
    run = walle(ready=False, WALLE_DEBUG="1", WALLE_HOST="0.0.0.0")
    wait_for(run.child.ended, 60)
    assert run.child.process.returncode == 1
    assert "WALLE_DEBUG: others could see its error pages at WALLE_HOST=0.0.0.0" in run.child.output()


def test_hosts_as_a_client_writes_them():
    hosts = ["127.0.0.1", "0.0.0.0", "::", "::1", "walle.example"]
    assert [printable_host(host) for host in hosts] == ["127.0.0.1", "127.0.0.1", "[::1]", "[::1]", "walle.example"]
