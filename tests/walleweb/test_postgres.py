"""The embedded PostgreSQL: where it lives, how it ends, and what a kill -9 leaves."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.waiting import wait_for
from walleweb.embedded import places, postgres
from walleweb.embedded.places import PostgresError
from walleweb.embedded.postgres import VOLATILE, Postgres, database_url, running

pytestmark = pytest.mark.processes

PARENT = str(Path(__file__).with_name("embedded_parent.py"))
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the cluster as another account")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux only")


@pytest.fixture
def folder():
    """A data folder that the cluster's account can reach; pytest closes its own to everybody else."""
    path = Path(tempfile.mkdtemp(prefix="walle-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def server_of(folder):
    return Postgres(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE)


def query(folder, question):
    with psycopg.connect(database_url(folder / "postgres")) as connection:
        return connection.execute(question).fetchone()[0]


def remember(folder, text):
    with psycopg.connect(database_url(folder / "postgres")) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS note (text text)")
        connection.execute("INSERT INTO note VALUES (%s)", [text])


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def is_gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def parent_of_server(children, folder, *options):
    """Starts the parent process and returns it with the process id of its server."""
    parent = children.python(PARENT, str(folder), *options, env={**os.environ, "PYTHONPATH": "."}, name="parent")
    return parent, int(wait_for(parent.output, describe="the server of the parent process"))


def test_it_keeps_its_data_from_one_start_to_the_next(folder):
    for _ in range(2):
        with running(folder / "postgres", log=folder / "postgres.log") as server:
            remember(folder, "kept")
            pid = server.process.pid
        assert is_gone(pid)
    with running(folder / "postgres", log=folder / "postgres.log"):
        assert query(folder, "SELECT count(*) FROM note") == 2


def test_only_its_owner_can_reach_it(folder):
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE) as server:
        assert [mode(folder / "postgres" / name) for name in ("data", "socket", "password")] == [0o700, 0o700, 0o600]
        assert query(folder, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        assert query(folder, "SHOW listen_addresses") == ""
        wrong = database_url(folder / "postgres").replace("walle:", "walle:not-", 1)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(wrong)
        owner = psutil.Process(server.process.pid).uids()
        assert 0 not in owner


def test_no_listening_tcp_port(folder):
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE) as server:
        listening = [item for item in psutil.Process(server.process.pid).net_connections() if item.status == "LISTEN"]
        assert listening == []


def test_a_second_instance_is_told_who_has_the_folder(folder):
    with (
        running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE),
        pytest.raises(PostgresError, match=rf"in use by another running Walle \(process {os.getpid()}\)"),
    ):
        server_of(folder).start()


@on_linux
def test_it_ends_when_its_parent_is_killed(children, folder):
    parent, pid = parent_of_server(children, folder)
    parent.kill()
    wait_for(lambda: is_gone(pid), describe="the server to end after its parent")
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        assert query(folder, "SELECT 1") == 1


@on_linux
def test_it_ends_when_its_parent_just_exits(children, folder):
    _, pid = parent_of_server(children, folder, "--crash")
    wait_for(lambda: is_gone(pid), describe="the server to end after its parent")


def orphan(folder):
    """Start the cluster's server without a parent that would take it along, as after a kill on other systems."""
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        remember(folder, "before")
    place = places.find_folders(folder / "postgres")
    command = [str(place.programs / "bin" / "pg_ctl"), "start", "--wait", "-D", str(place.data)]
    options = f"-c listen_addresses= -c unix_socket_directories={place.sockets}"
    done = subprocess.run(
        [*command, "-o", options, "-l", str(place.home / "socket" / "log")],
        check=False,
        capture_output=True,
        text=True,
        cwd=place.home,
        **postgres.identity(place.account),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return int((place.data / "postmaster.pid").read_text().split()[0])


def test_an_orphan_is_stopped_and_its_data_kept(folder):
    pid = orphan(folder)
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE) as server:
        assert is_gone(pid)
        assert server.process.pid != pid
        assert query(folder, "SELECT text FROM note") == "before"


def test_what_a_killed_server_leaves_is_recovered(folder):
    server = Postgres(folder / "postgres", log=folder / "postgres.log")
    server.start()
    remember(folder, "before")
    server.process.send_signal(signal.SIGKILL)
    wait_for(lambda: server.poll() is not None, describe="the server to be gone")
    assert (folder / "postgres" / "data" / "postmaster.pid").exists()
    server.start()
    try:
        assert query(folder, "SELECT text FROM note") == "before"
    finally:
        server.stop()


def test_a_process_that_took_a_dead_servers_number_is_left_alone(folder, children):
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        pass
    bystander = children.python("-c", "import threading; threading.Event().wait()")
    pid_file = folder / "postgres" / "data" / "postmaster.pid"
    pid_file.write_text(f"{bystander.pid}\n{folder}/postgres/data\n")
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        assert query(folder, "SELECT 1") == 1
    assert not bystander.ended()


def test_an_interrupted_initdb_is_begun_again(folder):
    unfinished = folder / "postgres" / "data.new"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18")
    folder.joinpath("postgres").chmod(0o755)
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        assert query(folder, "SELECT 1") == 1
    assert not unfinished.exists()


def test_a_cluster_of_another_version_is_not_touched(folder):
    (folder / "postgres" / "data").mkdir(parents=True)
    (folder / "postgres" / "data" / "PG_VERSION").write_text("16\n")
    with pytest.raises(PostgresError, match="was made by PostgreSQL 16; this Walle runs 18"):
        server_of(folder).start()


def test_a_start_that_fails_quotes_the_log_and_frees_the_folder(folder):
    server = Postgres(folder / "postgres", log=folder / "postgres.log", settings={"no_such_setting": "1"})
    with pytest.raises(PostgresError, match="no_such_setting"):
        server.start()
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        pass


def test_a_long_path_gets_a_short_socket(folder):
    deep = folder / ("x" * 90)
    deep.mkdir(mode=0o755)
    deep.chmod(0o755)
    with running(deep / "postgres", log=deep / "postgres.log", settings=VOLATILE):
        assert query(deep, "SELECT 1") == 1
    sockets = places.find_folders(deep / "postgres").sockets
    assert mode(sockets) == 0o700
    shutil.rmtree(sockets)


@needs_root
def test_a_closed_parent_folder_stays_closed_and_the_cluster_moves_out(folder, monkeypatch):
    state = folder / "state"
    state.mkdir()
    monkeypatch.setattr(places, "SYSTEM_STATE", state)
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    package = places.packaged_programs().parent
    shutil.copytree(package, closed / package.name, symlinks=True)
    shutil.copytree(package.with_name(f"{package.name}.libs"), closed / f"{package.name}.libs", symlinks=True)
    monkeypatch.setattr(places, "packaged_programs", lambda: closed / package.name / places.INSTALLATION)
    for _ in range(2):
        with running(closed / "walle" / "postgres", log=folder / "postgres.log", settings=VOLATILE):
            assert query(closed / "walle", "SELECT 1") == 1
    assert mode(closed) == 0o700
    (home,) = state.iterdir()
    assert (home / "data" / "PG_VERSION").exists()
    assert places.find_folders(closed / "walle" / "postgres").programs.is_relative_to(home)


@needs_root
def test_a_cluster_whose_folder_was_closed_later_is_named(folder):
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
        pass
    folder.chmod(0o700)
    with pytest.raises(PostgresError, match="make every folder above it passable"):
        server_of(folder).start()


@needs_root
def test_a_prepared_socket_folder_of_somebody_else_is_refused(folder):
    (folder / "postgres").mkdir(mode=0o755)
    (folder / "postgres").chmod(0o755)
    (folder / "postgres" / "socket").mkdir()
    os.chown(folder / "postgres" / "socket", 12345, 12345)
    with pytest.raises(PostgresError, match="belongs to somebody else"):
        server_of(folder).start()
