"""What a command is about to do to devices, in words, for the question before it."""

from __future__ import annotations

from typing import Any

from walle.cli.client import ApiClient
from walle.cli.connection import path
from walle.cli.errors import CommandError
from walle.release.subjects import subjects_of

Document = dict[str, Any]


def of_rollback(client: ApiClient, release: Document) -> str:
    """Return how many devices have the version of a release, and what they fall back to if it is rolled back."""
    plan = client.get(path("releases", release["id"], "rollback-plan"))
    many = plan["devices"]
    who = "no device has" if not many else "1 device has" if many == 1 else f"{many:,} devices have"
    stays = "stays in" if plan["is_quarantined"] else "goes into"
    taken = [f"release {each['release']} to {each['app']}" for each in plan["withdrawn"]]
    also = f" Devices lose it from {', '.join(taken)} as well." if taken else ""
    return (
        f"{who} {release['task']} {release['version']} now in {release['app']}; they {_back_to(plan)}, "
        f"and the version {stays} quarantine.{also}"
    )


def _back_to(plan: Document) -> str:
    ways = [
        f"keep it from release {each['release']}"
        if each["version"] == plan["version"]
        else f"return to {each['version']} (release {each['release']})"
        for each in plan["goes_back_to"]
    ]
    return " or ".join([*ways, *(["lose the task"] if plan["lose_it"] else [])])


def of_resuming(client: ApiClient, release: Document) -> str:
    """Return how many devices the stage reaches in which a release resumes, and what they fall back to if it fails."""
    names = ("app", "task", "version", "rule", "strategy")
    many = subjects_of(release["kind"]).many
    try:
        plan = client.post("releases/plan", {name: release[name] for name in names})
    except CommandError as error:
        return f"how many {many} it reaches is not known ({error})."
    position = release["position"] or 0
    reaches = plan["stages"][position]["reaches"]
    about = "" if reaches["exact"] else "about "
    back = plan["replaces"]
    falls = f"return to {back['version']} (release {back['release']})" if back else "lose the task"
    stage = f"stage {position + 1} of {len(plan['stages'])}"
    return f"{stage} reaches {about}{reaches['count']:,} {many} of {release['app']}; if it fails, they {falls}."


def of_revoking(device: Document) -> str:
    """Return what a revoked device keeps, and what it does not hear of any more."""
    tasks = [each["task"] for each in device["installed"]]
    has = f"It keeps what it has ({', '.join(tasks)})" if tasks else "It has no task"
    return f"{has}, hears of no new version and of no rollback, and cannot enrol again."
