"""The writing requests of the benchmark `api`, in an order in which each finds the objects that it needs.

Every operation of the OpenAPI document that writes is either here or in LEFT_OUT with its reason: a new one stops the
benchmark until it is added to one of them.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import httpx

from benchmarks.support.api.requests import PREFIX

Step = tuple[str, str, str, Any]
"""An operation, its method, its path below PREFIX and its body."""
PUBLISHING: Final = frozenset(
    {"create_app", "change_app", "set_app_base", "add_app_version", "change_app_version", "move_release",
     "put_id_list", "add_to_id_list", "remove_from_id_list", "delete_id_list"}
)  # fmt: skip
"""The operations that compile, sign and announce a table of an app with all its releases."""
LEFT_OUT: Final = {
    "register_version": "benchmark `register`",
    "apply_placement": "registers a version, as `register_version`",
    "upload_variant": "what it takes is a matter of the file's size",
    "remove_variant": "needs an upload before",
    "acknowledge_concern": "needs something that needs attention as long as it is measured",
    "reopen_concern": "needs something that was acknowledged",
    "end_session": "ends the session of a browser, for which a token is not enough",
    "end_other_sessions": "ends the sessions of browsers, for which a token is not enough",
    "put_mail_address": "sends messages, and a token is not enough",
    "confirm_mail_address": "needs a link of a message, and a token is not enough",
    "send_test_mail": "sends messages, five an hour",
    "log_in": "a password is hashed slowly on purpose",
    "log_out": "ends the session of whoever measures",
    "preview_targeting": "reads",
    "validate_targeting": "reads",
    "plan_release": "reads",
    "simulate_again": "starts jobs of workers, which are not running",
    "lift_quarantine": "only of a version that was rolled back, once",
    "ping_webhook": "waits for somebody else's server",
    "replay_delivery": "needs a delivery, which workers make",
    "revoke_newcomers": "how many devices it is about is the question",
    "reinstate_newcomers": "how many devices it is about is the question",
}
_WORKFLOW: Final = Path(__file__).parents[1] / "placement" / "inputs" / "vqa_medium.json"
DEVICES: Final = [f"device-{number:09d}" for number in range(1000, 1100)]


class EverythingMade(dict[str, Any]):
    """Answers of every operation, where only the steps themselves are of interest."""

    def __missing__(self, operation: str) -> Mapping[str, Any]:
        return defaultdict(int)


def expect_all_known(document: Mapping[str, Any]) -> None:
    """Exit if the API has a writing operation that is neither here nor left out."""
    written = {
        described["operationId"]
        for methods in document["paths"].values()
        for method, described in methods.items()
        if method in ("post", "put", "patch", "delete")
    }
    known = {operation for operation, *_ in steps(0, EverythingMade())} | LEFT_OUT.keys()
    if unknown := written ^ known:
        raise SystemExit(
            f"say in {__file__} how these are asked, or that they are no more: {', '.join(sorted(unknown))}"
        )


def steps(n: int, made: Mapping[str, Any]) -> Iterator[Step]:
    """Yield one round of all writes; `made` has the last answer of each operation, `n` makes new names unique."""
    yield "create_app", "POST", "apps", {"slug": f"made-{n}", "name": "Made"}
    yield "change_app", "PATCH", "apps/mall", {"name": f"Mall {n}"}
    yield (
        "set_app_base",
        "POST",
        "apps/mall/bases",
        {"shared": f"https://a{n}.example.org", "exclusive": "https://b.example.org"},
    )
    yield "declare_fact", "PUT", f"apps/mall/facts/user.made{n}", {"type": "boolean"}
    yield "withdraw_fact", "DELETE", f"apps/mall/facts/user.made{n}", None
    yield "create_app_key", "POST", "apps/mall/keys", {"kind": "enrol", "label": f"made {n}"}
    yield "revoke_app_key", "POST", f"apps/mall/keys/{made['create_app_key']['id']}/revoke", None
    yield from _devices(n)
    yield "add_app_member", "POST", "apps/mall/members", {"user": "user-0", "role": "viewer"}
    yield "change_app_member", "PATCH", "apps/mall/members/user-0/viewer", {"role": "developer"}
    yield "remove_app_member", "DELETE", "apps/mall/members/user-0/developer", None
    yield "withdraw_app_scenario", "DELETE", "apps/mall/scenarios/bench-9", None
    yield "allow_app_scenario", "PUT", "apps/mall/scenarios/bench-9", {"complete_early": True, "note": "made"}
    yield "add_app_version", "POST", "apps/mall/versions", {"version": f"9.{n}.0"}
    profile = {"sdk": "1.0.0", "python": "3.11", "modules": ["numpy"], "os": {"android": ["14"]}}
    yield "change_app_version", "PATCH", f"apps/mall/versions/9.{n}.0", {"profile": profile}
    yield from _release(n, made)
    yield "create_scenario", "POST", "scenarios", {"slug": f"made-{n}"}
    yield "change_scenario", "PATCH", f"scenarios/made-{n}", {"description": "new"}
    yield "add_scenario_member", "POST", f"scenarios/made-{n}/members", {"user": "user-0", "role": "viewer"}
    yield "change_scenario_member", "PATCH", f"scenarios/made-{n}/members/user-0/viewer", {"role": "developer"}
    yield "remove_scenario_member", "DELETE", f"scenarios/made-{n}/members/user-0/developer", None
    yield "retire_task", "POST", "tasks/bench-8/task-4/retire", None
    yield "unretire_task", "POST", "tasks/bench-8/task-4/unretire", None
    yield "change_me", "PATCH", "me", {"theme": "dark"}
    yield "change_mail_settings", "PATCH", "account/mail", {"kinds": ["rolled-back"]}
    yield "issue_token", "POST", "tokens", {"name": f"made {n}"}
    yield "revoke_token", "POST", f"tokens/{made['issue_token']['prefix']}/revoke", None
    yield (
        "create_webhook",
        "POST",
        "webhooks",
        {"scope": "app:mall", "url": "https://example.org/made", "events": ["task.retire"]},
    )
    yield "change_webhook", "PATCH", f"webhooks/{made['create_webhook']['id']}", {"active": False}
    yield "rotate_webhook_secret", "POST", f"webhooks/{made['create_webhook']['id']}/rotate-secret", {}
    yield "delete_webhook", "DELETE", f"webhooks/{made['create_webhook']['id']}", None
    yield "put_workflow", "PUT", f"workflows/bench-0/made-{n}", {"document": json.loads(_WORKFLOW.read_text())}
    yield "request_placement", "POST", f"workflows/bench-0/made-{n}/placements", {"budget_s": 1}
    yield "cancel_placement", "POST", f"placements/{made['request_placement']['id']}/cancel", None
    yield "delete_workflow", "DELETE", f"workflows/bench-0/made-{n}", None


def _devices(n: int) -> Iterator[Step]:
    device = DEVICES[n % len(DEVICES)]
    yield "put_id_list", "PUT", f"apps/mall/lists/made-{n}", {"devices": DEVICES}
    yield "add_to_id_list", "POST", "apps/mall/lists/long/add", {"devices": [f"new-{n}"]}
    yield "remove_from_id_list", "POST", "apps/mall/lists/long/remove", {"devices": [f"new-{n}"]}
    yield "delete_id_list", "DELETE", f"apps/mall/lists/made-{n}", None
    yield "set_user_facts", "PUT", f"apps/mall/user-facts/{device}", {"facts": {"vip": n % 2 == 0}}
    yield (
        "set_many_user_facts",
        "POST",
        "apps/mall/user-facts",
        {"facts": {each: {"vip": n % 2 == 1} for each in DEVICES}},
    )
    yield "clear_user_facts", "DELETE", f"apps/mall/user-facts/{device}", None
    yield "revoke_device", "POST", "devices/mall/device-000000704/revoke", {"reason": "stolen"}
    yield "reinstate_device", "POST", "devices/mall/device-000000704/reinstate", None


def _release(n: int, made: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the steps of a release that is started, paused and ended, and of a draft that is cloned from it."""
    rule = {"all": [{"fact": "app_version", "version": ">=4.5.0"}, {"fact": "region", "equals": "fr"}]}
    strategy = {"simulation": False, "stages": [{"kind": "gray", "percent": 1}, {"kind": "gray", "percent": 100}]}
    release = {"app": "mall", "task": "bench-7/task-3", "version": f"{1 + n % 10 // 5}.{n % 5}.0", "rule": rule}
    yield "create_release", "POST", "releases", release | {"strategy": strategy}
    for action in ("start", "pause", "resume", "abort"):
        yield "move_release", "POST", f"releases/{made['create_release']['id']}/{action}", {"reason": "made"}
    yield "clone_release", "POST", f"releases/{made['create_release']['id']}/clone", {}


def measured(client: httpx.Client, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each operation in a number of rounds, after one that does not count."""
    times: dict[str, list[float]] = {}
    for n in range(rounds + 1):
        made: dict[str, Any] = {}
        for operation, method, path, body in steps(n, made):
            started = time.perf_counter()
            answer = client.request(method, f"{PREFIX}/{path}", json=body)
            took = (time.perf_counter() - started) * 1000
            if not answer.is_success:
                raise SystemExit(f"{operation}: {method} {path} answered {answer.status_code}: {answer.text[:500]}")
            made[operation] = answer.json() if answer.content else None
            if n:
                times.setdefault(operation, []).append(took)
    return times
