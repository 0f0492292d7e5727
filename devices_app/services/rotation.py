"""Replace the server's keys.

A rotation creates a new active key; the previous one stays accepted until the next rotation and is then retired. So
whatever was signed or issued under the last key remains valid while it is renewed: tables here and at once, manifests
by a job of tasks_app, credentials when their devices enrol again.
"""

from datetime import datetime

from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import SITE, Permission, require
from accounts_app.services.audit import record
from devices_app.models import App, ServerKey
from devices_app.services import tables
from devices_app.services.keys import make_key, publish_root
from devices_app.services.revisions import announce_change, lock_publication

Purpose = ServerKey.Purpose
State = ServerKey.State


@transaction.atomic
def rotate(*, purpose: str, actor: Actor, now: datetime) -> ServerKey:
    """Replace the active key of a purpose. Signing purposes publish a new root that devices will follow."""
    require(actor, Permission.MANAGE_SITE, SITE)
    lock_publication()
    previous = ServerKey.objects.get(purpose=purpose, state=State.ACTIVE)
    ServerKey.objects.filter(purpose=purpose, state=State.ACCEPTED).update(state=State.RETIRED)
    ServerKey.objects.filter(pk=previous.pk).update(state=State.ACCEPTED)
    key = make_key(Purpose(purpose), now)
    if purpose != Purpose.DEVICE:
        publish_root(now)
    if purpose == Purpose.ASSIGNMENT:
        for app in App.objects.all():
            tables.refresh(app=app, now=now)
    before, after = {"key": previous.key_id}, {"key": key.key_id}
    record(actor=actor, action="key.rotate", target=key, scope=SITE, before=before, after=after)
    announce_change()
    return key
