"""`make run`: the complete Walle on one machine, with nothing else installed.

Prepares the database and the demonstration, then supervises the web server, the worker and the emulated fleet until
Ctrl-C. Order: port and folder free, database, migrations, demonstration, programs, example tasks, fleet.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from types import FrameType

import psycopg
from rich.console import Console
from rich.markup import escape

from walleweb.config import BASE_DIR, Config, ConfigError
from walleweb.databases import effective_database_url
from walleweb.embedded.commands import (
    WEB_DATABASE_POOL,
    enrolments_of_the_fleet,
    mail_into_files,
    serving_command,
    web_command,
    worker_commands,
)
from walleweb.embedded.lock import FolderLock, LockHeld
from walleweb.embedded.places import PostgresError, find_folders
from walleweb.embedded.postgres import Postgres
from walleweb.embedded.summary import News, summary
from walleweb.embedded.supervisor import Program, Supervisor
from walleweb.logs import redact_text
from walleweb.private_files import own_folder

WEB_SECONDS = 180.0
TICK_SECONDS = 0.2
SUMMARY_SECONDS = 1.0
# Without a terminal the summary is a log line.
PLAIN_SUMMARY_SECONDS = 60.0
TESTERS_ONE_IN = 10
# PostgreSQL's folder has an owner of its own; artifacts may belong to a web server's group (walle.artifacts.local).
PRIVATE_FOLDERS = ("demo", "devices", "explanations", "git", "logs", "mail", "run", "serving", "simulations")


class CannotRun(Exception):
    """Walle cannot start here; the message says why and what would help."""


class Interrupted(BaseException):
    """A signal requested the end."""


def main() -> int:
    """Run until a signal; returns the exit status."""
    console = Console(highlight=False)
    try:
        with signals_interrupt():
            config = Config.from_env()
            with held_folder(config.data_dir):
                Walle(config, console).run()
    except Interrupted:
        console.print("Walle has stopped.")
    except (CannotRun, ConfigError, PostgresError) as error:
        console.print(f"[bold red]Walle cannot start.[/] {error}", soft_wrap=True)
        return 1
    return 0


class Walle:
    """One run of everything."""

    def __init__(self, config: Config, console: Console) -> None:
        self.config, self.console = config, console
        self.logs = config.data_dir / "logs"
        self.supervisor = Supervisor(report=lambda line: console.print(f"[yellow]{line}[/]"))

    def run(self) -> None:
        """Prepare, start and supervise everything; ends by an exception, with everything stopped."""
        check_port_is_free(self.config.host, self.config.port)
        began = time.monotonic()
        with self.serving():
            with self.step("Example tasks"):
                self._publish_examples()
            if self.config.emulated_devices:
                with self.step("Emulated devices"):
                    self.start_fleet(*self._crowd)
                    self._start_callers()
                    self._start_stories(*self._crowd)
            self._print_addresses(time.monotonic() - began)
            self._watch()

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Run the database, the web server and the worker for the length of the block; yields the web address."""
        try:
            self._start_database()
            # Loading Django takes each process seconds: without migrations, all processes load it in parallel.
            early = has_own_migrations(effective_database_url(self.config))
            if early:
                self._start_programs()
            self._prepare()
            with self.step("Web server"):
                if not early:
                    self._start_programs()
                self._wait_for_web()
            yield self._root
        finally:
            with self.step("Stopping"):
                self.supervisor.stop()

    def _start_database(self) -> None:
        if self.config.embedded_postgres is None:
            return
        with self.step("Database"):
            log = self.logs / "postgres.log"
            self.supervisor.start(Postgres(self.config.embedded_postgres, log=log))
        self._print_database_folder(self.config.embedded_postgres)

    def _prepare(self) -> None:
        with self.step("Migrations"):
            set_up_django()
            migrate()
        with self.step("Demonstration"):
            from django.utils import timezone

            from walleweb.demo import seed

            seed.seed(now=timezone.now())

    def _print_database_folder(self, directory: Path) -> None:
        home = find_folders(directory).home
        if home != directory:
            self.console.print(f"  [dim]its files are in {home}: PostgreSQL's account cannot reach {directory}[/]")

    def _start_programs(self) -> None:
        mail = mail_into_files(self.config)
        extra = {"WALLE_DATABASE_POOL": WEB_DATABASE_POOL, **enrolments_of_the_fleet(self.config), **mail}
        self.supervisor.start(self._program("web", web_command(self.config), **extra))
        for name, command in worker_commands(self.config).items():
            worker = self._program(name, command, WALLE_DATABASE_POOL="0", **mail)
            # Jobs are leased: a killed worker loses none, and one that stops gracefully could outlive us.
            worker.death_signal = signal.SIGKILL
            self.supervisor.start(worker)
        self.supervisor.start(self._program("serving", serving_command(self.config)))

    @property
    def _crowd(self) -> tuple[int, int]:
        """Return how many devices are emulated, and how many more of testers; one in ten is a tester's."""
        devices = self.config.emulated_devices
        testers = -(-devices // TESTERS_ONE_IN) if devices > 1 else 0
        return devices - testers, testers

    def start_fleet(self, devices: int, testers: int, **browsing: float) -> None:
        """Start the emulated devices, and supervise them; `browsing` is as in `emulator_arguments`."""
        from walleweb.demo import secrets
        from walleweb.demo.fleet import emulator_arguments

        arguments = emulator_arguments(self._root, self.config.data_dir, devices, testers, **browsing)
        emulator = ("-m", "walle.device.emulator", *arguments)
        self.supervisor.start(self._program("fleet", emulator, WALLE_APP_KEY=secrets.app_key()))

    def _start_callers(self) -> None:
        """Start the callers of the example pipeline."""
        from django.utils import timezone

        from walleweb.demo import seed

        callers = ("-m", "walleweb.demo.callers", "--server", self._root, "--app", seed.APP)
        token = seed.token(now=timezone.now())
        self.supervisor.start(self._program("callers", callers, WALLE_TOKEN=token))

    def _start_stories(self, devices: int, testers: int) -> None:
        """Start the demonstration releases, which run in the background until they have ended."""
        from django.utils import timezone

        from walleweb.demo import seed

        about = ("--server", self._root, "--app", seed.APP, "--app-versions", *seed.APP_VERSIONS)
        stories = ("-m", "walleweb.demo.stories", *about, "--devices", str(devices), "--testers", str(testers))
        token = seed.token(now=timezone.now())
        self.supervisor.start(self._program("stories", stories, WALLE_TOKEN=token), may_end=True)

    def _publish_examples(self) -> None:
        """Push the example tasks with git and release them, as a developer would."""
        from django.utils import timezone

        from walleweb.demo import examples, seed
        from walleweb.demo.strategies import AT_ONCE, in_stages

        token = seed.token(now=timezone.now())
        strategy = in_stages(*self._crowd) if self.config.emulated_devices else AT_ONCE
        about = (self._root, token, seed.APP, list(seed.APP_VERSIONS))
        try:
            # Not every user browses, so no stage of a stream task would have the reports that it waits for; and a
            # pipeline that nothing answers for yet has nothing to be compared with.
            at_once = (examples.IPV, examples.MOOD)
            for line in chain(examples.publish(*about, strategy), examples.publish(*about, AT_ONCE, chosen=at_once)):
                self.console.print(f"  [dim]{line}[/]")
        except subprocess.CalledProcessError as error:
            raise CannotRun(f"An example task was not accepted; git said:\n{error.stderr}") from error

    @property
    def _root(self) -> str:
        return f"http://{printable_host(self.config.host)}:{self.config.port}"

    def _program(self, name: str, arguments: tuple[str, ...], **extra: str) -> Program:
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "walleweb.settings", "PYTHONUNBUFFERED": "1", **extra}
        return Program(name, (sys.executable, *arguments), self.logs / f"{name}.log", environment)

    def _wait_for_web(self) -> None:
        deadline = time.monotonic() + WEB_SECONDS
        while not answers(self.config.host, self.config.port):
            self.supervisor.tick()
            if time.monotonic() > deadline:
                raise CannotRun(f"The web server does not answer; see {self.logs / 'web.log'}")
            time.sleep(TICK_SECONDS)

    def _print_addresses(self, seconds: float) -> None:
        from walleweb.demo import secrets, seed

        root = self._root
        self.console.print(f"\n[bold]Walle runs[/] (ready in {seconds:.1f} s)\n")
        self.console.print(f"  Dashboard {root}/")
        self.console.print(f"  API       {root}/api/v1/docs")
        self.console.print(f"  Git       {root}/git/<scenario>.git")
        self.console.print(f"  Devices   {root}/walle/v1")
        self.console.print(f"  Log in    {seed.USER} / {secrets.password()}")
        self.console.print(f"  Logs      {self.logs}")
        if self.config.mail_server is None:
            self.console.print(f"  E-mail    {self.config.data_dir / 'mail'}")
        self.console.print("\nCtrl-C stops everything.\n")

    def _watch(self) -> None:
        every = SUMMARY_SECONDS if self.console.is_terminal else PLAIN_SUMMARY_SECONDS
        news, news_due, due = News(), 0.0, 0.0
        with self.console.status("") as line:
            while True:
                self.supervisor.tick()
                if time.monotonic() >= news_due:
                    news_due = time.monotonic() + SUMMARY_SECONDS
                    for move in news.read():
                        self.console.print(f"[dim]{datetime.now():%H:%M:%S}[/] {escape(move)}", soft_wrap=True)
                if time.monotonic() >= due:
                    due = time.monotonic() + every
                    text = summary()
                    line.update(text) if self.console.is_terminal else self.console.print(text, soft_wrap=True)
                time.sleep(TICK_SECONDS)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Print what is going on during the block, and then how long it took."""
        began = time.monotonic()
        with self.console.status(f"{name} ..."):
            yield
        self.console.print(f"[green]✓[/] {name} [dim]{time.monotonic() - began:.1f} s[/]")


def set_up_django() -> None:
    """Load Walle's settings in this process."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "walleweb.settings"
    import django

    django.setup()


def has_own_migrations(database_url: str) -> bool:
    """Return whether every migration of this project's apps is in the database, without loading Django.

    Other migrations, of an updated requirement, are fast and do not change what our programs read.
    """
    files = BASE_DIR.glob("*/migrations/[0-9]*.py")
    required = {(file.parent.parent.name, file.stem) for file in files}
    try:
        with psycopg.connect(database_url) as connection:
            return required <= set(connection.execute("SELECT app, name FROM django_migrations").fetchall())
    except psycopg.errors.UndefinedTable:
        return False
    except psycopg.OperationalError as error:
        raise CannotRun(f"The database cannot be reached: {redact_text(str(error))}") from error


def migrate() -> None:
    """Migrate the database; fast if it is up to date."""
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    from walleweb.older_layout import refused_database

    if refused := refused_database():
        raise CannotRun(refused)
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    connection.close()


def check_port_is_free(host: str, port: int) -> None:
    """Raise CannotRun if nobody could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotRun(
                f"Port {port} of {host} cannot be used ({error.strerror}): stop the program that uses it, "
                "or choose another one, as in WALLE_PORT=8001 make run"
            ) from error


def answers(host: str, port: int) -> bool:
    """Return whether a web server answers there."""
    try:
        with urllib.request.urlopen(f"http://{printable_host(host)}:{port}/walle/v1/", timeout=5):
            return True
    except urllib.error.HTTPError:
        # The address answers with an error, so a server is there.
        return True
    except OSError:
        return False


def printable_host(host: str) -> str:
    """Return the host of an address that a person or a client here can use."""
    here = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"[{here}]" if ":" in here and not here.startswith("[") else here


@contextmanager
def temporary_folder() -> Iterator[None]:
    """Set WALLE_DATA_DIR to a new folder for the length of the block."""
    with tempfile.TemporaryDirectory(prefix="walle-demo-") as folder:
        # The account of the embedded PostgreSQL needs to pass through.
        Path(folder).chmod(0o711)
        os.environ["WALLE_DATA_DIR"] = folder
        yield


@contextmanager
def held_folder(data_dir: Path) -> Iterator[None]:
    """Hold the data folder for this run, with its parts closed to others; raise CannotRun if another one has it."""
    for name in PRIVATE_FOLDERS:
        own_folder(data_dir / name)
    lock = FolderLock(data_dir / "run" / "lock")
    try:
        lock.take()
    except LockHeld as error:
        raise CannotRun(
            f"{data_dir} is in use by another running Walle ({error}): stop that one, "
            "or set WALLE_DATA_DIR to another folder."
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into Interrupted; further ones end this process at once.

    Its child processes get their death signal then.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        raise Interrupted

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before: dict[signal.Signals, Callable[..., object] | int | None] = {
        number: signal.signal(number, interrupt) for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
