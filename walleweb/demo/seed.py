"""Rows of the demonstration; every step is harmless when it was done before."""

from datetime import datetime

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.contrib.auth.models import User

from accounts_app.actors import SYSTEM, Actor
from accounts_app.exceptions import InvalidToken
from accounts_app.services.tokens import authenticate_token, issue_token
from devices_app.models import App, AppKey
from devices_app.services import apps
from tasks_app.models import Scenario
from tasks_app.services.scenarios import create_scenario
from walleweb.demo import secrets

USER = "demo"
APP = "market"
APP_VERSIONS = ("1.0.0", "1.1.0", "2.0.0")
CHECK_IN_S = 5
SCENARIOS = {
    "camera": "What the camera sees",
    "comments": "What customers write",
    "shop": "What customers may like next",
}


def seed(*, now: datetime) -> None:
    """A user, an app with versions and keys, and the scenarios."""
    _user()
    app = App.objects.filter(slug=APP).first() or apps.create_app(
        slug=APP, name="Market", actor=SYSTEM, now=now, check_in_interval=CHECK_IN_S
    )
    for version in APP_VERSIONS:
        apps.add_version(app=app, version=version, actor=SYSTEM)
    apps.import_secret_key(app=app, kind=AppKey.Kind.ENROL, label="demo", text=secrets.app_key(), actor=SYSTEM)
    public = secrets.backend_key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    apps.add_backend_key(app=app, label="demo backend", public_key=public.hex(), actor=SYSTEM)
    for slug, description in SCENARIOS.items():
        if not Scenario.objects.filter(slug=slug).exists():
            create_scenario(actor=SYSTEM, slug=slug, description=description)


def token(*, now: datetime) -> str:
    """The demo user's API and git token, made anew when the kept one no longer counts."""
    path = secrets.demo_folder() / "token"
    if path.exists():
        try:
            authenticate_token(secret=path.read_text(), now=now)
            return path.read_text()
        except InvalidToken:
            path.unlink()
    user = User.objects.get(username=USER)
    _, text = issue_token(actor=Actor(user=user), user=user, name="demo")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(text)
    return text


def _user() -> User:
    user, created = User.objects.get_or_create(username=USER, defaults={"is_staff": True, "is_superuser": True})
    if created:
        user.set_password(secrets.password())
        user.save()
    return user
