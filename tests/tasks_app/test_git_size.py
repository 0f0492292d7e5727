"""Git over HTTP: large, many and simultaneous pushes."""

import gzip
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.conf import settings as django_settings

from tasks_app.models import TaskVersion
from tasks_app.repository import Repository
from tests.support.people import make_user, token_of
from tests.tasks_app.git_server import basic, running_server
from tests.tasks_app.working_copy import GOOD, MAIN, GitFailed

pytestmark = pytest.mark.django_db(transaction=True)


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
