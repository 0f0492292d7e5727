"""docs/guides/rest.md says what is so: its requests, its codes, its roles, its table."""

import json
import re
from pathlib import Path

import pytest

import walleweb
from accounts_app.exceptions import InvalidToken
from accounts_app.permissions import ROLE_PERMISSIONS
from kit import problems
from kit.attempts import TooManyAttempts
from tests.api.conftest import registering
from tests.api.contract import PREFIX, document

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "rest.md"
TEXT = GUIDE.read_text()
INTRODUCTION = Path(walleweb.__file__).with_name("openapi_introduction.md").read_text()
CONVERTED = {InvalidToken, TooManyAttempts}
"""Authentication answers these as `authentication-failed` and `throttled`."""
BLOCKS = re.findall(r"```http\n(.*?)```", TEXT, re.DOTALL)


def rows(heading):
    """The cells of the table under these column titles."""
    table = re.search(rf"^\| {re.escape(heading)} \|\n\| --- .*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)[1]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in table.splitlines()]


def test_the_table_lists_every_request_as_openapi_describes_it():
    described = [
        [
            f"{method.upper()} {path.removeprefix('/api/v1')}",
            each["summary"],
            re.search(r"Needs (.*)\.$", each["description"])[1],
        ]
        for path, methods in document()["paths"].items()
        for method, each in methods.items()
    ]
    listed = re.findall(r"^\| `([A-Z]+ /\S*)` \| (.*?) \| (.*) \|$", TEXT, re.MULTILINE)
    assert [list(row) for row in listed] == described


def declared_codes():
    """The codes of the exceptions that apps declare as a caller's; those of base classes are not raised themselves."""
    raised = [(error, status) for error, status in problems.statuses().items() if not error.__subclasses__()]
    return {(str(int(status)), problems.code_of(error)) for error, status in raised if error not in CONVERTED}


def test_every_code_is_explained_and_every_explained_code_is_tested_or_declared():
    folder = Path(__file__).parent
    files = [*folder.glob("test_*.py"), folder.parent / "tasks_app" / "test_archives.py"]
    tests = "".join(file.read_text() for file in files)
    tested = set(re.findall(r'problem\([^\n]*?, (\d{3}), "([a-z-]+)"', tests))
    tested |= {("400", code) for code in re.findall(r'400, "([a-z-]+)" if', tests)}
    assert {(status, code) for status, code, _ in rows("Status | Code | Meaning")} == tested | declared_codes()


def test_roles_may_do_what_the_guide_says():
    said = dict(rows("Role | May"))
    owner = said.pop("owner")
    for role, permissions in said.items():
        assert set(permissions.split(", ")) == set(ROLE_PERMISSIONS[role])
    extra = ROLE_PERMISSIONS["owner"] - ROLE_PERMISSIONS["developer"] - ROLE_PERMISSIONS["releaser"]
    assert owner == f"all of these, {', '.join(sorted(extra))}"


@pytest.mark.django_db
def test_the_first_release_goes_as_the_guide_says(staff, keys, request):
    before, after = BLOCKS
    for method, path, body in steps(before):
        assert staff.call(method, path, body).status_code in (200, 201)
    request.getfixturevalue("registered")
    release = None
    for method, path, body in steps(after):
        response = staff.call(method, path.format(release=release), body)
        assert response.status_code in (200, 201), response.content
        release = response.json().get("id", release)
    assert [entry["mode"] for entry in response.json()["entries"]] == ["hold"]


@pytest.mark.django_db
def test_the_page_of_the_api_begins_with_requests_that_lead_to_a_release(staff, keys, registered_as_the_guide_says):
    assert document()["info"]["description"] == INTRODUCTION
    release = None
    for block in re.findall(r"```http\n(.*?)```", INTRODUCTION, re.DOTALL):
        for method, path, body in steps(block):
            response = staff.call(method, path.removeprefix("api/v1/").format(release=release), body)
            assert response.status_code in (200, 201), response.content
            release = response.json()["id"]
    assert response.json()["state"] == "simulating"
    assert "figures" in response.json()


@pytest.fixture
def registered_as_the_guide_says(staff, request):
    for method, path, body in steps(BLOCKS[0]):
        staff.call(method, path, body)
    request.getfixturevalue("registered")


def steps(block):
    for method, path, body in re.findall(r"^([A-Z]+) (/\S+)\n(\{.*\})?", block, re.MULTILINE):
        yield method, path.removeprefix("/"), json.loads(body) if body else None


@pytest.fixture
def registered():
    """What the push between the two blocks leads to: digits/1.0.0 of the scenario that the first one opened."""
    with registering() as register:
        register("1.0.0")


def test_the_guide_names_the_real_prefix():
    assert f"`{PREFIX}`" in TEXT
