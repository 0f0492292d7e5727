"""Register apps, their versions, keys and base URLs."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import SITE, Permission, require
from accounts_app.services.audit import record
from devices_app.models import App, AppKey, AppVersion, RegionBase
from devices_app.scopes import app_scope
from devices_app.services import keys, tables
from devices_app.services.revisions import announce_change

_PREFIX = {AppKey.Kind.ENROL: "wa", AppKey.Kind.GATEWAY: "wg"}


@transaction.atomic
def create_app(*, slug: str, name: str, actor: Actor, now: datetime, check_in_interval: int = 60) -> App:
    """Create an app with an empty table. Raises ValidationError."""
    require(actor, Permission.MANAGE_SITE, SITE)
    keys.ensure_keys(now=now)
    app = App(slug=slug, name=name, check_in_interval=check_in_interval)
    app.full_clean()
    app.save()
    record(actor=actor, action="app.create", target=app, scope=app_scope(app.slug), after={"slug": slug, "name": name})
    tables.refresh(app=app, now=now)
    return app


@transaction.atomic
def configure_app(
    *, app: App, actor: Actor, now: datetime, name: str | None = None, check_in_interval: int | None = None
) -> App:
    """Change an app's name or check-in interval; the interval is part of its table. Raises ValidationError."""
    require(actor, Permission.MANAGE_KEYS, app_scope(app.slug))
    before = {"name": app.name, "check_in_interval": app.check_in_interval}
    app.name = app.name if name is None else name
    app.check_in_interval = app.check_in_interval if check_in_interval is None else check_in_interval
    app.full_clean()
    app.save()
    after = {"name": app.name, "check_in_interval": app.check_in_interval}
    record(actor=actor, action="app.configure", target=app, scope=app_scope(app.slug), before=before, after=after)
    tables.refresh(app=app, now=now)
    return app


@transaction.atomic
def limit_enrolment(*, app: App, per_hour: int | None, actor: Actor) -> App:
    """Limit how many new devices may enrol with an app key per hour and gateway process; None: the server's setting.

    Known devices, and those that the app's backend vouches for, are not limited. Raises ValidationError.
    """
    scope = app_scope(app.slug)
    require(actor, Permission.MANAGE_KEYS, scope)
    before, app.enrolment_limit = app.enrolment_limit, per_hour
    if before != per_hour:
        app.full_clean()
        app.save(update_fields=["enrolment_limit"])
        limits = {"before": {"enrolment_limit": before}, "after": {"enrolment_limit": per_hour}}
        record(actor=actor, action="app.limit_enrolment", target=app, scope=scope, **limits)
        announce_change()
    return app


@transaction.atomic
def add_version(*, app: App, version: str, actor: Actor, profile: Mapping[str, Any] | None = None) -> AppVersion:
    """Declare a version of the app, so that releases can target it, and what tasks find in it.

    A known version is no error; its profile is replaced if one is passed. Raises ValidationError.
    """
    require(actor, Permission.MANAGE_KEYS, app_scope(app.slug))
    known = AppVersion.objects.filter(app=app, version=version).first()
    if known:
        return known if profile is None else declare_profile(version=known, profile=profile, actor=actor)
    row = AppVersion(app=app, version=version, profile=dict(profile or {}))
    row.full_clean()
    row.save()
    after = {"version": version, **({"profile": row.profile} if row.profile else {})}
    record(actor=actor, action="app.add_version", target=row, scope=app_scope(app.slug), after=after)
    return row


@transaction.atomic
def declare_profile(*, version: AppVersion, profile: Mapping[str, Any], actor: Actor) -> AppVersion:
    """Declare what tasks find in a version of an app (walle.container.profile); an equal profile changes nothing.

    Simulations that have started keep their profile. Raises ValidationError.
    """
    scope = app_scope(version.app.slug)
    require(actor, Permission.MANAGE_KEYS, scope)
    row = AppVersion.objects.select_related("app").select_for_update(of=("self",)).get(pk=version.pk)
    if row.profile != profile:
        before, row.profile = row.profile, dict(profile)
        row.full_clean()
        row.save(update_fields=["profile"])
        facts = {"before": {"profile": before}, "after": {"profile": row.profile}}
        record(actor=actor, action="app.declare_profile", target=row, scope=scope, **facts)
    return row


@transaction.atomic
def create_secret_key(*, app: App, kind: AppKey.Kind, label: str, actor: Actor) -> tuple[AppKey, str]:
    """Create an enrol or gateway key; its text is returned once and never stored."""
    text = f"{_PREFIX[kind]}_{secrets.token_urlsafe(24)}"
    return import_secret_key(app=app, kind=kind, label=label, text=text, actor=actor), text


@transaction.atomic
def import_secret_key(*, app: App, kind: AppKey.Kind, label: str, text: str, actor: Actor) -> AppKey:
    """Import an enrol or gateway key that was created elsewhere; a known one changes nothing."""
    return _add_key(app, kind, label, sha256(text.encode()).hexdigest(), actor)


@transaction.atomic
def add_backend_key(*, app: App, label: str, public_key: str, actor: Actor) -> AppKey:
    """Register the public key (Ed25519, 64 hex digits) with which the app's backend signs facts."""
    return _add_key(app, AppKey.Kind.BACKEND, label, public_key.lower(), actor)


@transaction.atomic
def revoke_key(*, key: AppKey, actor: Actor, now: datetime) -> AppKey:
    """Revoke a key: nobody enrols with it any more; devices that did keep their credentials."""
    require(actor, Permission.MANAGE_KEYS, app_scope(key.app.slug))
    if AppKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now):
        record(
            actor=actor, action="app.revoke_key", target=key, scope=app_scope(key.app.slug), after={"label": key.label}
        )
        announce_change()
    key.refresh_from_db()
    return key


@transaction.atomic
def set_base(*, app: App, region: str, shared: str, exclusive: str, actor: Actor, now: datetime) -> RegionBase:
    """Set the base URLs for devices of a region; the empty region stands for all others. Raises ValidationError."""
    require(actor, Permission.MANAGE_KEYS, app_scope(app.slug))
    row = RegionBase.objects.filter(app=app, region=region).first() or RegionBase(app=app, region=region)
    before = {"shared": row.shared, "exclusive": row.exclusive} if row.pk else None
    row.shared, row.exclusive = shared, exclusive
    row.full_clean()
    row.save()
    after = {"region": region, "shared": shared, "exclusive": exclusive}
    record(actor=actor, action="app.set_base", target=row, scope=app_scope(app.slug), before=before, after=after)
    tables.refresh(app=app, now=now)
    return row


def _add_key(app: App, kind: str, label: str, material: str, actor: Actor) -> AppKey:
    require(actor, Permission.MANAGE_KEYS, app_scope(app.slug))
    known = AppKey.objects.filter(app=app, kind=kind, material=material, revoked_at=None).first()
    if known:
        return known
    key = AppKey(app=app, kind=kind, label=label, material=material)
    key.full_clean()
    key.save()
    record(
        actor=actor, action="app.add_key", target=key, scope=app_scope(app.slug), after={"kind": kind, "label": label}
    )
    announce_change()
    return key
