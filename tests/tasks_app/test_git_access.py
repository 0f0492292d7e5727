"""Git over HTTP: who gets in and what is served."""

import shutil
import socket

import httpx
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.members import revoke_role
from accounts_app.services.tokens import revoke_token
from tasks_app.repository import repository_path
from tests.support.people import make_member, make_staff, make_user, token_of
from tests.support.waiting import ANSWER_S
from tests.tasks_app.git_server import basic, discover
from tests.tasks_app.working_copy import GOOD, MAIN, GitFailed

pytestmark = pytest.mark.django_db(transaction=True)


class TestAccess:
    def test_without_a_token_the_client_is_asked_for_one(self, server, served):
        answer = discover(server, served.slug, "git-upload-pack")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith('Basic realm="Walle"')
        assert "API token as the password" in answer.text

    def test_a_wrong_revoked_or_inactive_token_is_refused(self, server, served, developer):
        secret = token_of(developer)
        assert discover(server, served.slug, "git-upload-pack", secret).status_code == 200
        assert discover(server, served.slug, "git-upload-pack", secret[:-1] + "x").status_code == 401
        revoke_token(actor=SYSTEM, token=developer.user.api_tokens.get(), now=timezone.now())
        refused = discover(server, served.slug, "git-upload-pack", secret)
        assert (refused.status_code, "unknown, expired or revoked" in refused.text) == (401, True)

    def test_viewers_read_and_developers_write(self, server, served, developer):
        viewer = token_of(make_member("viewer", f"scenario:{served.slug}", "vera"))
        assert discover(server, served.slug, "git-upload-pack", viewer).status_code == 200
        refused = discover(server, served.slug, "git-receive-pack", viewer)
        assert refused.status_code == 403
        assert refused.text == (
            f"vera may not push in scenario:{served.slug}; that takes the role developer or owner\n"
        )
        assert discover(server, served.slug, "git-receive-pack", token_of(developer)).status_code == 200

    @pytest.mark.parametrize(("role", "writes"), [("releaser", False), ("owner", True)])
    def test_other_roles(self, server, served, role, writes):
        secret = token_of(make_member(role, f"scenario:{served.slug}"))
        assert discover(server, served.slug, "git-upload-pack", secret).status_code == 200
        assert (discover(server, served.slug, "git-receive-pack", secret).status_code == 200) == writes

    def test_a_role_elsewhere_is_no_role_here(self, server, served):
        stranger = token_of(make_member("owner", "scenario:elsewhere"))
        assert discover(server, served.slug, "git-upload-pack", stranger).status_code == 404

    @pytest.mark.parametrize("service", ["git-upload-pack", "git-receive-pack"])
    @pytest.mark.parametrize("endpoint", ["info/refs", "service"])
    def test_nobody_hears_of_scenarios_that_they_may_not_see(self, server, served, service, endpoint):
        staff = make_staff()
        strangers = {
            "nobody": {},
            "a bad token": basic("wl_00000000_" + "0" * 64),
            "no role": basic(token_of(Actor(make_user("nora")))),
            "a role elsewhere": basic(token_of(make_member("owner", "scenario:elsewhere"))),
            "staff's token for elsewhere": basic(token_of(staff, "scenario:elsewhere")),
        }
        for who, headers in strangers.items():
            there, nowhere = (
                self.answer_of(server, slug, service, endpoint, headers) for slug in (served.slug, "nowhere")
            )
            assert there == nowhere, who
            assert there[0] == (401 if who in ("nobody", "a bad token") else 404)

    @staticmethod
    def answer_of(server, slug, service, endpoint, headers):
        if endpoint == "info/refs":
            answer = httpx.get(f"{server.url(slug)}/info/refs", params={"service": service}, headers=headers)
        else:
            answer = httpx.post(f"{server.url(slug)}/{service}", content=b"0000", headers=headers)
        told = {name: value for name, value in answer.headers.items() if name not in ("date", "x-request-id")}
        return answer.status_code, answer.text.replace(slug, "x"), {**told, "content-length": ""}

    def test_staff_get_in_and_a_limited_token_only_where_it_reaches(self, server, served):
        staff = make_staff()
        assert discover(server, served.slug, "git-receive-pack", token_of(staff)).status_code == 200
        limited = token_of(staff, "scenario:elsewhere")
        assert discover(server, served.slug, "git-upload-pack", limited).status_code == 404

    def test_taking_a_role_away_works_at_once(self, server, served, developer):
        secret = token_of(developer)
        revoke_role(actor=SYSTEM, user=developer.user, scope=f"scenario:{served.slug}", role="developer")
        assert discover(server, served.slug, "git-upload-pack", secret).status_code == 404

    def test_a_scenario_that_is_not_there(self, server, served):
        answer = discover(server, "nowhere", "git-upload-pack", token_of(make_staff()))
        assert (answer.status_code, answer.text) == (404, "there is no scenario nowhere, or it is not yours to see\n")

    def test_the_git_client_shows_why_it_was_refused(self, server, served, tmp_path):
        viewer = token_of(make_member("viewer", f"scenario:{served.slug}", "vera"))
        copy = server.copy(tmp_path / "v", served.slug, viewer)
        copy.commit(GOOD)
        with pytest.raises(GitFailed) as refused:
            copy.push("digits")
        assert "remote: vera may not push" in refused.value.output


class TestAddresses:
    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("", 404),
            ("/HEAD", 404),
            ("/objects/info/packs", 404),
            ("/config", 404),
            ("/../../etc/passwd", 404),
            ("/info/refs", 403),
            ("/info/refs?service=git-upload-archive", 403),
            ("/info/refs?service=git-upload-pack&x=1", 403),
            ("/git-upload-pack", 405),
        ],
    )
    def test_only_the_smart_protocol_is_served(self, server, served, path, status):
        secret = token_of(make_staff())
        assert httpx.get(server.url(served.slug) + path, headers=basic(secret)).status_code == status

    def test_a_repository_that_is_missing_is_named(self, server, served):
        shutil.rmtree(repository_path(served.slug))
        answer = discover(server, served.slug, "git-upload-pack", token_of(make_staff()))
        assert answer.status_code == 500
        assert answer.text == f"the repository of {served.slug} is missing on the server\n"

    def test_a_name_that_is_no_slug_is_not_found(self, server, served):
        for slug in ("..", "%2e%2e", "Camera", "a%2fb", "-x", "x" * 41):
            assert httpx.get(server.url(slug) + "/info/refs?service=git-upload-pack").status_code == 404

    def test_a_body_is_not_awaited_from_somebody_unknown(self, server, served):
        """The answer comes while the client has sent only the head of a huge push."""
        head = (
            f"POST /git/{served.slug}.git/git-receive-pack HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 900000000\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=ANSWER_S) as client:
            client.sendall(head.encode())
            assert client.recv(100).startswith(b"HTTP/1.1 401")

    def test_protocol_version_2_is_spoken(self, server, served, clone, released):
        answer = httpx.get(
            f"{server.url(served.slug)}/info/refs?service=git-upload-pack",
            headers=basic(token_of(make_staff())) | {"Git-Protocol": "version=2"},
        )
        assert b"version 2" in answer.content

    def test_shallow_and_partial_clones_work(self, server, served, clone, released, developer, tmp_path):
        url = server.url(served.slug, token_of(developer))
        clone.git("clone", "-q", "--depth=1", "--filter=blob:none", url, str(tmp_path / "shallow"))
        assert (tmp_path / "shallow" / "main.py").read_text() == MAIN
