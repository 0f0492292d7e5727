"""Tasks that mean harm, and what a report may call what came of each under full isolation."""

from __future__ import annotations

from dataclasses import dataclass

from tests.container.support import ATTEMPT, forged, name_me

_FORGED = b'{"error_class": null}\n{"result": 5}'


@dataclass(frozen=True)
class Hostile:
    """A task's main.py, whose `run` gives `{"result": [...]}` when it gets so far, and the error classes it may end in.

    `name` is that of its processes. Limits are 1 second and 64 MB.
    """

    name: str
    source: str
    ends: tuple[str, ...]


def _all_refused(name: str, *attempts: str, prelude: str = "import os, signal, socket") -> Hostile:
    """A task that fails, naming what it could do, unless everything that it attempts is refused."""
    tried = ", ".join(f"attempt(lambda: {attempt})" for attempt in attempts)
    source = f"""
{prelude}
{ATTEMPT}
{name_me(f"walle-{name}")}
def run(inputs, context):
    done = [what for what in [{tried}] if what[0] == "did"]
    if done:
        raise SystemError(f"escaped: {{done}}")
    raise PermissionError("all refused")
"""
    return Hostile(name, source, ("exception:PermissionError",))


HOSTILE = (
    Hostile(
        "fork-bomb",
        f"import os\n{name_me('walle-fork-bomb')}def run(i, c):\n    while True: os.fork()\n",
        ("timeout", "exception:PermissionError"),
    ),
    Hostile(
        "endless-loop",
        f"{name_me('walle-endless-loop')}def run(i, c):\n    while True: pass\n",
        ("timeout",),
    ),
    Hostile(
        "memory-hog",
        "def run(i, c):\n    x = []\n    while True: x.append(bytearray(1_000_000))\n",
        # On a busy machine its second is over first.
        ("memory-limit", "timeout"),
    ),
    Hostile(
        "endless-printing",
        "import os\ndef run(i, c):\n    while True: os.write(1, b'x' * 65536)\n",
        ("timeout",),
    ),
    Hostile(
        "endless-answer",
        "import os\ndef run(i, c):\n    while True: os.write(3, b'x' * 65536)\n",
        ("output-too-large",),
    ),
    Hostile("huge-output", "def run(i, c): return {'result': ['x' * 10_000_000]}\n", ("output-too-large",)),
    Hostile(
        "forged-answer",
        f"import os\ndef run(i, c):\n    os.write(3, {forged(_FORGED)!r})\n    os._exit(0)\n",
        ("output-invalid",),
    ),
    _all_refused(
        "file-escape",
        "open('/etc/shadow').read()", "open('../' * 20 + 'etc/shadow').read()", "open('/root/.bashrc').read()",
        "open(context.path('main.py'), 'w')", "open('/usr/lib/new', 'w')", "os.chroot('/')",
        "os.mknod('disk', 0o60666)", "os.rename(context.path('main.py'), '/scratch/main.py')",
    ),
    _all_refused(
        "network",
        "socket.create_connection(('127.0.0.1', 5432), 1)", "socket.create_connection(('10.0.0.1', 80), 1)",
        "socket.getaddrinfo('example.org', 80)", "socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
    ),
    _all_refused(
        "secrets",
        "open(f'/proc/{os.getppid()}/environ').read()", "open('/proc/1/environ').read()",
        "open('/proc/self/mem', 'rb').read(1)", "os.environ['DATABASE_URL']", "os.environ['WALLE_MASTER_KEY']",
        "os.environ['SECRET_KEY']",
    ),
    _all_refused(
        "killer",
        "os.kill(os.getppid(), signal.SIGKILL)", "os.kill(-1, signal.SIGKILL)", "os.kill(1, signal.SIGKILL)",
        "os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)", "os.setuid(0)",
    ),
)  # fmt: skip
HOSTILE_LIMITS = {"time_ms": 1000, "memory_mb": 64, "output_kb": 64}
