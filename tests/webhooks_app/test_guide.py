"""docs/guides/webhooks.md: its code receives what Walle sends, and it says what is so."""

import json
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from accounts_app.actors import SYSTEM
from walle.webhooks.retries import ATTEMPTS, conclude
from walle.webhooks.signatures import secret_text, signed_headers
from webhooks_app.models import Attempt, Delivery
from webhooks_app.services.deliveries import replay
from webhooks_app.services.webhooks import rotate_secret

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "webhooks.md").read_text()
SECRET = secret_text(b"k" * 32)


@pytest.fixture
def guide():
    """The names that the guide's Python defines."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, "webhooks.md", "exec"), names)
    return names


def signed(body=b"{}", at=None, secrets=(SECRET,)):
    return signed_headers(secrets=secrets, message="evt_1_0", at=at or datetime.now(UTC), body=body)


def test_its_verification_takes_what_is_ours(guide):
    guide["verify"](SECRET, signed(), b"{}")
    guide["verify"](SECRET, signed(secrets=[secret_text(b"n" * 32), SECRET]), b"{}")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (signed(), b"{ }"),
        (signed() | {"webhook-id": "evt_2_0"}, b"{}"),
        (signed() | {"webhook-signature": "v1,"}, b"{}"),
        (signed() | {"webhook-signature": "é"}, b"{}"),
        (signed(secrets=[secret_text(b"n" * 32)]), b"{}"),
    ],
)
def test_its_verification_takes_nothing_else(guide, headers, body):
    with pytest.raises(ValueError, match=r"wrong signature|too old"):
        guide["verify"](SECRET, headers, body)


@pytest.mark.parametrize("seconds", [-310, 400])
def test_its_verification_takes_nothing_of_another_time(guide, seconds):
    headers = signed(at=datetime.now(UTC) + timedelta(seconds=seconds))
    with pytest.raises(ValueError, match="too old"):
        guide["verify"](SECRET, headers, b"{}")


@pytest.mark.django_db
def test_its_receiver_handles_each_event_once(guide, make_hook, happen, send, tmp_path, now):
    heard, failing = [], [True]

    def handle(event):
        if failing:
            failing.clear()
            raise RuntimeError("not this time")
        heard.append(event)

    webhook = make_hook(url="http://127.0.0.1:1/")
    server = guide["receiver"](0, webhook.secret, tmp_path / "seen.db", handle)
    webhook.url = f"http://127.0.0.1:{server.server_port}/"
    webhook.save()
    server.handle_error = lambda *arguments: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        entry = happen()
        moments = [datetime.now(UTC), datetime.now(UTC)]
        send(moments[0])
        Delivery.objects.update(due_at=moments[1])
        send(moments[1])
        replay(delivery=Delivery.objects.get(), actor=SYSTEM, now=moments[1])
        send(moments[1])
        rotate_secret(webhook=webhook, actor=SYSTEM, now=moments[1])
        happen()
        send(datetime.now(UTC))
    finally:
        server.shutdown()
        server.server_close()
    assert [attempt.status for attempt in Attempt.objects.all()] == [None, 204, 204, 204]
    assert heard[0]["data"]["sequence"] == entry.pk
    assert len(heard) == 2


def test_it_names_the_fields_that_are_sent(db, make_hook, receiver, happen, send, now):
    make_hook(receiver)
    happen()
    send(now)
    example = json.loads(re.search(r"```http\nPOST /walle.*?\n\n(.*?)```", TEXT, re.DOTALL)[1])
    sent = receiver.received[0].message
    assert example.keys() == sent.keys()
    assert example["data"].keys() == sent["data"].keys()
    assert example["data"]["links"].keys() == sent["data"]["links"].keys()


def test_it_tells_the_pauses_as_they_are():
    pauses = [conclude(attempt=number, status=500, chance=0.5).pause for number in range(1, ATTEMPTS)]
    minutes = [round(pause.total_seconds() / 60) for pause in pauses[2:5]]
    hours = [round(pause.total_seconds() / 3600) for pause in pauses[5:]]
    said = "after {} and {} seconds, {}, {} and {} minutes, {} and {} hours"
    assert said.format(pauses[0].seconds, pauses[1].seconds, *minutes, *hours) in TEXT.replace("\n", " ")
