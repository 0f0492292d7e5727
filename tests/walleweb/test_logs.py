"""What is written to the logs, and what never is."""

import json
import logging
import logging.config

import pytest
import structlog

from walle.cli.accounts import StoredAccount
from walle.conformance.server.target import Enrolled, Options
from walle.device.link.enrolment import Enrolment
from walle.device.storage.state import Credential, DeviceState
from walle.protocol.keyed import DeviceKey
from walleweb import logs
from walleweb.celery import WalleCelery


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://walle:hunter22@/walle?host=/x",
        "sqla+postgresql+psycopg://walle:hunter22@db:5432/walle",
        "Authorization: Bearer hunter22hunter22",
        'Walle-Device: "phone-1";c="hunter22";n=3',
        "GET /x?token=hunter22&y=1",
    ],
)
def test_secrets_in_text_are_hidden(text):
    cleaned = logs.redact_text(text)
    assert "hunter22" not in cleaned
    assert logs.HIDDEN in cleaned


def test_secret_names_are_hidden_at_any_depth():
    event = {"password": "p", "user": "ada", "request": {"Authorization": "x", "path": "/a"}, "tokens": ["t"]}
    assert logs.redact(None, "info", event) == {
        "password": logs.HIDDEN,
        "user": "ada",
        "request": {"Authorization": logs.HIDDEN, "path": "/a"},
        "tokens": logs.HIDDEN,
    }


@pytest.mark.parametrize(
    "holder",
    [
        DeviceKey("k1", b"hunter22"),
        StoredAccount("https://walle.example", "hunter22", "login"),
        Enrolment("shop", "hunter22"),
        DeviceState(credential=Credential("phone-1", "hunter22")),
        Enrolled("phone-1", "hunter22"),
        Options("https://walle.example", "shop", "hunter22", gateway_key="hunter22"),
    ],
    ids=lambda holder: type(holder).__name__,
)
def test_what_holds_a_secret_does_not_show_it(holder):
    assert "hunter22" not in repr(holder)


def test_ordinary_text_stays():
    text = "installed camera/digits 1.0.0 in 12 ms, see https://example.com/a?b=c"
    assert logs.redact_text(text) == text


@pytest.fixture
def written(capsys):
    """Logs in one form; returns what was written."""
    before = logging.getLogger().handlers[:], logging.getLogger().level

    def write(form, action):
        logging.config.dictConfig(logs.configuration(form=form, level="info"))
        action()
        return capsys.readouterr().err

    yield write
    logging.getLogger().handlers[:], _ = before
    logging.getLogger().setLevel(before[1])


def fail():
    try:
        raise RuntimeError("cannot reach postgresql://walle:hunter22@/walle")
    except RuntimeError:
        structlog.get_logger("walle.test").exception("it failed", scenario="camera", password="hunter22")


def test_a_json_line_is_one_object_without_secrets(written):
    line = json.loads(written("json", fail))
    assert (line["event"], line["scenario"], line["level"]) == ("it failed", "camera", "error")
    assert "RuntimeError" in line["exception"]
    assert "hunter22" not in json.dumps(line)


def test_lines_of_other_libraries_have_the_same_form(written):
    line = json.loads(written("json", lambda: logging.getLogger("kombu.connection").warning("at %s", "redis://u:pw@h")))
    assert line["event"] == f"at redis://u:{logs.HIDDEN}@h"


def test_a_console_line_has_no_secrets(written):
    text = written("console", fail)
    assert "it failed" in text
    assert "hunter22" not in text


def test_what_the_library_says_its_lines_are_about_is_kept_and_nothing_else(written):
    about = {"app": "shop", "device": "device-1", "request": object(), "status_code": 500}
    line = json.loads(written("json", lambda: logging.getLogger("walle.gateway").error("it failed", extra=about)))
    assert (line["app"], line["device"]) == ("shop", "device-1")
    assert not {"request", "status_code"} & set(line)


@pytest.mark.processes
def test_what_celery_says_of_itself_has_no_secrets():
    celery = WalleCelery("test", broker="memory://", set_as_current=False)
    celery.conf.update(CELERY_BROKER_URL="sqla+postgresql://walle:hunter22@db/walle", OTHER=["redis://:hunter22@h"])
    report = celery.bugreport()
    assert "sqla+postgresql://walle:" in report
    assert "hunter22" not in report


def test_messages_that_only_wake_workers_make_no_lines(written):
    def say():
        logging.getLogger("celery.app.trace").info("Task jobs_app.sweep succeeded")
        logging.getLogger("celery.beat").error("Couldn't apply scheduled task sweep")

    (line,) = written("json", say).splitlines()
    assert json.loads(line)["logger"] == "celery.beat"
