"""Git over HTTP: who gets in, what is served, what is left behind when somebody goes away or a process dies."""

import base64
import gzip
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import psutil
import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.members import revoke_role
from accounts_app.services.tokens import revoke_token
from tasks_app.models import Scenario, TaskVersion
from tasks_app.repository import Repository, repository_path
from tasks_app.services.sweep import sweep_repository
from tests.support.people import make_member, make_staff, make_user, token_of
from tests.support.waiting import wait_for
from tests.tasks_app.git_server import running_server
from tests.tasks_app.working_copy import GOOD, MAIN, GitFailed

pytestmark = pytest.mark.django_db(transaction=True)


def basic(secret):
    return {"Authorization": "Basic " + base64.b64encode(f"git:{secret}".encode()).decode()}


def discover(server, slug, service, secret=None):
    headers = basic(secret) if secret else {}
    return httpx.get(f"{server.url(slug)}/info/refs", params={"service": service}, headers=headers)


def git_processes(server, word=""):
    """Processes of pushes that are going on, those whose command line has the word."""
    found = []
    for process in psutil.process_iter(["cmdline", "environ"]):
        environment, command = process.info["environ"] or {}, process.info["cmdline"] or []
        ours = environment.get("WALLE_DATA_DIR") == str(server.data) and "WALLE_PUSH_SCENARIO" in environment
        if ours and word in " ".join(command):
            found.append(process)
    return found


class TestAccess:
    def test_without_a_token_the_client_is_asked_for_one(self, server, served):
        answer = discover(server, served.slug, "git-upload-pack")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith('Basic realm="Walle"')
        assert "API token as the password" in answer.text

    def test_a_wrong_revoked_or_inactive_token_is_refused(self, server, served, developer):
        secret = token_of(developer)
        assert discover(server, served.slug, "git-upload-pack", secret).status_code == 200
        assert discover(server, served.slug, "git-upload-pack", secret[:-1] + "x").status_code == 401
        revoke_token(actor=SYSTEM, token=developer.user.api_tokens.get(), now=timezone.now())
        refused = discover(server, served.slug, "git-upload-pack", secret)
        assert (refused.status_code, "unknown, expired or revoked" in refused.text) == (401, True)

    def test_viewers_read_and_developers_write(self, server, served, developer):
        viewer = token_of(make_member("viewer", f"scenario:{served.slug}", "vera"))
        assert discover(server, served.slug, "git-upload-pack", viewer).status_code == 200
        refused = discover(server, served.slug, "git-receive-pack", viewer)
        assert refused.status_code == 403
        assert refused.text == (
            f"vera may not push in scenario:{served.slug}; that takes the role developer or owner\n"
        )
        assert discover(server, served.slug, "git-receive-pack", token_of(developer)).status_code == 200

    @pytest.mark.parametrize(("role", "writes"), [("releaser", False), ("owner", True)])
    def test_other_roles(self, server, served, role, writes):
        secret = token_of(make_member(role, f"scenario:{served.slug}"))
        assert discover(server, served.slug, "git-upload-pack", secret).status_code == 200
        assert (discover(server, served.slug, "git-receive-pack", secret).status_code == 200) == writes

    def test_a_role_elsewhere_is_no_role_here(self, server, served):
        stranger = token_of(make_member("owner", "scenario:elsewhere"))
        assert discover(server, served.slug, "git-upload-pack", stranger).status_code == 403

    def test_staff_get_in_and_a_limited_token_only_where_it_reaches(self, server, served):
        staff = make_staff()
        assert discover(server, served.slug, "git-receive-pack", token_of(staff)).status_code == 200
        limited = token_of(staff, "scenario:elsewhere")
        refused = discover(server, served.slug, "git-upload-pack", limited)
        assert (refused.status_code, "limited to scenario:elsewhere" in refused.text) == (403, True)

    def test_taking_a_role_away_works_at_once(self, server, served, developer):
        secret = token_of(developer)
        revoke_role(actor=SYSTEM, user=developer.user, scope=f"scenario:{served.slug}", role="developer")
        assert discover(server, served.slug, "git-upload-pack", secret).status_code == 403

    def test_a_scenario_that_is_not_there(self, server, served):
        answer = discover(server, "nowhere", "git-upload-pack", token_of(make_staff()))
        assert (answer.status_code, answer.text) == (404, "there is no scenario nowhere\n")

    def test_the_git_client_shows_why_it_was_refused(self, server, served, tmp_path):
        viewer = token_of(make_member("viewer", f"scenario:{served.slug}", "vera"))
        copy = server.copy(tmp_path / "v", served.slug, viewer)
        copy.commit(GOOD)
        with pytest.raises(GitFailed) as refused:
            copy.push("digits")
        assert "remote: vera may not push" in refused.value.output


class TestAddresses:
    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("", 404),
            ("/HEAD", 404),
            ("/objects/info/packs", 404),
            ("/config", 404),
            ("/../../etc/passwd", 404),
            ("/info/refs", 403),
            ("/info/refs?service=git-upload-archive", 403),
            ("/info/refs?service=git-upload-pack&x=1", 403),
            ("/git-upload-pack", 405),
        ],
    )
    def test_only_the_smart_protocol_is_served(self, server, served, path, status):
        secret = token_of(make_staff())
        assert httpx.get(server.url(served.slug) + path, headers=basic(secret)).status_code == status

    def test_a_repository_that_is_missing_is_named(self, server, served):
        shutil.rmtree(repository_path(served.slug))
        answer = discover(server, served.slug, "git-upload-pack", token_of(make_staff()))
        assert answer.status_code == 500
        assert answer.text == f"the repository of {served.slug} is missing on the server\n"

    def test_a_name_that_is_no_slug_is_not_found(self, server, served):
        for slug in ("..", "%2e%2e", "Camera", "a%2fb", "-x", "x" * 41):
            assert httpx.get(server.url(slug) + "/info/refs?service=git-upload-pack").status_code == 404

    def test_a_body_is_not_awaited_from_somebody_unknown(self, server, served):
        """The answer comes while the client has sent only the head of a huge push."""
        head = f"POST /git/{served.slug}.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            client.sendall(head.encode())
            assert client.recv(100).startswith(b"HTTP/1.1 401")

    def test_protocol_version_2_is_spoken(self, server, served, clone, released):
        answer = httpx.get(
            f"{server.url(served.slug)}/info/refs?service=git-upload-pack",
            headers=basic(token_of(make_staff())) | {"Git-Protocol": "version=2"},
        )
        assert b"version 2" in answer.content

    def test_shallow_and_partial_clones_work(self, server, served, clone, released, developer, tmp_path):
        url = server.url(served.slug, token_of(developer))
        clone.git("clone", "-q", "--depth=1", "--filter=blob:none", url, str(tmp_path / "shallow"))
        assert (tmp_path / "shallow" / "main.py").read_text() == MAIN


class TestSecrets:
    def test_the_token_is_in_no_log_and_in_no_environment_of_a_hook(self, server, served, clone, developer):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        secret = clone.git("remote", "get-url", "origin").split("git:")[1].split("@")[0]
        with held(served) as waiting:
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


class held:  # noqa: N801  reads as a statement
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
        with held(served) as waiting, ThreadPoolExecutor(1) as pool:
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

    def test_everything_killed_leaves_a_repository_that_can_be_pushed_to(self, server, served, clone):
        clone.commit(GOOD)
        clone.tag("digits/1.0.0")
        with held(served) as waiting, ThreadPoolExecutor(1) as pool:
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
        assert sweep_repository(scenario=served).registered == [f"{served.slug}/digits 1.0.0"]

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
            f"POST /git/{served.slug}.git/git-receive-pack HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: {basic(token_of(developer))['Authorization']}\r\n"
            "Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 900000\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            client.sendall(head.encode() + b"00a4")
            wait_for(lambda: git_processes(server), describe="git to start")
        wait_for(lambda: not git_processes(server), describe="git to end with its client")

    def test_without_the_warm_process_a_push_only_takes_longer(self, server, served, clone, released):
        for process in psutil.Process(server.child.pid).children():
            if "warm" in process.cmdline():
                process.kill()
        clone.commit({"main.py": MAIN + "#\n"})
        clone.tag("digits/1.1.0")
        assert "registered" in clone.push("digits", "--tags")


def test_the_warm_process_ends_with_its_server(served, server, developer):
    with running_server(server.data, django_settings.WALLE_MASTER_KEY) as other:
        assert discover(other, served.slug, "git-receive-pack", token_of(developer)).status_code == 200
        warm = [p for p in psutil.Process(other.child.pid).children() if "warm" in p.cmdline()]
        assert len(warm) == 1
        other.child.kill()
        wait_for(lambda: not warm[0].is_running() or warm[0].status() == psutil.STATUS_ZOMBIE, timeout=30)


class TestSize:
    def test_a_push_compressed_with_gzip_is_understood(self, server, served, clone, developer):
        commit = clone.commit({**GOOD, "weights.bin": os.urandom(900_000)})
        body = receive_request(clone, commit, "refs/heads/digits")
        answer = httpx.post(
            f"{server.url(served.slug)}/git-receive-pack",
            content=gzip.compress(body),
            headers=basic(token_of(developer))
            | {"Content-Type": "application/x-git-receive-pack-request", "Content-Encoding": "gzip"},
            timeout=60,
        )
        assert answer.status_code == 200
        assert b"unpack ok" in answer.content
        with Repository(served.slug) as repository:
            assert repository.branches() == {"digits": commit}

    def test_two_hundred_files_in_one_push(self, server, served, clone):
        files = {f"data/{number // 20}/{number}.bin": os.urandom(2000) for number in range(198)}
        clone.commit({"task.toml": GOOD["task.toml"], "main.py": MAIN, **files})
        clone.tag("digits/1.0.0")
        started = time.monotonic()
        said = clone.push("digits", "--tags")
        print(f"push of 200 new files: {time.monotonic() - started:.2f} s")
        assert "registered" in said
        assert "(200 files, " in said
        clone.commit({"main.py": MAIN + "# changed\n"})
        clone.tag("digits/1.0.1")
        started = time.monotonic()
        clone.push("digits", "--tags")
        print(f"push of one change among 200 files: {time.monotonic() - started:.2f} s")
        assert TaskVersion.objects.count() == 2

    def test_a_large_push_passes_through_without_being_held_in_memory(self, server, served, clone):
        clone.git("config", "core.compression", "0")
        clone.git("config", "pack.window", "0")
        clone.commit({f"blob-{number}": os.urandom(8 << 20) for number in range(8)})
        before = peak_memory(server)
        clone.push("digits")
        assert peak_memory(server) - before < 30 << 20

    def test_a_push_over_the_limit_is_refused(self, server, served, settings, tmp_path, developer):
        with running_server(
            server.data, django_settings.WALLE_MASTER_KEY, WALLE_MAX_PUSH_MB="1", WALLE_MAX_FILE_MB="1"
        ) as strict:
            copy = strict.copy(tmp_path / "big", served.slug, token_of(developer))
            copy.commit({"big": os.urandom(3 << 19)})
            with pytest.raises(GitFailed, match="pack exceeds maximum allowed size"):
                copy.push("digits")
            answer = httpx.post(
                f"{strict.url(served.slug)}/git-receive-pack",
                content=iter([b"0000", *([bytes(1 << 16)] * 40)]),
                headers=basic(token_of(developer)) | {"Content-Type": "application/x-git-receive-pack-request"},
            )
            assert answer.status_code in (200, 413)
        with Repository(served.slug) as repository:
            assert repository.branches() == {}


def receive_request(clone, commit, ref):
    """The body of a push of one new reference, as git's smart protocol has it."""
    line = f"{'0' * 40} {commit} {ref}\0report-status".encode()
    pack = subprocess.run(
        ["git", "pack-objects", "--stdout", "--revs", "-q"],
        cwd=clone.folder,
        input=commit.encode() + b"\n",
        capture_output=True,
        check=True,
    ).stdout
    return f"{len(line) + 4:04x}".encode() + line + b"0000" + pack


def peak_memory(server):
    with open(f"/proc/{server.child.pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def test_two_pushes_at_once_are_both_taken_one_after_the_other(server, served, developer, tmp_path):
    secret = token_of(developer)
    copies = []
    for name in ("digits", "faces"):
        copy = server.copy(tmp_path / name, served.slug, secret)
        copy.branch(name)
        copy.commit({**GOOD, "name.txt": name})
        copy.tag(f"{name}/1.0.0")
        copies.append((copy, name))
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda pair: pair[0].push(pair[1], "--tags"), copies))
    assert all("registered" in text for text in said)
    assert TaskVersion.objects.count() == 2


def test_of_two_pushes_to_one_branch_one_is_told_to_fetch_first(server, served, developer, clone, released, tmp_path):
    url_secret = token_of(developer)
    copies = []
    for name in ("one", "two"):
        copy = server.copy(tmp_path / name, served.slug, url_secret, clone=True)
        copy.commit({"main.py": MAIN + f"# {name}\n"})
        copies.append(copy)

    def push(copy):
        try:
            copy.push("digits")
        except GitFailed as error:
            return error.output
        return ""

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(push, copies))
    assert said[0] == ""
    assert "rejected" in said[1]
    assert make_user("later")
