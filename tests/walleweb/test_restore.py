"""A Walle that comes back from a backup: the same rows, and devices, people and repositories go on with it."""

from contextlib import contextmanager

import httpx
import psycopg
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from devices_app.models import App, AppKey, PublishedTable
from devices_app.services.apps import add_version, create_app, create_secret_key
from jobs_app.models import JobState
from jobs_app.services import claim_next, enqueue
from releases_app.models import Release
from tasks_app.models import TaskVersion
from tests.support.backups import Installation, empty_installation, manage, present_installation
from tests.support.people import make_user, token_of
from tests.support.phone import Phone
from tests.support.processes import Children, free_port
from tests.support.releases import draft_of, move_on
from tests.support.waiting import wait_for
from tests.tasks_app.conftest import clone, developer, served, server  # noqa: F401
from tests.tasks_app.working_copy import GOOD, MAIN

pytestmark = pytest.mark.django_db(transaction=True)

# Rows that a restoration must not touch. Others are published, paused and taken back anew.
UNTOUCHED = (
    "accounts_app_apitoken",
    "accounts_app_member",
    "auth_user",
    "devices_app_app",
    "devices_app_appkey",
    "devices_app_device",
    "releases_app_exposure",
    "devices_app_report",
    "devices_app_root",
    "devices_app_serverkey",
    "tasks_app_scenario",
    "tasks_app_task",
    "tasks_app_taskversion",
    "tasks_app_versionfile",
)


@contextmanager
def serving(children: Children, installation: Installation, port: int):
    """A web server on a restored installation; its address."""
    argv = ("-m", "uvicorn", "walleweb.asgi:application", "--port", str(port), "--lifespan", "on")
    child = children.python(*argv, env=installation.environment, name="restored")

    def answers() -> bool:
        assert not child.ended(), child.output()
        try:
            return httpx.get(f"http://127.0.0.1:{port}/walle/v1/roots/1.json").status_code == 200
        except httpx.TransportError:
            return False

    wait_for(answers, timeout=60, describe=child.output)
    yield f"http://127.0.0.1:{port}"
    child.stop()


def killed_midway(children: Children, target: Installation, folder) -> None:
    """Kills a restoration -9 while it waits to make a table of whose name somebody else is making one."""
    with psycopg.connect(target.database) as opened, target.connect() as watching:
        opened.execute("CREATE TABLE tasks_app_variant (id integer)")
        child = children.python("manage.py", "restore", str(folder), env=target.environment, name="killed")

        def is_waiting() -> bool:
            assert not child.ended(), child.output()
            query = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            return watching.execute(query).fetchone() is not None

        wait_for(is_waiting, timeout=60, describe=child.output)
        child.kill()
        opened.rollback()


def release_of(app: App, version: TaskVersion, *actions: str) -> Release:
    return move_on(draft_of(app, version, now=timezone.now()), *actions, now=timezone.now())


def test_everything_goes_on_after_a_restoration(children, server, served, clone, settings, tmp_path) -> None:  # noqa: F811
    port, address = free_port(), f"http://127.0.0.1:{server.port}"
    settings.WALLE_PUBLIC_URL = address
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())
    add_version(app=app, version="1.0.0", profile={}, actor=SYSTEM)
    _, app_key = create_secret_key(app=app, kind=AppKey.Kind.ENROL, label="test", actor=SYSTEM)
    staff = token_of(Actor(user=make_user("root", superuser=True)))
    clone.commit(GOOD)
    clone.tag("digits/1.0.0")
    clone.push("digits", "--tags")
    task = f"{served.slug}/digits"
    first = release_of(app, TaskVersion.objects.get(version="1.0.0"), "start")
    phone, source = Phone(tmp_path / "phone", app_key), present_installation(server.data)
    phone.wait_until_it_runs("1.0.0", address, task)
    enqueue(kind="tasks.sweep-repositories")
    claim_next(owner="dead", now=timezone.now(), kinds=["tasks.sweep-repositories"])

    backups = tmp_path / "backups"
    manage(source, "backup", str(backups))
    saved = {table: source.rows(table) for table in UNTOUCHED}
    audited = [*AuditEntry.objects.order_by("id").values_list("id", "action", "object_name")]

    # What happens now is lost with the installation, but the phone and a developer have seen it.
    clone.commit({"main.py": MAIN + "# better\n"})
    clone.tag("digits/1.1.0")
    clone.push("digits", "--tags")
    release_of(app, TaskVersion.objects.get(version="1.1.0"), "start")
    phone.wait_until_it_runs("1.1.0", address, task)
    seen = PublishedTable.objects.get(app=app).number

    with empty_installation(tmp_path / "restored", WALLE_PUBLIC_URL=f"http://127.0.0.1:{port}") as target:
        killed_midway(children, target, backups)
        with target.connect() as opened:
            assert opened.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
        said = manage(target, "restore", str(backups))
        assert f"Paused, because nobody here knows what came of them: {first}" in said

        assert {table: target.rows(table) for table in UNTOUCHED} == saved
        with target.connect() as opened:
            kept = opened.execute("SELECT id, action, object_name FROM accounts_app_auditentry ORDER BY id").fetchall()
            assert kept[: len(audited)] == audited
            assert [action for _, action, _ in kept[len(audited) :]] == ["release.pause", "backup.restore"]
            (number,) = opened.execute("SELECT number FROM devices_app_publishedtable").fetchone()
            assert number > seen
            states = opened.execute("SELECT state, attempts, lease_owner FROM jobs_app_job").fetchall()
            assert (JobState.PENDING, 0, "") in states
            (next_id,) = opened.execute("SELECT nextval('releases_app_release_id_seq')").fetchone()
            assert next_id > Release.objects.latest("id").pk
        with serving(children, target, port) as restored:
            api = httpx.Client(base_url=f"{restored}/api/v1/", headers={"authorization": f"Bearer {staff}"})
            assert api.get(f"releases/{first.pk}").json()["state"] == "paused"
            assert api.post(f"releases/{first.pk}/resume", json={"reason": "it was good"}).is_success
            # The phone has 1.1.0, under a number that is lost: it takes what this Walle says.
            phone.wait_until_it_runs("1.0.0", restored, task)
            assert phone.highest_number() > seen
            old = clone.git("remote", "get-url", "origin").strip()
            clone.git(
                "remote", "set-url", "origin", old.replace(f":{server.port}/", f":{restored.rpartition(':')[2]}/")
            )
            assert "digits/1.1.0" in clone.push("digits", "--tags")
            assert api.get(f"tasks/{task}/versions/1.1.0").is_success
