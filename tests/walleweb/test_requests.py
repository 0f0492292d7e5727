"""One id for a request's answer, log lines, audit rows and jobs."""

import asyncio
import io
import json
import logging
import logging.config

import httpx
import pytest
import structlog
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client, RequestFactory

from accounts_app.models import AuditEntry
from accounts_app.services.tokens import issue_token
from jobs_app import registry, runner, services
from jobs_app.models import Job
from tests.support.people import make_staff
from walleweb import logs, requests

ODD = ["", " ", "a b", "a" * 65, "ü", 'x";y', "../etc", "a\x00b"]


@pytest.fixture
def lines():
    """Everything that is logged during the test, as JSON lines; call it for those so far."""
    logger = logging.getLogger()
    before = logger.handlers[:], logger.level
    logging.config.dictConfig(logs.configuration(form="json", level="info"))
    written = io.StringIO()
    logger.handlers[-1].setStream(written)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    logger.handlers[:] = before[0]
    logger.setLevel(before[1])


@pytest.mark.parametrize("given", ODD)
def test_an_id_that_is_not_well_formed_is_replaced(given):
    made = requests.request_id(given)
    assert made != given
    assert requests.request_id(made) == made


def test_a_well_formed_id_is_kept():
    assert requests.request_id("7f.A-b_9") == "7f.A-b_9"


@pytest.fixture
def api(db):
    """The API as an administrator, each request through the whole of Django."""
    client = Client()
    client.force_login(make_staff("root").user)
    return client


def create_scenario(client, slug, **headers):
    return client.post(
        "/api/v1/scenarios", {"slug": slug, "description": ""}, content_type="application/json", headers=headers
    )


def test_answer_audit_row_and_line_share_the_given_id(api, lines, settings, tmp_path):
    settings.WALLE_GIT_DIR = tmp_path
    answer = create_scenario(api, "camera", **{"X-Request-ID": "click-1"})
    assert (answer.status_code, answer.headers["X-Request-ID"]) == (201, "click-1")
    assert AuditEntry.objects.get(action="scenario.create").request_id == "click-1"
    (line,) = [line for line in lines() if line["event"] == "request"]
    expected = {
        "method": "POST", "view": "api/v1/scenarios", "path": "/api/v1/scenarios", "status": 201, "user": "root",
        "request_id": "click-1", "level": "info",
    }  # fmt: skip
    assert line.items() >= expected.items()
    assert line["milliseconds"] > 0


def test_each_request_has_an_id_of_its_own(api):
    first, second = (api.get("/api/v1/scenarios").headers["X-Request-ID"] for _ in range(2))
    assert first != second
    assert "request_id" not in structlog.contextvars.get_contextvars()


def test_nobody_is_named_where_nobody_was_asked_for(db, lines):
    Client().get("/admin/")
    Client().get("/git/no-such-page?token=hunter22")
    found = [(line["view"], line["status"], line["user"]) for line in lines() if line["event"] == "request"]
    assert found == [("admin/", 302, ""), (requests.UNMATCHED, 404, "")]
    assert "hunter22" not in json.dumps(lines())


def test_a_view_that_fails_has_its_line_and_its_traceback_under_one_id(db, lines, settings, monkeypatch):
    def fail(nonce):
        raise RuntimeError("no luck")

    monkeypatch.setattr("walleweb.dashboard.views.page", fail)
    answer = Client(raise_request_exception=False).get("/", headers={"X-Request-ID": "broken-1"})
    assert (answer.status_code, answer.headers["X-Request-ID"]) == (500, "broken-1")
    found = {line["logger"]: line for line in lines() if line.get("request_id") == "broken-1"}
    assert "no luck" in found["django.request"]["exception"]
    assert found["walleweb.requests"]["level"] == "error"


async def test_the_context_reaches_threads_and_does_not_leak_between_requests():
    """The middleware around a synchronous view, as Django runs it under ASGI: many at once."""

    def view(request):
        return HttpResponse(structlog.contextvars.get_contextvars()["request_id"])

    answer = requests.request_middleware(sync_to_async(view, thread_sensitive=False))

    async def ask(name):
        request = RequestFactory().get("/", headers={"X-Request-ID": name})
        response = await answer(request)
        return response.content.decode(), response.headers["X-Request-ID"]

    names = [f"r{number}" for number in range(50)]
    assert await asyncio.gather(*map(ask, names)) == [(name, name) for name in names]
    assert "request_id" not in structlog.contextvars.get_contextvars()


@pytest.mark.django_db(transaction=True)
async def test_the_whole_asgi_application_keeps_the_context(settings, tmp_path):
    """Through the real middleware and a synchronous view in a thread, down to the audit row."""
    from walleweb.asgi import application

    settings.WALLE_GIT_DIR = tmp_path
    key = {"Authorization": f"Bearer {await sync_to_async(token_of_staff)()}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(application), base_url="http://localhost", headers=key
    ) as client:

        async def create(slug):
            return await client.post("/api/v1/scenarios", json={"slug": slug}, headers={"X-Request-ID": f"for-{slug}"})

        answers = await asyncio.gather(*map(create, ("camera", "video", "audio")))
    assert {answer.status_code for answer in answers} == {201}
    rows = AuditEntry.objects.filter(action="scenario.create").values_list("object_name", "request_id")
    assert {row async for row in rows} == {(slug, f"for-{slug}") for slug in ("camera", "video", "audio")}


def token_of_staff():
    staff = make_staff("root")
    return issue_token(actor=staff, user=staff.user, name="test")[1]


# Jobs.

SEEN = []


@registry.job("tests.requests.note")
def note(run, **arguments):
    """Notes under which request it runs, and asks for more work."""
    SEEN.append(structlog.contextvars.get_contextvars().get("request_id"))
    if arguments.get("more"):
        services.enqueue(kind="tests.requests.note")


@pytest.fixture
def seen():
    SEEN.clear()
    return SEEN


def in_request(name, **options):
    with structlog.contextvars.bound_contextvars(request_id=name):
        return services.enqueue(kind="tests.requests.note", **options)


@pytest.mark.django_db(transaction=True)
def test_jobs_run_under_the_request_that_asked_for_them_and_so_do_theirs(seen):
    in_request("click-1", arguments={"more": True})
    while runner.run_next():
        pass
    services.enqueue(kind="tests.requests.note")
    runner.run_next()
    assert seen == ["click-1", "click-1", None]


@pytest.mark.django_db(transaction=True)
def test_a_job_that_nobody_asked_for_becomes_that_of_the_first_request(seen, lines):
    services.enqueue(kind="tests.requests.note", dedupe_key="k")
    job = in_request("click-1", dedupe_key="k")
    assert in_request("click-2", dedupe_key="k") == job
    assert Job.objects.get().request_id == "click-1"
    (line,) = [line for line in lines() if line.get("request_id") == "click-2"]
    assert (line["job"], line["other_request"]) == (job.pk, "click-1")
    runner.run_next()
    assert seen == ["click-1"]
    (done,) = [line for line in lines() if line["event"] == "job done"]
    assert (done["request_id"], done["job"], done["kind"]) == ("click-1", job.pk, "tests.requests.note")


def test_user_names_do_not_ask_the_database(django_assert_num_queries, db):
    request = RequestFactory().get("/")
    request.user = User(username="ada")
    with django_assert_num_queries(0):
        assert requests.user_name(request) == "ada"
