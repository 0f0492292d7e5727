"""Registering versions from archives, over HTTP from a really running server: the same gate as for pushes."""

import io
import tarfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import psutil
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from tasks_app.models import Task, TaskVersion
from tasks_app.repository import Repository
from tasks_app.services.retirement import retire_task
from tasks_app.services.sweep import sweep_repository
from tests.support.people import make_member, token_of
from tests.support.waiting import wait_for
from tests.tasks_app.git_server import git_processes
from tests.tasks_app.test_git_accidents import locked
from tests.tasks_app.working_copy import GOOD, MAIN, TASK, GitFailed

pytestmark = pytest.mark.django_db(transaction=True)


def packed(files, prefix="./", mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for path, text in files.items():
            content = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(prefix + path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


@pytest.fixture
def put(server, served, developer):
    """Sends an archive as the developer, or as somebody else."""
    secret = token_of(developer)

    def call(content, version="1.0.0", *, task="digits", secret=secret, **query):
        address = f"http://127.0.0.1:{server.port}/api/v1/tasks/{served.slug}/{task}/versions/{version}/archive"
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/gzip"}
        return httpx.put(address, content=content, headers=headers, params=query, timeout=60)

    return call


def problem(response, status, code):
    assert (response.status_code, response.json().get("code")) == (status, code), response.text
    return {error["field"]: error["detail"] for error in response.json().get("errors", [])}


@pytest.mark.parametrize("pack", [packed, zipped, lambda files: packed(files, "", "w")], ids=["tar.gz", "zip", "tar"])
def test_an_archive_becomes_a_version_with_its_branch_and_tag(put, served, server, developer, tmp_path, pack):
    answer = put(pack(GOOD), message="From the pipeline")
    assert answer.status_code == 201, answer.text
    row = TaskVersion.objects.get()
    assert (row.message, row.author_name, row.version) == ("From the pipeline", "ada", "1.0.0")
    assert {file["path"] for file in answer.json()["files"]} == set(GOOD)
    entry = AuditEntry.objects.get(action="version.register")
    assert (entry.actor_name, entry.token_prefix) == ("ada", developer.user.api_tokens.first().prefix)
    clone = server.copy(tmp_path / "clone", served.slug, token_of(developer), clone=True)
    assert (clone.folder / "main.py").read_text() == MAIN
    assert clone.git("log", "--format=%an|%cn|%s", "digits/1.0.0").strip() == "ada|ada|From the pipeline"


def test_the_same_again_is_the_same_version_and_other_content_is_refused(put, served):
    made = put(packed(GOOD))
    again = put(zipped(GOOD), message="again")
    assert (made.status_code, again.status_code) == (201, 200)
    assert again.json() == made.json()
    problem(put(packed({**GOOD, "main.py": MAIN + "#\n"})), 409, "version-exists")
    with Repository(served.slug) as repository:
        assert repository.branches() == {"digits": TaskVersion.objects.get().commit}


def test_later_versions_follow_on_the_branch_and_pushes_go_on_from_them(put, clone):
    clone.commit(GOOD)
    clone.push("digits")
    pushed = clone.head()
    assert put(packed(GOOD)).json()["commit"] == pushed
    second = put(packed({**GOOD, "main.py": MAIN + "# 2\n"}), "1.1.0").json()["commit"]
    clone.git("pull", "--quiet", "origin", "digits")
    assert clone.git("log", "--format=%H").split() == [second, pushed]
    assert not (clone.folder / "extra.txt").exists()
    clone.commit({"main.py": MAIN + "# 3\n"})
    clone.tag("digits/1.2.0")
    assert "registered" in clone.push("digits", "--tags")


def test_what_stands_against_it_is_what_the_hook_of_a_push_says(put, clone, served):
    broken = TASK.replace("every_s = 5", "every_s = -1").replace('type = "number"', 'type = "nmber"', 1)
    files = {**GOOD, "task.toml": broken, "helper.py": "x = 1\nif x\n"}
    errors = problem(put(packed(files)), 400, "version-refused")
    clone.commit(files)
    clone.tag("digits/1.0.0")
    with pytest.raises(GitFailed) as refused:
        clone.push("digits", "--tags")
    said = refused.value.output
    assert {"task.toml: trigger.every_s", "task.toml: inputs.number.type", "helper.py"} <= errors.keys()
    for detail in errors.values():
        assert f"remote: - digits/1.0.0: {detail}" in said
    with Repository(served.slug) as repository:
        assert repository.branches() == repository.version_tags() == {}


def test_a_retired_task_takes_none(put):
    put(packed(GOOD))
    retire_task(actor=SYSTEM, task=Task.objects.get(), now=timezone.now())
    errors = problem(put(packed({**GOOD, "a.txt": "x"}), "1.1.0"), 400, "version-refused")
    assert errors == {"": "tag digits/1.1.0: task digits is retired; unretire it first"}


def test_an_unsound_archive_leaves_nothing(put, served, server):
    assert "archive" in problem(put(b"neither"), 400, "archive-refused")[""]
    errors = problem(put(packed({**GOOD, "../up": b"x", "a b": b"x"}, "")), 400, "archive-refused")
    assert set(errors) == {"'../up'", "'a b'"}
    assert "model.bin" in problem(put(packed({**GOOD, "model.bin": bytes((1 << 20) + 1)})), 400, "archive-refused")
    cut = packed({**GOOD, "noise.bin": b"".join(bytes([n % 251]) * 97 for n in range(5000))})
    problem(put(cut[: len(cut) // 2]), 400, "archive-refused")
    with Repository(served.slug) as repository:
        assert repository.branches() == {}
    assert not Task.objects.exists()
    assert not list((server.data / "git" / "staging").iterdir())


def test_names_are_checked_and_rights_are_needed(put, served):
    problem(put(packed(GOOD), "1.0"), 400, "invalid-name")
    problem(put(packed(GOOD), "1.0.0-a.lock"), 400, "invalid-name")
    viewer = make_member("viewer", f"scenario:{served.slug}", "vera")
    problem(put(packed(GOOD), secret=token_of(viewer)), 403, "not-allowed")
    stranger = make_member("developer", "scenario:elsewhere", "sam")
    problem(put(packed(GOOD), secret=token_of(stranger)), 404, "not-found")


def test_git_takes_what_git_refuses_of_others_neither(put):
    errors = problem(put(packed({**GOOD, ".GIT/config": b"x"})), 400, "version-refused")
    assert "git does not take it" in errors[""]


def test_many_at_once_make_one_version_of_each(put):
    answers = {}

    def send(number):
        answers[number] = put(packed({**GOOD, "n.txt": str(number // 2)}), f"1.{number // 2}.0")

    threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    codes = sorted(answer.status_code for answer in answers.values())
    assert set(codes) <= {200, 201, 409}, [answer.text for answer in answers.values()]
    for number, answer in answers.items():
        if answer.status_code == 409:
            problem(answer, 409, "branch-moved")
            send(number)
    assert TaskVersion.objects.count() == 3
    assert {answers[number].json()["commit"] for number in range(6)} == set(
        TaskVersion.objects.values_list("commit", flat=True)
    )


@pytest.mark.parametrize("moment", ["while it is checked", "while it is registered"])
def test_a_kill_leaves_the_whole_version_or_none(put, served, server, moment):
    """All git processes of the import and its hooks are killed, at a moment that is certain: they wait for a lock."""
    archive = packed({**GOOD, "model.bin": b"\x02" * 900_000})
    with ThreadPoolExecutor(1) as pool:
        if moment == "while it is checked":
            with Repository(served.slug).exclusive_if_free():
                sending = pool.submit(put, archive)
                hooks = wait_for(lambda: git_processes(server, "pre-receive"), timeout=60)
                kill_all(git_processes(server))
        else:
            with locked(served) as waiting:
                sending = pool.submit(put, archive)
                waiting()
                hooks = git_processes(server, "post-receive")
                kill_all(git_processes(server))
        sending.result(60)
    assert hooks
    wait_for(lambda: not git_processes(server), describe="the end of the import")
    sweep_repository(scenario=served)
    with Repository(served.slug) as repository:
        tagged = [version for _, version in repository.version_tags()]
        assert tagged == [] if moment == "while it is checked" else ["1.0.0"]
        assert [row.version for row in TaskVersion.objects.all()] == tagged
    answer = put(archive)
    assert answer.status_code == (200 if tagged else 201), answer.text
    assert TaskVersion.objects.get().files.count() == len({**GOOD, "model.bin": b""})


def kill_all(processes):
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
