"""A real mail server, which is away, ends connections, and refuses; and a worker that is killed while it sends."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.audit import record
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from jobs_app import services
from jobs_app.models import Job, JobState
from jobs_app.runner import run_next
from tests.support.people import make_member
from tests.support.processes import child_environment
from tests.support.waiting import wait_for
from tests.webhooks_app.smtp import receiving_mail
from walle.mail.schedule import GIVEN_UP_AFTER
from walleweb.mail_server import django_mail, parse_mail_server
from webhooks_app.mail_sending import send_due_mails
from webhooks_app.models import Mail, MailedEntry
from webhooks_app.services.mail_outbox import SEND_MAIL
from webhooks_app.services.mail_settings import change_mail_settings

pytestmark = pytest.mark.django_db(transaction=True)
SENDER = "Walle <walle@example.org>"
WORK = "import django; django.setup(); from jobs_app.runner import run_next; run_next()"


@pytest.fixture
def app(transactional_db):
    """An app of which zoe wants to hear."""
    ensure_keys(now=timezone.now())
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())
    zoe = make_member("viewer", "app:shop", "zoe")
    User.objects.filter(pk=zoe.user.pk).update(email="zoe@example.org")
    change_mail_settings(actor=zoe, user=zoe.user, kinds=["rolled-back"])
    return app


@pytest.fixture
def sends_to(settings, tmp_path):
    """Has this process send to a server."""

    def call(port):
        settings.WALLE_MAIL = True
        address = f"smtp://127.0.0.1:{port}/?tls=none"
        for name, value in django_mail(parse_mail_server(address), SENDER, tmp_path).items():
            setattr(settings, name, value)
        return address

    return call


def roll_back(app):
    return record(actor=SYSTEM, action="release.roll-back", target=app, scope="app:shop").at


def test_a_message_arrives_although_the_server_is_away_and_its_worker_is_killed_while_it_sends(app, sends_to, children):
    with receiving_mail() as gone:
        address = sends_to(gone.port)
    at = roll_back(app)
    assert send_due_mails(lambda: at) == 0
    mail = Mail.objects.get()
    assert (mail.state, "cannot be reached" in mail.error) == ("pending", True)
    # What happens meanwhile waits for the message that is being tried.
    roll_back(app)
    assert timedelta(seconds=48) <= mail.due_at - at <= timedelta(seconds=72)

    with receiving_mail("drop", "hold", "250 taken", port=gone.port) as postbox:
        assert send_due_mails(lambda: mail.due_at) == 0
        Mail.objects.update(due_at=timezone.now())
        Job.objects.all().delete()
        services.enqueue_periodic(now=timezone.now())
        Job.objects.exclude(kind=SEND_MAIL).delete()
        environment = child_environment(WALLE_MAIL_URL=address, WALLE_MAIL_FROM=SENDER)
        worker = children.python("-c", WORK, env=environment, name="worker")
        wait_for(lambda: len(postbox.received) == 2, 60, worker.output)
        worker.kill()
        assert Mail.objects.get().state == "sending"

        # What the passing of the leases' time would do.
        past = timezone.now() - timedelta(seconds=1)
        Mail.objects.update(due_at=past)
        Job.objects.filter(state=JobState.RUNNING).update(lease_until=past)
        services.release_expired(now=timezone.now())
        Job.objects.exclude(kind=SEND_MAIL).delete()
        assert run_next()

        first, *again, other = postbox.received
        assert {each["Message-ID"] for each in again} == {first["Message-ID"]} != {other["Message-ID"]}
        assert (first["To"], first["From"], first["Subject"]) == (
            "zoe@example.org",
            SENDER,
            "[Walle] shop was rolled back",
        )
        assert all("/apps/shop" in each.get_body(("plain",)).get_content() for each in postbox.received)
        assert set(Mail.objects.values_list("state", "attempts")) == {("sent", 4), ("sent", 1)}
        assert MailedEntry.objects.filter(mail=None).count() == 0


def test_a_refused_address_ends_it_at_once_and_anything_else_after_a_day(app, sends_to):
    with receiving_mail("451 full") as postbox:
        sends_to(postbox.port)
        at = roll_back(app)
        for _ in range(150):
            send_due_mails(lambda moment=at: moment)
            tried = Mail.objects.get()
            at = tried.due_at
        assert (tried.state, tried.error) == ("failed", "the server answered 451 full")
        assert GIVEN_UP_AFTER - timedelta(minutes=40) < tried.finished_at - tried.created_at <= GIVEN_UP_AFTER
        postbox.recipient = "550 nobody of that name"
        at = roll_back(app)
        assert send_due_mails(lambda: at) == 0
        refused = Mail.objects.latest("id")
        assert (refused.state, refused.attempts) == ("failed", 1)
        assert refused.error == "the server refused the address: 550 nobody of that name"
