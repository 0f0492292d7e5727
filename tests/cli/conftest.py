"""The command line against a really running server; it runs in this process, with pipes for its input and output."""

from __future__ import annotations

import io
import itertools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.members import grant_role
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from tasks_app.models import Scenario
from tasks_app.services.scenarios import create_scenario
from tests.support.people import make_member, make_staff, token_of
from tests.support.releases import allow
from tests.tasks_app.git_server import shared_server
from tests.tasks_app.working_copy import GOOD
from walle.cli.app import run

SLUGS = (f"camera-{number}" for number in itertools.count(1))


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> list[list[str]]:
        return [line.split("\t") for line in self.out.splitlines()]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A person without any sign-in; the folder of their configuration."""
    for name in ("WALLE_URL", "WALLE_TOKEN", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture
def walle(home, capsys, monkeypatch) -> Callable[..., Done]:
    """Runs a command: `walle("release", "list")`; `stdin` is what is piped into it."""

    def call(*arguments: object, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return Done(int(status), told.out, told.err)

    return call


@pytest.fixture(scope="package")
def server(django_db_setup, django_db_blocker, tmp_path_factory):
    """One server for all tests that need one; files may be of 1 MiB."""
    with shared_server(tmp_path_factory.mktemp("server"), django_db_blocker) as running:
        yield running


@pytest.fixture
def address(server):
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
def scenario(server, settings, transactional_db):
    """A scenario of this test alone on the running server; its slug."""
    settings.WALLE_GIT_DIR = server.data / "git"
    settings.WALLE_ARTIFACTS_DIR = server.data / "artifacts"
    settings.WALLE_EXCLUSIVE_DIR = server.data / "exclusive"
    ensure_keys(now=timezone.now())
    return create_scenario(actor=SYSTEM, slug=next(SLUGS)).slug


@pytest.fixture
def task(scenario):
    return f"{scenario}/digits"


@pytest.fixture
def shop(scenario):
    """An app with two versions, to which the scenario may deliver, and complete early."""
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())
    for version in ("1.0.0", "1.1.0"):
        add_version(app=app, version=version, actor=SYSTEM)
    allow(app, Scenario.objects.get(slug=scenario))
    return app


@pytest.fixture
def signed_in(home, address, monkeypatch):
    """Makes commands act as somebody from here on."""

    def call(actor):
        monkeypatch.setenv("WALLE_URL", address)
        monkeypatch.setenv("WALLE_TOKEN", token_of(actor))
        return actor

    return call


@pytest.fixture
def developer(scenario, signed_in):
    return signed_in(make_member("developer", f"scenario:{scenario}", "dora"))


@pytest.fixture
def releaser(scenario, shop, signed_in):
    """May push and release in the scenario, and sees the app."""
    actor = make_member("releaser", f"scenario:{scenario}", "rita")
    grant_role(actor=SYSTEM, user=actor.user, scope=f"scenario:{scenario}", role="developer")
    grant_role(actor=SYSTEM, user=actor.user, scope="app:shop", role="owner")
    return signed_in(actor)


@pytest.fixture
def staff(scenario, signed_in):
    return signed_in(make_staff())


@pytest.fixture
def folder(tmp_path):
    """The folder of a proper task."""
    made = tmp_path / "task"
    made.mkdir()
    for name, content in GOOD.items():
        (made / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return made


@pytest.fixture
def clone(server, scenario, tmp_path):
    """A working copy of the scenario."""

    def call(actor):
        return server.copy(tmp_path / "clone", scenario, token_of(actor))

    return call


@pytest.fixture
def pushed(clone, releaser):
    """digits 1.0.0 and 1.1.0 in the scenario."""
    copy = clone(releaser)
    copy.commit(GOOD)
    copy.tag("digits/1.0.0", "The first")
    copy.commit({"main.py": GOOD["main.py"] + "# better\n", "notes.txt": "new\n"})
    copy.tag("digits/1.1.0", "Better")
    copy.push("digits", "--tags")
    return copy
