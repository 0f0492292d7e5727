"""What names in addresses stand for: an app and a scenario with one of everything that the API shows."""

from typing import Any

from accounts_app.actors import SYSTEM
from accounts_app.models import BrowserSession
from accounts_app.services.members import grant_role
from accounts_app.services.sessions import note_login
from accounts_app.services.tokens import issue_token
from devices_app.models import App, AppKey, Feature, FeatureConsumer
from devices_app.services.apps import create_secret_key
from devices_app.services.facts import declare_fact, set_user_facts
from devices_app.services.features import store_features
from devices_app.services.lists import put_list
from releases_app.models import Release, SimulationCell
from serving_app.models import HostedPlan, ServingHost
from serving_app.services.explaining import keep_explanation
from serving_app.services.placements import put_workflow, request_placement
from tasks_app.models import TaskVersion
from tasks_app.services.variants import upload_variant
from tests.api.conftest import NOW, member_of
from tests.features import received
from tests.support.fleet import make_device
from tests.support.people import make_user
from tests.support.placements import problem
from tests.support.releases import draft_of, make_version, move_on
from tests.support.selected_devices import ended, select_device
from webhooks_app.services.webhooks import create_webhook, ping

PASSWORD = "correct horse battery staple"


def world_of(app: App, version: TaskVersion, *, mark: str = "") -> dict[str, Any]:
    """What the names stand for in the world of an app and of a version's scenario; `mark` begins those of people's
    choice. A user of either holds the role viewer in both."""
    scenario = version.task.scenario.slug
    scopes = (f"app:{app.slug}", f"scenario:{scenario}")
    bob = make_user(f"{mark}bob")
    bob.set_password(PASSWORD)
    bob.save()
    for scope in scopes:
        grant_role(actor=SYSTEM, user=bob, scope=scope, role="viewer")
    uploader = member_of("developer", scopes[1], name=f"{mark}uma").actor
    upload_variant(actor=uploader, version=version, path="prefs.json", key="old", content=b"{}", now=NOW)
    device = make_device(app, f"{mark}phone").device
    key, _ = create_secret_key(app=app, kind=AppKey.Kind.ENROL, label=f"{mark}old", actor=SYSTEM)
    token, _ = issue_token(actor=SYSTEM, user=bob, name=f"{mark}old")
    put_list(app=app, name=f"{mark}testers", devices=[device], actor=SYSTEM, now=NOW)
    declare_fact(app=app, name=f"{mark}vip", type="boolean", source="user", actor=SYSTEM)
    set_user_facts(app=app, facts={device: {f"{mark}vip": False}}, actor=SYSTEM, now=NOW)
    hook = {"scope": scopes[0], "url": f"https://{mark}example.com/hook", "events": ["*"]}
    webhook, _ = create_webhook(**hook, actor=SYSTEM, now=NOW)
    names = {"app": app.slug, "scenario": scenario, "task": version.task.name, "version": version.version}
    names |= {"device": device, "id_list": f"{mark}testers", "fact": f"user.{mark}vip"}
    names |= {"webhook": webhook.pk, "delivery": ping(webhook=webhook, actor=SYSTEM).pk}
    note_login(user=bob, key=f"session-of-{mark}bob", user_agent="Firefox", now=NOW)
    names |= {"session": BrowserSession.objects.get(user=bob).pk}
    names |= {"app_version": "1.0.0", "key": key.pk, "token": token.prefix, "user": bob.username, "role": "viewer"}
    releases = {state: _release(app, version, state) for state in ("running", "paused", "draft")}
    outcome = {"error_class": "ValueError", **ended(NOW, "failure")}
    select_device(releases["running"], device, NOW, task=names["task"], **outcome)
    about = {"attempt": 1, "state": "error", "finished_at": NOW}
    sent = received.feature(1, app=app.slug, device=device, task=names["task"], version=names["version"])
    store_features([sent._replace(**dict.fromkeys(("at", "tracked_at", "received_at"), NOW.timestamp()))])
    feature = Feature.objects.get(app=app)
    FeatureConsumer.objects.create(name=f"{mark}reader", app=app.slug)
    cell = SimulationCell.objects.create(release=releases["draft"], **about)
    pipeline = make_version(scenario, f"{mark}mood", "1.0.0", kind="pipeline")
    names |= {"pipeline": pipeline.task.name, "host": _host(pipeline)}
    about = {"slug": f"{mark}questions", "document": problem()}
    workflow = put_workflow(scenario=version.task.scenario, **about, actor=SYSTEM, now=NOW)
    placement = request_placement(workflow=workflow, actor=SYSTEM, now=NOW, budget_s=1)
    names |= {"workflow": workflow.slug, "placement": placement.pk}
    return names | {state: each.pk for state, each in releases.items()} | {"cell": cell.pk, "feature": feature.pk}


def _host(pipeline: TaskVersion) -> str:
    """A serving host, which everybody may know of, with what not everybody may know of."""
    host, _ = ServingHost.objects.get_or_create(name="serving-1", defaults={
        "started_at": NOW, "seen_at": NOW, "installed": 1, "state": {},
    })  # fmt: skip
    about = {"task": pipeline.task.name, "version": pipeline.version, "manifest": pipeline.manifest_digest}
    HostedPlan.objects.create(host=host, state="ready", since=NOW, **about)
    keep_explanation(pipeline, explanation={"imported": [], "logical": {}, "physical": {}, "parameters": []}, now=NOW)
    return host.name


def _release(app: App, version: TaskVersion, state: str) -> Release:
    # To versions of their own, so that none supersedes another.
    app_versions = ["1.0.0"] if state == "running" else ["1.1.0"]
    actions = {"draft": [], "running": ["start"], "paused": ["start", "pause"]}
    return move_on(draft_of(app, version, app_versions=app_versions, now=NOW), *actions[state], now=NOW)
