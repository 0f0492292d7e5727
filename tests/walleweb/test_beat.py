"""Beat says when the broker goes away and when it is back, not at each message in between."""

import logging

import pytest
from celery import Celery

from tests.support.processes import free_port
from walleweb.beat import BeatScheduler


@pytest.fixture
def scheduler():
    app = Celery(broker="memory://", set_as_current=False)
    app.conf.task_publish_retry_policy = {"max_retries": 1, "interval_start": 0}
    app.conf.beat_schedule = {"sweep": {"task": "sweep", "schedule": 2.0}}
    return BeatScheduler(app)


def send(scheduler, url, times=1):
    """Send the message of an entry, through a broker at an address."""
    with scheduler.app.connection_for_write(url) as connection:
        for _ in range(times):
            scheduler.apply_entry(
                scheduler.schedule["sweep"], scheduler.app.amqp.Producer(connection, auto_declare=False)
            )


def test_a_broker_that_goes_away_and_comes_back_has_two_lines(scheduler, caplog):
    away = f"redis://127.0.0.1:{free_port()}/0"
    for url, times in ((away, 3), ("memory://", 2), (away, 2)):
        send(scheduler, url, times)
    lines = [(record.levelno, record.message.partition(":")[0]) for record in caplog.records]
    gone = logging.ERROR, "the broker is away, workers look for themselves what is due"
    assert lines == [gone, (logging.WARNING, "the broker is back"), gone]
    assert "Connection refused" in caplog.text
    assert "Traceback" not in caplog.text


def test_any_other_failure_has_its_traceback_each_time(scheduler, caplog):
    scheduler.schedule["sweep"].kwargs = {"broken": object()}
    send(scheduler, "memory://", 2)
    assert [record.message for record in caplog.records] == ["sweep was not sent"] * 2
    assert "not JSON serializable" in caplog.text
