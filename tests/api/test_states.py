"""The REST API in any order of requests: each answer is what the OpenAPI document and a model of releases say."""

from functools import partial
from itertools import count

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from accounts_app.actors import SYSTEM
from accounts_app.services.members import grant_role
from tests.api.conftest import member_of
from tests.api.contract import Api, problem
from tests.api.release_model import ACTIONS, HALTS, ModelledRelease, ReleaseModel
from tests.tiers.examples import multiplied

pytestmark = pytest.mark.django_db

VERSIONS = ("1.0.0", "1.1.0", "1.2.0")
APP_VERSIONS = ("1.0.0", "1.1.0")
GRANT = "apps/shop/scenarios/camera"
SLUGS = st.sampled_from(["one", "two"])
STATES = ["draft", "running", "paused", "complete"]
STAGES = [{"kind": "gray", "percent": percent, "dwell_s": 300, "evidence": 1} for percent in (30, 100)]
PERMISSIONS = frozenset({"halt releases", "release", "complete early"})
HALT = frozenset({"halt releases"})
NOTHING: frozenset[str] = frozenset()
NUMBERS = count()


@pytest.fixture
def people(staff, releaser, developer, viewer):
    """Clients by name, with what they may do to releases of the scenario's task in the app."""
    grant_role(actor=SYSTEM, user=developer.actor.user, scope="app:shop", role="viewer")
    everybody = {"root": (staff, PERMISSIONS), "rita": (releaser, PERMISSIONS), "dora": (developer, HALT)}
    of_the_app = member_of("developer", "app:shop", name="adam")
    of_the_scenario = member_of("releaser", "scenario:camera", name="sora")
    return everybody | {"adam": (of_the_app, HALT), "sora": (of_the_scenario, HALT), "vera": (viewer, NOTHING)}


class Requests(RuleBasedStateMachine):
    """People and their tokens ask for scenarios, apps, tokens and releases; each example is rolled back."""

    releases = Bundle("releases")

    def __init__(self, people, nobody):
        super().__init__()
        self.people, self.nobody, self.staff = people, nobody, people["root"][0]
        self.model = ReleaseModel(delivery="early")
        self.slugs = {"scenarios": set(), "apps": set()}
        # Repositories of scenarios stay in their folder when their rows are rolled back.
        self.example = next(NUMBERS)
        self.transaction = transaction.atomic()
        self.transaction.__enter__()

    def teardown(self):
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    @rule(slug=SLUGS, kind=st.sampled_from(["scenarios", "apps"]), by=st.sampled_from(["root", "rita"]))
    def a_scenario_or_an_app_is_made(self, slug, kind, by):
        slug = f"{slug}-{self.example}"
        body = {"slug": slug} | ({"name": "Another"} if kind == "apps" else {})
        answer = self.people[by][0].post(kind, body)
        if by != "root":
            problem(answer, 403, "not-allowed")
        elif slug in self.slugs[kind]:
            problem(answer, *{"scenarios": (409, "scenario-exists"), "apps": (400, "invalid")}[kind])
        else:
            assert (answer.status_code, answer.json()["slug"]) == (201, slug)
            self.slugs[kind].add(slug)
        assert self.staff.get(f"{kind}/{slug}").status_code == (200 if slug in self.slugs[kind] else 404)

    @rule(delivery=st.sampled_from(["deliver", "deliver", "early", None]))
    def an_owner_allows_delivery_or_takes_it_back(self, delivery):
        if delivery:
            answer = self.staff.call("PUT", GRANT, {"complete_early": delivery == "early"})
            assert answer.json()["complete_early"] == (delivery == "early")
        elif self.model.delivery:
            assert self.staff.delete(GRANT).status_code == 204
        else:
            problem(self.staff.delete(GRANT), 404, "not-found")
        self.model.allow(delivery)

    @rule(
        target=releases,
        version=st.sampled_from(VERSIONS),
        app_versions=st.sampled_from([APP_VERSIONS[:1], APP_VERSIONS[1:], APP_VERSIONS]),
        approval=st.booleans(),
        then=st.sampled_from([None, "complete", "complete", "abort"]),
        by=st.sampled_from(["rita", "root"]),
    )
    def a_release_is_drafted_and_started(self, version, app_versions, approval, then, by):
        """Most of what there is to see begins then, or once several have ended."""
        number = self._draft(version, app_versions, approval and not then, by)
        if number:
            for action in ("start", then) if then else ("start",):
                self._move(number, action, None, by, *self.people[by])
        return number

    @rule(target=releases, version=st.sampled_from(VERSIONS), by=st.sampled_from(["rita", "dora", "vera"]))
    def a_release_is_drafted(self, version, by):
        return self._draft(version, APP_VERSIONS, False, by)

    def _draft(self, version, app_versions, approval, by):
        """The number of a new release, None if it is refused."""
        strategy = {"simulation": False, "approval": approval, "stages": STAGES}
        body = {"app": "shop", "task": "camera/digits", "version": version, "app_versions": app_versions}
        api, may = self.people[by]
        answer = api.post("releases", body | {"strategy": strategy})
        if by == "vera":
            assert "task" in problem(answer, 400, "invalid")  # not hers to see
            return None
        if refusal := self.model.refused_draft(version, releases="release" in may):
            problem(answer, *refusal)
            return None
        assert answer.status_code == 201
        made = ModelledRelease(version, frozenset(app_versions), approval, by)
        self.model.releases[answer.json()["id"]] = made
        return answer.json()["id"]

    @rule(number=releases, action=st.sampled_from(ACTIONS), seen=st.sampled_from([None, *STATES]))
    def somebody_tries_a_move(self, number, action, seen):
        if number:
            self._move(number, action, seen, "rita", *self.people["rita"])

    @rule(number=releases, data=st.data())
    def people_move_a_release(self, number, data):
        """By an action that its state allows. Whoever may do least asks first: for the next one nothing has changed."""
        if number:
            release = self.model.releases[number]
            action = data.draw(st.sampled_from([each for each in ACTIONS if release.target(each)] or ACTIONS))
            problem(self.nobody.post(f"releases/{number}/{action}", {}), 404, "not-found")
            for by in ("vera", data.draw(st.sampled_from(["adam", "sora"])), "rita", "root"):
                self._move(number, action, None, by, *self.people[by])

    @rule(number=releases, action=st.sampled_from(ACTIONS), limit=st.sampled_from(["", "halt releases", "release"]))
    def a_program_moves_a_release_until_its_token_is_revoked(self, number, action, limit):
        limits = {"permissions": [limit]} if limit else {}
        made = self.people["rita"][0].post("tokens", {"name": "laptop", **limits})
        assert made.status_code == 201
        program = Api(secret=made.json()["secret"])
        if number:
            self._move(number, action, None, "rita", program, frozenset({limit}) if limit else PERMISSIONS)
        assert self.people["rita"][0].post(f"tokens/{made.json()['prefix']}/revoke").json()["revoked_at"]
        problem(program.post(f"releases/{number or 1}/pause", {}), 401, "authentication-failed")

    def _move(self, number, action, seen, by, api, may):
        answer = api.post(f"releases/{number}/{action}", {"reason": "tried"} | ({"state": seen} if seen else {}))
        if ("halt releases" if action in HALTS else "release") not in may:
            problem(answer, 403, "not-allowed")
        elif refusal := self.model.refused_move(number, action, seen, by=by, early="complete early" in may):
            problem(answer, *refusal)
        else:
            self.model.move(number, action)
            assert answer.status_code == 200
            made = answer.json()["transitions"][-1]
            assert (made["action"], made["actor"], made["after"]) == (action, by, self.model.releases[number].state)

    @rule(version=st.sampled_from(VERSIONS))
    def a_quarantine_is_lifted(self, version):
        path = f"tasks/camera/digits/versions/{version}/lift-quarantine"
        answer = self.people["rita"][0].post(path, {"reason": "mended"})
        if version in self.model.quarantine:
            assert answer.json()["quarantine"] is None
            self.model.quarantine.remove(version)
        else:
            problem(answer, 400, "invalid")

    @invariant()
    def releases_are_where_the_model_has_them(self):
        found = {row["id"]: (row["state"], row["position"]) for row in self.staff.results("releases", limit=200)}
        assert found == {number: (each.state, each.position) for number, each in self.model.releases.items()}


def test_any_order_of_requests_is_answered_as_the_model_says(people, nobody, register):
    register(*VERSIONS)
    run_state_machine_as_test(
        partial(Requests, people, nobody),
        settings=settings(
            max_examples=multiplied(10),
            stateful_step_count=30,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )
