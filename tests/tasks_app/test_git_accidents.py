"""Git over HTTP: what is left behind when somebody goes away or a process dies."""

import os
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction

from accounts_app.models import AuditEntry
from tasks_app.models import IngestedBlob, Scenario, TaskVersion
from tasks_app.repository import Repository
from tasks_app.services.sweep import sweep_repository
from tests.support.people import token_of
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.git_server import basic, discover, git_processes, running_server
from tests.tasks_app.working_copy import GOOD, MAIN, GitFailed

pytestmark = pytest.mark.django_db(transaction=True)


class TestSecrets:
    def test_the_token_is_in_no_log_and_in_no_environment_of_a_hook(self, server, served, clone, developer):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        secret = clone.git("remote", "get-url", "origin").split("git:")[1].split("@")[0]
        with locked(served) as waiting:
            pushing = threading.Thread(target=clone.push, args=("digits", "--tags"))
            pushing.start()
            waiting()
            environments = [b"\n".join(read_environment(process)) for process in git_processes(server)]
        pushing.join(60)
        assert len(environments) >= 2
        encoded = basic(secret)["Authorization"].split()[1].encode()
        for environment in environments:
            assert secret.split("_")[2].encode() not in environment
            assert encoded not in environment
            assert b"AUTHORIZATION" not in environment.upper()
        assert secret.split("_")[2] not in server.log()
        assert encoded.decode() not in server.log()
        assert TaskVersion.objects.exists()


def read_environment(process):
    with open(f"/proc/{process.pid}/environ", "rb") as file:
        return file.read().split(b"\0")


class locked:  # noqa: N801  reads as a statement
    """Keeps the scenario's row locked, so that a registration waits; gives a function that awaits its waiting."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.transaction = transaction.atomic()

    def __enter__(self):
        self.transaction.__enter__()
        Scenario.objects.select_for_update().get(pk=self.scenario.pk)
        return lambda: wait_for(self._somebody_waits, timeout=60, describe="a registration that waits for the lock")

    def _somebody_waits(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            return cursor.fetchone()[0]

    def __exit__(self, *exc):
        self.transaction.__exit__(*exc)


class TestAccidents:
    def test_a_registration_killed_after_the_push_was_accepted_is_made_up_for(self, server, served, clone):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        with locked(served) as waiting, ThreadPoolExecutor(1) as pool:
            pushing = pool.submit(clone.push, "digits", "--tags")
            waiting()
            hooks = git_processes(server, "post-receive")
            assert hooks
            for hook in hooks:
                hook.kill()
            said = pushing.result(60)
        assert "registered" not in said
        with Repository(served.slug) as repository:
            assert repository.tag("digits", "1.0.0")
        wait_for(lambda: not git_processes(server), describe="the end of the push")
        assert not TaskVersion.objects.exists()
        assert sweep_repository(scenario=served).registered == [f"{served.slug}/digits 1.0.0"]
        assert TaskVersion.objects.get().files.count() == 3
        assert AuditEntry.objects.get(action="version.register").actor_name == "system"

    def test_a_check_that_is_killed_refuses_the_push(self, server, served, clone):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        with Repository(served.slug).exclusive_if_free(), ThreadPoolExecutor(1) as pool:
            pushing = pool.submit(clone.push, "digits", "--tags")
            hooks = wait_for(lambda: git_processes(server, "pre-receive"), timeout=60)
            hooks[0].kill()
            with pytest.raises(GitFailed, match="pre-receive hook declined"):
                pushing.result(60)
        with Repository(served.slug) as repository:
            assert repository.branches() == {}
        assert "registered" in clone.push("digits", "--tags")

    def test_what_a_version_holds_is_checked_without_the_lock(self, server, served, clone):
        """It may take its time, and others who push to the scenario would wait for it."""
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        with ThreadPoolExecutor(1) as pool:
            with Repository(served.slug).exclusive_if_free():
                pushing = pool.submit(clone.push, "digits", "--tags")
                wait_for(IngestedBlob.objects.exists, timeout=30, describe="the files of the version in the store")
                assert not pushing.done()
            assert "registered" in pushing.result(60)

    def test_everything_killed_leaves_a_repository_that_can_be_pushed_to(self, server, served, clone):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        with locked(served) as waiting, ThreadPoolExecutor(1) as pool:
            pushing = pool.submit(clone.push, "digits", "--tags")
            waiting()
            for process in git_processes(server):
                process.kill()
            with pytest.raises(GitFailed):
                pushing.result(60)
        with Repository(served.slug) as repository:
            (repository.path / "refs" / "heads" / "digits.lock").touch()
        clone.commit({"main.py": MAIN + "#\n"})
        clone.tag("digits/1.1.0")
        assert "registered" in clone.push("digits", "--tags")
        # A process that was killed as its work was done has registered it itself.
        sweep_repository(scenario=served)
        registered = TaskVersion.objects.filter(task__scenario=served).values_list("version", flat=True)
        assert sorted(registered) == ["1.0.0", "1.1.0"]

    def test_a_client_that_goes_away_takes_git_and_its_hooks_along(self, server, served, clone):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        with Repository(served.slug).exclusive_if_free():
            client = subprocess.Popen(
                ["git", "push", "-q", "origin", "digits", "--tags"],
                cwd=clone.folder,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            wait_for(lambda: git_processes(server, "pre-receive"), timeout=60)
            os.killpg(client.pid, signal.SIGKILL)
            client.wait()
            wait_for(lambda: not git_processes(server), timeout=30, describe="the end of all processes of the push")
        with Repository(served.slug) as repository:
            assert repository.branches() == {}
        wait_for(lambda: "git client went away" in server.log(), describe="a line in the server's log")

    def test_a_half_sent_push_ends_with_its_client(self, server, served, developer):
        head = (
            f"POST /git/{served.slug}.git/git-receive-pack HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: {basic(token_of(developer))['Authorization']}\r\n"
            "Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 900000\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=ANSWER_S) as client:
            client.sendall(head.encode() + b"00a4")
            wait_for(lambda: git_processes(server), describe="git to start")
        wait_for(lambda: not git_processes(server), describe="git to end with its client")

    def test_without_the_warm_process_a_push_only_takes_longer(self, server, served, clone, released):
        for process in psutil.Process(server.child.pid).children():
            if is_warm(process):
                process.kill()
        clone.commit({"main.py": MAIN + "#\n"})
        clone.tag("digits/1.1.0")
        assert "registered" in clone.push("digits", "--tags")


def is_warm(process: psutil.Process) -> bool:
    """Whether a child is the warm process; git's own children may end while they are looked at."""
    try:
        return "warm" in process.cmdline()
    except psutil.Error:
        return False


def test_the_warm_process_ends_with_its_server(served, server, developer):
    with running_server(server.data, django_settings.WALLE_MASTER_KEY) as other:
        assert discover(other, served.slug, "git-receive-pack", token_of(developer)).status_code == 200
        warm = [p for p in psutil.Process(other.child.pid).children() if is_warm(p)]
        assert len(warm) == 1
        other.child.kill()
        wait_for(lambda: not warm[0].is_running() or warm[0].status() == psutil.STATUS_ZOMBIE, timeout=30)
