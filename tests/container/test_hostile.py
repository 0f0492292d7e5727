"""Tasks that mean harm, run for real, in each kind of isolation that the machine has.

Each test is a given task, a run, and what must hold afterwards of the result and of the machine.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.container.conftest import ISOLATIONS
from tests.container.support import (
    ATTEMPT,
    WarmRuns,
    forged,
    manifest,
    name_me,
    processes_named,
    run_source,
    write_bundle,
)
from tests.support.waiting import wait_for
from walle.container.worker.task import ENVIRONMENT

pytestmark = pytest.mark.processes


@pytest.fixture(params=["cold", "warm"])
def sandbox(request, sandboxes):
    """The sandbox with full isolation: for single runs, and for the second run of a VM that is kept."""
    return sandboxes("full isolation") if request.param == "cold" else WarmRuns(sandboxes("full isolation"))


@pytest.fixture(params=[*ISOLATIONS, *(f"{isolation}, warm" for isolation in ISOLATIONS)])
def any_sandbox(request, sandboxes):
    """Each kind of isolation, for both."""
    isolation, _, warm = request.param.partition(", ")
    return WarmRuns(sandboxes(isolation)) if warm else sandboxes(isolation)


HARMLESS = "def run(i, c): return {'result': ['fine']}"


def refusals(result) -> list[str]:
    """The errors that refused each attempt of a task; fails if an attempt succeeded."""
    assert result.ok, result
    assert all(word == "refused" for word, _ in result.output["result"]), result.output
    return [error for _, error in result.output["result"]]


# -- time ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "import time; time.sleep(1000)",
        "import signal\n    for n in range(1, 60):\n        try: signal.signal(n, signal.SIG_IGN)\n"
        "        except (OSError, ValueError): pass\n    while True: pass",
        "sum(range(10**18))",
        "import threading; threading.Event().wait()",
        "import select; select.select([], [], [])",
    ],
)
def test_an_endless_run_is_ended_at_its_limit(any_sandbox, tmp_path, loop):
    source = f"{name_me('walle-endless')}def run(i, c):\n    {loop}\n"
    result = run_source(any_sandbox, tmp_path, source, limits={"time_ms": 400})
    assert result.error_class == "timeout"
    assert result.message == "the task ran longer than 400 ms"
    assert 395 < result.duration_ms < 3000
    assert processes_named("walle-endless") == []


def test_the_limit_covers_the_loading_of_the_module(sandbox, tmp_path):
    assert run_source(sandbox, tmp_path, "while True: pass", limits={"time_ms": 200}).error_class == "timeout"


def test_what_was_used_until_the_limit_is_reported(any_sandbox, tmp_path):
    source = "def run(i, c):\n    x = bytearray(60_000_000)\n    print('at work')\n    while True: pass"
    result = run_source(any_sandbox, tmp_path, source, limits={"time_ms": 700})
    assert result.error_class == "timeout"
    assert result.peak_memory_kb > 60_000
    assert result.cpu_ms > 50
    assert result.logs == "at work\n"


# -- memory --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hog",
    [
        "x = bytearray(10**9)",
        "x = []\n    while True: x.append(bytearray(1000_000))",
        "x = [0]\n    while True: x = x + x",
        "x = 'ab' * 10**9",
        "import numpy; x = numpy.ones((20_000, 20_000))",
        "import mmap; x = mmap.mmap(-1, 10**9, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
    ],
)
def test_a_memory_hog_stops_at_its_limit(any_sandbox, tmp_path, hog):
    result = run_source(any_sandbox, tmp_path, f"def run(i, c):\n    {hog}\n", requires={"modules": ["numpy"]})
    assert result.error_class == "memory-limit", result
    assert result.peak_memory_kb < 250_000


def test_shared_memory_is_no_way_around_the_limit(any_sandbox, tmp_path):
    source = f"""
import ctypes, mmap, os
{ATTEMPT}
def fill():
    shared = mmap.mmap(-1, 3 * 10**9)
    for at in range(0, len(shared), 4096):
        shared[at] = 1
def memfd():
    held = []
    while True:
        held.append(os.memfd_create("x"))
        for _ in range(1000):
            os.write(held[-1], bytes(1_000_000))
def run(inputs, context):
    return {{"result": [attempt(fill), attempt(memfd)]}}
"""
    result = run_source(any_sandbox, tmp_path, source)
    assert refusals(result)[0] in ("PermissionError", "OSError")
    assert result.peak_memory_kb < 250_000


def test_a_limit_smaller_than_the_interpreter_still_lets_small_tasks_run(sandbox, tmp_path):
    assert run_source(sandbox, tmp_path, HARMLESS, limits={"memory_mb": 1}).error_class in (None, "memory-limit")
    assert run_source(sandbox, tmp_path, HARMLESS, limits={"memory_mb": 8}).ok


@pytest.mark.parametrize("name", ["a\\x0cb", "\\xff\\xfe", "a\\rVmSwap:x", "a\\nVmSwap:x"])
def test_what_a_process_calls_itself_disturbs_nobody(any_sandbox, tmp_path, name):
    source = f"""
import ctypes, time
def run(inputs, context):
    ctypes.CDLL(None).prctl(15, b"{name}", 0, 0, 0)
    time.sleep(0.05)
    return {{"result": []}}
"""
    assert run_source(any_sandbox, tmp_path, source).ok


# -- processes and threads -----------------------------------------------------------------------------------


def test_a_fork_bomb_leaves_nothing_behind(any_sandbox, tmp_path):
    source = f"""
import os
{name_me("walle-bomb")}
def run(inputs, context):
    while True:
        try:
            os.fork()
        except BlockingIOError:
            pass
"""
    result = run_source(any_sandbox, tmp_path, source, limits={"time_ms": 700})
    assert result.error_class in ("timeout", "exception:PermissionError", "memory-limit")
    assert processes_named("walle-bomb") == []
    assert run_source(any_sandbox, tmp_path, HARMLESS).ok


def test_a_daemon_does_not_outlive_its_run(any_sandbox, tmp_path):
    source = f"""
import os, signal, time
{name_me("walle-daemon")}
def run(inputs, context):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(1000)
            os._exit(0)
    except PermissionError:
        pass
    return {{"result": []}}
"""
    assert run_source(any_sandbox, tmp_path, source).ok
    wait_for(lambda: processes_named("walle-daemon") == [], 5)


def test_a_thread_bomb_meets_a_limit(any_sandbox, tmp_path):
    source = """
        import threading
        threading.stack_size(64 * 1024)
        def run(inputs, context):
            event = threading.Event()
            started = 0
            try:
                while True:
                    threading.Thread(target=event.wait, daemon=True).start()
                    started += 1
            except (RuntimeError, MemoryError):
                event.set()
            return {"result": [started]}
    """
    result = run_source(any_sandbox, tmp_path, source)
    if "threads" in result.enforced:
        assert 10 < result.output["result"][0] <= 40
    else:
        # Without a count of their own, threads are limited by the memory they take, or by time.
        assert result.ok or result.error_class in ("timeout", "memory-limit")


def test_other_programs_cannot_be_started_behind_the_filter(sandbox, tmp_path):
    source = f"""
import os, subprocess, sys
{ATTEMPT}
def run(inputs, context):
    return {{"result": [
        attempt(lambda: subprocess.run(["/bin/sh", "-c", "true"])),
        attempt(lambda: os.system("true") and 1 / 0),
        attempt(lambda: os.execv("/bin/true", ["true"])),
        attempt(lambda: os.posix_spawn("/bin/true", ["true"], {{}})),
        attempt(os.fork),
    ]}}
"""
    result = run_source(sandbox, tmp_path, source)
    assert result.output["result"][1][1] in ("ZeroDivisionError", "-1")
    assert [error for word, error in result.output["result"] if word == "did"] in ([], ["-1"])


def test_parents_and_neighbours_cannot_be_killed(any_sandbox, tmp_path):
    neighbour = write_bundle(
        tmp_path / "neighbour", "import time\ndef run(i, c):\n    time.sleep(1.5)\n    return {'result': []}"
    )
    victim = subprocess.Popen(["sleep", "60"], user=None)
    source = f"""
import os, signal
{ATTEMPT}
def run(inputs, context):
    targets = [os.getppid(), {os.getpid()}, {victim.pid}, -1, 1] + list(range(2, 400))
    me = os.getpid()
    return {{"result": [attempt(lambda: os.kill(t, signal.SIGKILL))[0] for t in targets if t not in (me, -me)]}}
"""
    started = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(lambda: (started.set(), any_sandbox.run(neighbour, manifest(), {}))[1])
        started.wait()
        result = run_source(any_sandbox, tmp_path / "killer", source)
        assert result.ok or result.error_class.startswith("crashed"), result
        assert future.result().ok
    assert victim.poll() is None
    victim.kill()
    victim.wait()
    assert run_source(any_sandbox, tmp_path / "after", HARMLESS).ok


def test_a_run_ends_when_the_program_that_asked_for_it_is_killed(tmp_path):
    name = "walle-orphan"
    write_bundle(tmp_path, f"{name_me(name)}def run(i, c):\n    while True: pass")
    program = (
        "from pathlib import Path\nfrom walle.container.sandbox import Sandbox\n"
        "from tests.container.support import manifest\n"
        f"Sandbox().run(Path({str(tmp_path)!r}), manifest(limits={{'time_ms': 60000}}), {{}})\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2]) as asker:
        wait_for(lambda: processes_named(name))
        asker.kill()
    wait_for(lambda: processes_named(name) == [])


# -- output --------------------------------------------------------------------------------------------------


def test_endless_printing_is_cut_and_ended(any_sandbox, tmp_path):
    source = "import os\ndef run(i, c):\n    while True: os.write(1, b'x' * 65536)"
    result = run_source(any_sandbox, tmp_path, source, limits={"time_ms": 500})
    assert result.error_class == "timeout"
    assert result.logs.startswith("xxx")
    assert result.logs.endswith("bytes more")
    assert len(result.logs) < 64 * 1024 + 100


def test_an_endless_answer_is_cut_and_ended(any_sandbox, tmp_path):
    source = "import os\ndef run(i, c):\n    while True: os.write(3, b'x' * 65536)"
    result = run_source(any_sandbox, tmp_path, source, limits={"time_ms": 20_000})
    assert result.error_class == "output-too-large"


@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        (b"garbage", "output-invalid"),
        (b"[]\n{}", "output-invalid"),
        (b"{}\n", "output-invalid"),
        (b"{}\n{\"result\": 5}", "output-invalid"),
        (b"{}\n" + b"[" * 60_000, "output-invalid"),
        (b"\xff\xfe\n{}", "output-invalid"),
        (b'{"error_class": "timeout"}\n', "exception:Exception"),
        (b'{"error_class": "sandbox-error", "message": 5}\n', "exception:Exception"),
        (b'{"error_class": "exception:a b"}\n', "exception:Exception"),
        (b'{"error_class": ["x"]}\n', "exception:Exception"),
        (b'{"metrics": {"m": 1' + b"0" * 400 + b'}, "error_class": "memory-limit"}\n', "memory-limit"),
        (b'{"error_class": "exception:Odd", "message": "a\\u0000\\ud800"}\n', "exception:Odd"),
        (b'{"metrics": {"m": 1e999, "n": 2, "k": "x"}, "error_class": "memory-limit"}\n', "memory-limit"),
    ],
)  # fmt: skip
def test_a_forged_answer_is_checked_like_any_other(sandbox, tmp_path, answer, error_class):
    source = f"import os\ndef run(i, c):\n    os.write(3, {forged(answer)!r})\n    os._exit(0)"
    result = run_source(sandbox, tmp_path, source, metrics={"m": {}, "k": {}})
    assert result.error_class == error_class
    assert result.metrics == {}
    assert "\0" not in result.message.encode().decode()


def test_closed_handles_and_replaced_streams_harm_only_the_task(sandbox, tmp_path):
    closed = run_source(sandbox, tmp_path / "a", "import os\ndef run(i, c):\n    os.closerange(0, 64)\n    return {}")
    assert closed.error_class == "crashed:exit-1"
    source = "import sys\ndef run(i, c):\n    sys.stdout = sys.stderr = None\n    return {'result': []}"
    assert run_source(sandbox, tmp_path / "b", source).ok
    source = "import builtins, json, os\ndef run(i, c):\n    json.dumps = os.write = None\n    return {'result': []}"
    assert run_source(sandbox, tmp_path / "c", source).error_class.startswith(("crashed", "exception"))


# -- files ---------------------------------------------------------------------------------------------------


def test_files_outside_the_bundle_cannot_be_read(any_sandbox, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    secret.chmod(0o600)
    (tmp_path / "bundle").mkdir()
    source = f"""
import os, pathlib
{ATTEMPT}
def run(inputs, context):
    (context.scratch / "link").symlink_to({str(secret)!r})
    paths = [{str(secret)!r}, context.scratch / "link", "/etc/shadow", "/root/.bashrc", "/proc/1/environ",
             "../../../../../../../..{secret}"]
    return {{"result": [attempt(lambda: open(path).read()) for path in paths]}}
"""
    refusals(run_source(any_sandbox, tmp_path / "bundle", source))


def test_the_bundle_and_the_system_cannot_be_written(any_sandbox, tmp_path):
    source = f"""
import os, pathlib, sys
{ATTEMPT}
def run(inputs, context):
    bundle = context.path("main.py").parent
    return {{"result": [
        attempt(lambda: context.path("main.py").write_text("x")),
        attempt(lambda: (bundle / "new").write_text("x")),
        attempt(lambda: context.path("main.py").unlink()),
        attempt(lambda: context.path("main.py").rename(context.scratch / "main.py")),
        attempt(lambda: os.chmod(context.path("main.py"), 0o777)) if os.getuid() != {os.getuid()} else
            ["refused", ""],
        attempt(lambda: open(os.__file__, "a")),
        attempt(lambda: open("/new", "w")),
        attempt(lambda: open("/usr/lib/new", "w")),
        attempt(lambda: open({str(tmp_path / "escaped")!r}, "w")),
        attempt(lambda: os.link(context.path("main.py"), context.scratch / "hard") or
                open(context.scratch / "hard", "w")),
    ]}}
"""
    before = source
    refusals(run_source(any_sandbox, tmp_path / "bundle", source))
    assert (tmp_path / "bundle" / "main.py").read_text().strip() == before.strip()
    assert not (tmp_path / "escaped").exists()


def test_the_scratch_folder_is_limited_and_removed(any_sandbox, tmp_path):
    source = """
        import os
        def run(inputs, context):
            os.makedirs(context.scratch / "deep" / "er")
            os.chmod(context.scratch / "deep", 0)
            written = 0
            try:
                with open(context.scratch / "big", "wb") as file:
                    while True:
                        written += file.write(bytes(1_000_000))
            except OSError as error:
                return {"result": [written // 1_000_000, str(context.scratch)]}
    """
    result = run_source(any_sandbox, tmp_path, source)
    written, scratch = result.output["result"]
    assert written <= 70
    assert not Path(scratch).exists() or scratch == "/scratch"


def test_files_without_a_name_count_too_where_the_supervisor_may_see_them(sandboxes, tmp_path):
    source = """
        import os, time
        def run(inputs, context):
            held = []
            for number in range(14):
                held.append(open(context.scratch / str(number), "wb"))
                os.unlink(context.scratch / str(number))
                held[-1].write(bytes(5_000_000))
                held[-1].flush()
            time.sleep(60)
    """
    result = run_source(sandboxes("no namespaces"), tmp_path, source, limits={"time_ms": 5000})
    if os.geteuid() != 0:
        # It may not look into the handles of a process that gave up its privileges.
        assert result.error_class == "timeout"
        return
    assert (result.error_class, result.message) == (
        "memory-limit",
        "the task kept more in its scratch folder than that may hold",
    )


# -- network -------------------------------------------------------------------------------------------------


def test_there_is_no_network(any_sandbox, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        server.settimeout(0.2)
        address = f"\0walle-test-{os.getpid()}"
        local.bind(address)
        local.listen()
        local.settimeout(0.2)
        source = f"""
import socket, urllib.request
{ATTEMPT}
def connect(family, kind, address):
    with socket.socket(family, kind) as s:
        s.settimeout(2)
        s.connect(address)
        s.send(b"x")
def run(inputs, context):
    port = {server.getsockname()[1]}
    return {{"result": [
        attempt(lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port))),
        attempt(lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port))),
        attempt(lambda: connect(socket.AF_INET6, socket.SOCK_STREAM, ("::1", port))),
        attempt(lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, {address!r})),
        attempt(lambda: urllib.request.urlopen(f"http://127.0.0.1:{{port}}", timeout=2)),
    ]}}
"""
        refusals(run_source(any_sandbox, tmp_path, source))
        with pytest.raises(TimeoutError):
            server.accept()
        with pytest.raises(TimeoutError):
            local.accept()


# -- secrets -------------------------------------------------------------------------------------------------


def test_the_environment_and_handles_of_the_program_stay_hidden(any_sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("WALLE_SECRET", "hunter2")
    # Made inheritable on purpose: the worker must not pass it on all the same.
    handle = os.open("/etc/passwd", os.O_RDONLY)
    os.set_inheritable(handle, True)
    source = f"""
import os
{ATTEMPT}
def is_open(handle):
    try:
        os.fstat(handle)
    except OSError:
        return False
    return True
def run(inputs, context):
    environments = [attempt(lambda: open(f"/proc/{{pid}}/environ").read())[1]
                    for pid in ["self", os.getppid(), {os.getpid()}, 1]]
    return {{"result": [dict(os.environ), environments, [h for h in range(64) if is_open(h)]]}}
"""
    result = run_source(any_sandbox, tmp_path, source)
    os.close(handle)
    environment, environments, handles = result.output["result"]
    assert set(environment) == {"HOME", "TMPDIR", *ENVIRONMENT}
    assert not any("hunter2" in text for text in environments)
    assert handles == [0, 1, 2, 3]


# -- privileges ----------------------------------------------------------------------------------------------


def test_privileges_cannot_be_won_back(any_sandbox, tmp_path):
    source = f"""
import ctypes, os
{ATTEMPT}
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)
def run(inputs, context):
    return {{"result": [
        attempt(lambda: os.setuid(0)),
        attempt(lambda: os.setresuid(0, 0, 0)),
        attempt(lambda: os.setgroups([0])),
        attempt(lambda: call("mount", b"none", b"/", b"tmpfs", 0, None)),
        attempt(lambda: call("umount2", b"/bundle", 2)),
        attempt(lambda: os.chroot("/")),
        attempt(lambda: call("sethostname", b"x", 1)),
        attempt(lambda: call("setns", 0, 0)),
        attempt(lambda: os.mknod(context.scratch / "disk", 0o60666, os.makedev(254, 0))),
        attempt(lambda: os.nice(-10)),
        attempt(lambda: call("ptrace", 16, os.getppid(), 0, 0)),
    ]}}
"""
    result = run_source(any_sandbox, tmp_path, source)
    refusals(result)


def test_a_task_does_not_choose_its_processors(sandbox, tmp_path):
    source = f"""
import os
{ATTEMPT}
def run(inputs, context):
    return {{"result": [
        attempt(lambda: os.sched_setaffinity(0, range(os.cpu_count()))),
        attempt(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))),
    ]}}
"""
    refusals(run_source(sandbox, tmp_path, source))


def test_new_namespaces_are_refused_by_the_filter(sandbox, tmp_path):
    source = f"""
import ctypes
{ATTEMPT}
def unshare(flag):
    if ctypes.CDLL(None).unshare(flag) != 0:
        raise OSError("unshare")
def run(inputs, context):
    return {{"result": [attempt(lambda: unshare(flag)) for flag in (0x10000000, 0x20000, 0x40000000, 0)]}}
"""
    refusals(run_source(sandbox, tmp_path, source))


def test_every_wall_is_named_with_what_it_stands_on(any_sandbox, tmp_path):
    enforced = run_source(any_sandbox, tmp_path, HARMLESS).enforced
    assert {"files", "network", "processes", "memory", "time"} <= set(enforced)
    assert ("user" in enforced) == (os.geteuid() == 0)


def test_many_hostile_runs_at_once_all_end(sandboxes, tmp_path):
    sandbox = sandboxes("full isolation")
    name = "walle-many"
    write_bundle(tmp_path, f"{name_me(name)}import os\ndef run(i, c):\n    while True: os.write(1, b'x' * 1000)")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: sandbox.run(tmp_path, manifest(limits={"time_ms": 200}), {}), range(16)))
    assert {result.error_class for result in results} == {"timeout"}
    assert processes_named(name) == []


def test_a_link_in_a_bundle_leads_nowhere(any_sandbox, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    secret.chmod(0o600)
    source = f"{ATTEMPT}\ndef run(i, c):\n    return {{'result': [attempt(lambda: c.path('link').read_text())]}}"
    bundle = write_bundle(tmp_path / "bundle", source)
    (bundle / "link").symlink_to(secret)
    refusals(any_sandbox.run(bundle, manifest(), {}))
