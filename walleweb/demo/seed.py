"""Create the rows of the demonstration; repeating a step changes nothing."""

from datetime import datetime

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.contrib.auth.models import User
from django.db import transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.exceptions import InvalidToken
from accounts_app.services.tokens import authenticate_token, issue_token
from devices_app.models import App, AppFact, AppKey, IdList
from devices_app.services import apps, facts, lists
from releases_app.services.delivery_grants import allow_delivery
from tasks_app.models import Scenario
from tasks_app.services.scenarios import create_scenario
from walle.device.emulator.population import OS_VERSIONS
from walle.protocol.names import RUNTIME_VERSION
from walleweb.demo import secrets
from walleweb.demo.strategies import TESTERS

USER = "demo"
APP = "market"
PROFILE = {
    "sdk": RUNTIME_VERSION,
    "python": "3.11",
    "modules": ["numpy"],
    "os": {system: list(versions) for system, versions in OS_VERSIONS.items()},
}
APP_VERSIONS = {
    "1.0.0": {**PROFILE, "without": ["numpy.einsum"]},
    "1.1.0": PROFILE,
    "2.0.0": PROFILE,
}
"""The profiles of the app's versions: the first one was built with an older numpy."""
AGE_BANDS = ["under-18", "18-29", "30-49", "50-plus"]
CHECK_IN_S = 4
SCENARIOS = {
    "camera": "What the camera sees",
    "comments": "What customers write",
    "shop": "What customers may like next",
}


def seed(*, now: datetime) -> None:
    """Create a user, an app with versions, keys, facts and a list of testers, and the scenarios."""
    _user()
    app = App.objects.filter(slug=APP).first() or apps.create_app(
        slug=APP, name="Market", actor=SYSTEM, now=now, check_in_interval=CHECK_IN_S
    )
    for version, profile in APP_VERSIONS.items():
        apps.add_version(app=app, version=version, profile=profile, actor=SYSTEM)
    _declare_audience(app, now)
    apps.import_secret_key(app=app, kind=AppKey.Kind.ENROL, label="demo", text=secrets.app_key(), actor=SYSTEM)
    public = secrets.backend_key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    apps.add_backend_key(app=app, label="demo backend", public_key=public.hex(), actor=SYSTEM)
    for slug, description in SCENARIOS.items():
        if not Scenario.objects.filter(slug=slug).exists():
            _open(app, slug, description, now)


@transaction.atomic
def _open(app: App, slug: str, description: str, now: datetime) -> None:
    """Create a scenario that may deliver to the app, and complete early: nobody depends on this small fleet."""
    scenario = create_scenario(actor=SYSTEM, slug=slug, description=description)
    note = "of the demonstration"
    allow_delivery(app=app, scenario=scenario, complete_early=True, note=note, actor=SYSTEM, now=now)


def _declare_audience(app: App, now: datetime) -> None:
    """Declare what rules may use: the channel of a device's app, its user's age band, and the testers' list."""
    text = AppFact.Type.TEXT
    facts.declare_fact(
        app=app, name="channel", type=text, source=AppFact.Source.DEVICE, values=["internal"], actor=SYSTEM
    )
    facts.declare_fact(app=app, name="age_band", type=text, source=AppFact.Source.USER, values=AGE_BANDS, actor=SYSTEM)
    if not IdList.objects.filter(app=app, name=TESTERS).exists():
        lists.put_list(app=app, name=TESTERS, devices=[], description="the app's own people", actor=SYSTEM, now=now)


def token(*, now: datetime) -> str:
    """Return the demo user's API and git token, issued anew when the stored one is no longer valid."""
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
